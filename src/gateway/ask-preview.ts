import type { Action, Prepared, PreviewContext } from '../ports/action.ts'
import { untilAborted } from './until-aborted.ts'

/** The action's own look at the world for a card, for so long at most. Throws what the action throws, and `TimeoutError`. */
export async function askPreview(
  action: Action,
  args: unknown,
  about: Omit<PreviewContext, 'signal' | 'requester'> & { readonly requester?: string | undefined },
  withinMs: number,
): Promise<Prepared> {
  const { requester, ...rest } = about
  const signal = AbortSignal.timeout(withinMs)
  return await untilAborted(signal, action.preview(args, { ...rest, signal, ...(requester === undefined ? {} : { requester }) }))
}
