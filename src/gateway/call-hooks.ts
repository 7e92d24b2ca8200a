import type { Proposal } from '../core/proposal.ts'
import type { HookCall, HookEvent } from '../ports/hooks.ts'
import { factOf } from './fact-of.ts'
import type { House } from './house.ts'
import { untilAborted } from './until-aborted.ts'

const timeoutMs = 30_000
/** Longer than a hook may take: a process that died is known by it. */
const leaseMs = 2 * timeoutMs
const longestWaitMs = 3_600_000
/** With waits that double up to an hour this is about a day. */
const triesAllowed = 34

/**
 * Tells the configuration's hooks what is due, one after the other, until nothing is. Only the rows say what was told, so a call that a crash
 * cut off is made again. Nothing waits for it. Throws only when the store is down.
 */
export async function callHooks(house: House): Promise<void> {
  for (;;) {
    const call = await house.store.nextHookCall(leaseMs)
    if (call === undefined) return
    await house.store.endHookCall(call, await tell(house, call))
  }
}

async function tell(house: House, call: HookCall): Promise<Parameters<House['store']['endHookCall']>[1]> {
  const hook = call.event === 'proposed' ? house.hooks.onProposed : house.hooks.onSettled
  // It was taken out of the configuration since.
  if (hook === undefined) return { kind: 'told' }
  const about = { proposal: call.proposal.id, hook: call.event, attempt: call.attempts + 1 }
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    await untilAborted(signal, (async () => hook(eventOf(call), { attempt: call.attempts + 1, signal }))())
    house.log.info(about, 'hook_called')
    return { kind: 'told' }
  } catch (error) {
    house.count('hook_failed', { hook: call.event })
    if (call.attempts + 1 >= triesAllowed) {
      house.log.error({ ...about, err: error }, 'hook_given_up')
      return { kind: 'given_up' }
    }
    house.log.warn({ ...about, err: error }, 'hook_failed')
    return { kind: 'again', inMs: Math.min(longestWaitMs, 1000 * 2 ** Math.min(call.attempts, 12)) }
  }
}

function eventOf({ event, proposal, atMs }: HookCall): HookEvent {
  const { tenant, conversation, requester } = proposal
  // It is told as it was then, however late that is.
  const then: Proposal = event === 'proposed' ? { ...proposal, state: { name: 'draft', refusals: 0 } } : proposal
  return {
    id: `${proposal.id}.${event}`,
    event,
    atMs,
    proposal: {
      ...factOf(then),
      tenant,
      conversation,
      ...(requester === undefined ? {} : { requester }),
      ...('reason' in then.state ? { reason: then.state.reason } : {}),
    },
  }
}
