import type { LifecycleEvent } from '../core/lifecycle.ts'
import { isSettled, type Proposal, type ProposalIn } from '../core/proposal.ts'
import type { Action, CallContext } from '../ports/action.ts'
import type { CallEnd } from './call.ts'
import type { House } from './house.ts'
import { insist } from './insist.ts'
import { type Applied, move } from './move.ts'
import { outcomeDrafts } from './outcome.ts'
import { ring } from './ring.ts'

/** The database's clock as it goes on from a reading of it, by this process's steady clock: for what the statement checks again by its own. */
export function clockFrom(nowMs: number): () => number {
  const read = performance.now()
  return () => Math.floor(nowMs + performance.now() - read)
}

/**
 * From now on, may a call still be begun under a claim of `leaseMs`? By the process's own steady clock: a pause (a stopped process, a
 * long collection) between the claim and the call must not end in a call without a lease.
 */
export function leaseClock(leaseMs: number, action: Action | undefined): () => boolean {
  const began = performance.now()
  return () => performance.now() - began + (action?.timeoutMs ?? 0) < leaseMs
}

/** What every call of the action gets: the same key each time, and a signal for its time-out, which begins now. */
export const contextOf = (
  house: House,
  { id, conversation, state }: ProposalIn<'executing'> | ProposalIn<'in_doubt'>,
  action: Action,
): CallContext => ({
  proposalId: id,
  idempotencyKey: idempotencyKeyOf(id),
  attempt: state.attempts,
  fence: state.fence,
  locale: house.localeOf(conversation.account),
  signal: AbortSignal.timeout(action.timeoutMs),
})

/** One key per proposal: the far side sees the same on every attempt and knows the call again. */
export const idempotencyKeyOf = (proposalId: string): string => `dale-${proposalId}`

/** The end of a call that was marked and then not made, because the lease would not have lasted. Nobody else can know that it was not. */
export const notCalled = (action: Action): CallEnd => ({
  kind: 'unknown',
  retry: action.idempotency === 'key' || action.lookUp !== undefined,
})

/** Writes how a call ended, and tells it. What is known must not become a doubt because the store was away for a moment. */
export async function settleCall(house: House, proposal: ProposalIn<'executing'>, end: CallEnd): Promise<void> {
  const { fence, attempts } = proposal.state
  const quarantineMs = house.limits.quarantineMs
  const retryInMs = Math.min(300_000, 1000 * 2 ** Math.min(attempts, 9))
  const doubt: LifecycleEvent = {
    name: 'doubt',
    fence,
    quarantineMs,
    ...(end.kind === 'unknown' && end.retry ? { retryInMs } : {}),
  }
  if (end.kind === 'done')
    return void (await insist(() =>
      settle(house, proposal, { name: 'succeed', fence, proof: 'call', ...end.told, verification: end.verification }),
    ))
  if (end.kind === 'unknown') return void (await insist(() => settle(house, proposal, doubt)))
  const failed = await insist(() =>
    settle(house, proposal, { name: 'fail', fence, proof: 'call', reason: 'refused', detail: end.detail }),
  )
  // A refusal of a retry proves nothing about the attempt before it.
  if (failed.kind === 'refused') await insist(() => settle(house, proposal, doubt))
}

/** Moves a proposal and, where it ended or fell into doubt, tells it; a bell rings for what is to go on. */
export async function settle(house: House, proposal: Proposal, event: LifecycleEvent, readAtMs?: number): Promise<Applied> {
  const nowMs = readAtMs ?? (await house.store.now())
  const showings = await house.store.showings(proposal.id)
  const applied = await move(house, proposal, event, nowMs, { by: house.owner }, (after) => ({
    say: after.state.name === 'in_doubt' || isSettled(after.state) ? outcomeDrafts(house, after, showings, nowMs) : [],
  }))
  if (applied.kind !== 'applied') return applied
  const { state } = applied.proposal
  if (state.name === 'in_doubt' && state.retryAtMs === undefined) {
    house.log.warn({ proposal: proposal.id, action: proposal.action }, 'in_doubt_for_a_person')
    house.count('in_doubt_for_a_person', { action: proposal.action })
  }
  const again =
    state.name === 'in_doubt' && state.retryAtMs !== undefined ? [{ id: proposal.id, delayMs: state.retryAtMs - nowMs }] : []
  await ring(house, {
    deliveries: [proposal.conversation, ...showings.map(({ conversation }) => conversation)],
    executions: again,
  })
  return applied
}
