import { ActionError } from '../core/errors.ts'
import type { Action, CallContext, CallResult } from '../ports/action.ts'
import type { House } from './house.ts'
import { untilAborted } from './until-aborted.ts'

/** How one call ended: certainly done, certainly not, or nobody knows; `retry` says whether the machine may go after that by itself. */
export type CallEnd =
  | { readonly kind: 'done'; readonly told: { readonly result?: string }; readonly verification: 'none' | 'passed' | 'failed' }
  | { readonly kind: 'refused'; readonly detail: string }
  | { readonly kind: 'unknown'; readonly retry: boolean }

/**
 * Makes the call, at most once and never longer than the action's time-out, even if the action ignores its signal, and looks at the
 * result for at most as long again. Never throws: whatever is not a success or an `ActionError` with a proof is unknown.
 */
export async function call(house: House, action: Action, args: unknown, context: CallContext): Promise<CallEnd> {
  const retry = action.idempotency === 'key' || action.lookUp !== undefined
  try {
    const result = await untilAborted(context.signal, action.execute(args, context))
    return { kind: 'done', told: toldOf(result), verification: await verify(house, action, args, result, context) }
  } catch (error) {
    house.log.warn({ proposal: context.proposalId, action: action.name, attempt: context.attempt, err: error }, 'call_failed')
    if (!(error instanceof ActionError) || error.mayHaveHappened) return { kind: 'unknown', retry }
    if (!error.permanent && action.idempotency === 'key') return { kind: 'unknown', retry: true }
    return { kind: 'refused', detail: error.message }
  }
}

/** What the person hears of a result, and the agent reads as a fact. */
export function toldOf({ message, result }: CallResult): { readonly result?: string } {
  const text = message ?? result
  return text === undefined ? {} : { result: text }
}

/** A success that cannot be confirmed is told as just that; it is a success all the same. */
async function verify(
  house: House,
  action: Action,
  args: unknown,
  result: CallResult,
  context: CallContext,
): Promise<'none' | 'passed' | 'failed'> {
  if (action.verify === undefined) return 'none'
  const signal = AbortSignal.timeout(action.timeoutMs)
  try {
    return (await untilAborted(signal, action.verify(args, result, { ...context, signal }))) ? 'passed' : 'failed'
  } catch (error) {
    house.log.warn({ proposal: context.proposalId, action: action.name, err: error }, 'verify_failed')
    return 'failed'
  }
}
