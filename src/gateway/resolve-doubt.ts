import { claimTimeMs } from '../core/claim-time.ts'
import { fingerprintOf } from '../core/fingerprint.ts'
import type { ProposalIn } from '../core/proposal.ts'
import type { Action, LookUp } from '../ports/action.ts'
import { call, toldOf } from './call.ts'
import type { House } from './house.ts'
import { move } from './move.ts'
import { contextOf, leaseClock, notCalled, settle, settleCall } from './settle.ts'
import { untilAborted } from './until-aborted.ts'

/**
 * Goes after a call whose end nobody knows: by look-up where the action offers one, by the very same call where the far side keeps the key,
 * else not at all; then a person settles it. Not yet due: nothing happens.
 */
export async function resolveDoubt(
  house: House,
  proposal: ProposalIn<'in_doubt'>,
  nowMs: number,
  halted: boolean,
): Promise<void> {
  const { retryAtMs, attempts } = proposal.state
  if (retryAtMs === undefined || nowMs < retryAtMs) return
  const action = house.actions.get(proposal.action)
  if (action === undefined) return void (await settle(house, proposal, { name: 'postpone' }, nowMs))
  const found = await lookUp(house, action, proposal)
  if (found.kind === 'found') {
    return void (await settle(
      house,
      proposal,
      { name: 'succeed', proof: 'look_up', ...toldOf(found.result ?? {}), verification: 'none' },
      nowMs,
    ))
  }
  if (found.kind === 'absent' && action.idempotency === 'none') {
    const ended = await settle(house, proposal, { name: 'fail', proof: 'look_up', reason: 'not_found' }, nowMs)
    if (ended.kind !== 'refused') return
  }
  const again = action.idempotency === 'key' ? await sendAgain(house, action, proposal, nowMs, halted) : 'never'
  if (again === 'sent') return
  // Slower each time: a look-up that keeps saying nothing must not become a flood.
  const waitMs = Math.min(300_000, 1000 * 2 ** Math.min(attempts + Math.floor((nowMs - proposal.state.sinceMs) / 60_000), 9))
  await settle(
    house,
    proposal,
    { name: 'postpone', ...(action.lookUp === undefined && again === 'never' ? {} : { retryInMs: waitMs }) },
    nowMs,
  )
}

async function lookUp(house: House, action: Action, proposal: ProposalIn<'in_doubt'>): Promise<LookUp> {
  if (action.lookUp === undefined) return { kind: 'unknown' }
  const context = contextOf(house, proposal, action)
  try {
    return await untilAborted(context.signal, action.lookUp(JSON.parse(proposal.canonicalArgs), context))
  } catch (error) {
    house.log.warn({ proposal: proposal.id, action: action.name, err: error }, 'look_up_failed')
    return { kind: 'unknown' }
  }
}

/**
 * The same call with the same key and bytes; no new look at the world, since it may have happened already. `stopped` while operations
 * halts it, `never` when the law forbids it for good.
 */
async function sendAgain(
  house: House,
  action: Action,
  proposal: ProposalIn<'in_doubt'>,
  nowMs: number,
  halted: boolean,
): Promise<'sent' | 'stopped' | 'never'> {
  const leaseMs = claimTimeMs(house.limits.leaseMs, action)
  const leaseLasts = leaseClock(leaseMs, action)
  const retry = {
    name: 'retry',
    leaseMs,
    keyValidForMs: action.keyValidForMs,
    fingerprint: fingerprintOf(proposal),
    halted,
  } as const
  const retried = await move(house, proposal, retry, nowMs, { by: house.owner })
  if (retried.kind === 'refused') return retried.because === 'not halted' ? 'stopped' : 'never'
  if (retried.kind === 'lost') return 'sent'
  const executing = retried.proposal as ProposalIn<'executing'>
  const args: unknown = JSON.parse(proposal.canonicalArgs)
  await settleCall(
    house,
    executing,
    leaseLasts() ? await call(house, action, args, contextOf(house, executing, action)) : notCalled(action),
  )
  return 'sent'
}
