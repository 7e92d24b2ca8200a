import { claimTimeMs } from '../core/claim-time.ts'
import { fingerprintOf } from '../core/fingerprint.ts'
import type { LifecycleEvent } from '../core/lifecycle.ts'
import type { ProposalIn } from '../core/proposal.ts'
import type { Action, CallContext } from '../ports/action.ts'
import { call } from './call.ts'
import type { House } from './house.ts'
import { move } from './move.ts'
import { resolveDoubt } from './resolve-doubt.ts'
import { clockFrom, contextOf, leaseClock, notCalled, settle, settleCall } from './settle.ts'
import { stillMeans } from './still-means.ts'
import { isStillPermitted } from './still-permitted.ts'
import { untilAborted } from './until-aborted.ts'

/**
 * Runs an approved proposal, or goes after one in doubt, whatever the bell meant: the row decides. One worker claims it with a fence; what
 * was decided is checked once more; the send marker is committed before the first byte; the end is written with the outcome in one
 * transaction. Rung twice, it runs once. Throws only when the store is down: the lease runs out and the sweep sees to it.
 */
export async function execute(house: House, id: string): Promise<void> {
  const read = await house.store.proposal(id)
  if (read === undefined) return
  const { proposal, nowMs, halted } = read
  if (proposal.state.name === 'in_doubt') return resolveDoubt(house, proposal as ProposalIn<'in_doubt'>, nowMs, halted)
  if (proposal.state.name !== 'approved') return
  if (halted) return void (await settle(house, proposal, { name: 'stop', by: 'switch' }, nowMs))
  const action = house.actions.get(proposal.action)
  const leaseMs = claimTimeMs(house.limits.leaseMs, action)
  const leaseLasts = leaseClock(leaseMs, action)
  const clock = clockFrom(nowMs)
  const claimed = await move(house, proposal, { name: 'claim', leaseMs, halted }, nowMs, { by: house.owner })
  if (claimed.kind !== 'applied') return
  await runClaimed(house, claimed.proposal as ProposalIn<'executing'>, leaseLasts, clock)
}

async function runClaimed(
  house: House,
  claimed: ProposalIn<'executing'>,
  leaseLasts: () => boolean,
  clock: () => number,
): Promise<void> {
  const { fence } = claimed.state
  const checked = await lookOnceMore(house, claimed)
  if (checked.kind === 'stop') return void (await settle(house, claimed, checked.event))
  const { action, args } = checked
  const ready = await preflight(house, action, args, contextOf(house, claimed, action))
  if (ready.kind === 'denied')
    return void (await settle(house, claimed, { name: 'fail', fence, proof: 'call', reason: 'denied', detail: ready.message }))
  if (ready.kind === 'unknown') return letGo(house, claimed)
  // The last look may have found out that the action is another by now.
  const means = stillMeans(house, claimed)
  if (means.kind === 'moved') return void (await settle(house, claimed, { name: 'change', reason: means.reason, fence }))
  // Whether it is halted by now, and whether the lease still lives, the statement itself asks.
  const send = { name: 'send', fence, fingerprint: fingerprintOf(claimed), halted: false } as const
  const sent = await move(house, claimed, send, clock(), { by: house.owner })
  if (sent.kind === 'refused' && sent.because === 'on what was shown')
    return void (await settle(house, claimed, { name: 'change', reason: 'tampered', fence }))
  if (sent.kind !== 'applied') return letGo(house, claimed)
  // With a time-out of its own: what the look took is not taken from the call.
  const end = leaseLasts() ? await call(house, action, args, contextOf(house, claimed, action)) : notCalled(action)
  await settleCall(house, sent.proposal as ProposalIn<'executing'>, end)
}

type Checked =
  | { readonly kind: 'run'; readonly action: Action; readonly args: unknown }
  | { readonly kind: 'stop'; readonly event: LifecycleEvent }

/** Between the yes and now the world went on: is the tool still the same, do the arguments still mean the same, is the person still allowed? */
async function lookOnceMore(house: House, proposal: ProposalIn<'executing'>): Promise<Checked> {
  const { fence, decision, first } = proposal.state
  const means = stillMeans(house, proposal)
  if (means.kind === 'moved') return { kind: 'stop', event: { name: 'change', reason: means.reason, fence } }
  const permitted = await Promise.all(
    [decision, ...(first === undefined ? [] : [first])].map((one) => isStillPermitted(house, proposal, one)),
  )
  const isRevoked = decision.grant !== undefined && (await house.store.grant(decision.grant))?.ended !== undefined
  if (permitted.includes(false) || isRevoked)
    return { kind: 'stop', event: { name: 'fail', fence, proof: 'call', reason: 'authorization_revoked' } }
  return { ...means, kind: 'run' }
}

/** Nothing was sent: back into the line, or out of it as poison after too many tries. */
async function letGo(house: House, claimed: ProposalIn<'executing'>): Promise<void> {
  const { fence } = claimed.state
  const released = await settle(house, claimed, { name: 'release', fence })
  if (released.kind === 'refused') await settle(house, claimed, { name: 'fail', fence, proof: 'call', reason: 'poison' })
}

/** The action's own last look. A denial ends it; a look that fails puts it back into the line, which poison leaves after three times. */
async function preflight(
  house: House,
  action: Action,
  args: unknown,
  context: CallContext,
): Promise<{ readonly kind: 'ready' | 'unknown' } | { readonly kind: 'denied'; readonly message: string }> {
  if (action.preflight === undefined) return { kind: 'ready' }
  try {
    return await untilAborted(context.signal, action.preflight(args, context))
  } catch (error) {
    house.log.warn({ proposal: context.proposalId, action: action.name, err: error }, 'preflight_failed')
    return { kind: 'unknown' }
  }
}
