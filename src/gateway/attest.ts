import type { LifecycleEvent } from '../core/lifecycle.ts'
import type { Proposal, StateName } from '../core/proposal.ts'
import type { House } from './house.ts'
import { move } from './move.ts'
import { outcomeDrafts } from './outcome.ts'
import { ring } from './ring.ts'

/** What a person found out about a call whose end nobody knew, and how. */
export interface Evidence {
  readonly end: 'succeeded' | 'failed'
  /** The operator's name. */
  readonly by: string
  /** Where it can be seen: a number in the other system, who was asked. Kept in the history. */
  readonly evidence: string
}

/** Settled and told; or why not. A quarantine must pass before "it did not happen" can be believed. */
export type Attested =
  | { readonly kind: 'settled'; readonly proposal: Proposal }
  | { readonly kind: 'quarantined'; readonly untilMs: number; readonly nowMs: number }
  | { readonly kind: 'not_in_doubt'; readonly state: StateName }
  | { readonly kind: 'unknown' }

/** A person settles what is in doubt (RULES 6.5): the outcome is told, and the evidence is kept. Nothing else can be settled this way. */
export async function attest(house: House, proposalId: string, { end, by, evidence }: Evidence): Promise<Attested> {
  const read = await house.store.proposal(proposalId)
  if (read === undefined) return { kind: 'unknown' }
  const { proposal, nowMs } = read
  const { state } = proposal
  if (state.name !== 'in_doubt') return { kind: 'not_in_doubt', state: state.name }
  const event: LifecycleEvent =
    end === 'succeeded'
      ? { name: 'succeed', proof: 'attested', verification: 'none' }
      : { name: 'fail', proof: 'attested', reason: 'attested' }
  const showings = await house.store.showings(proposalId)
  const applied = await move(house, proposal, event, nowMs, { by: `operator:${by}`, note: { evidence } }, (after) => ({
    say: outcomeDrafts(house, after, showings, nowMs),
  }))
  // Of what guards a doubt's end, only the quarantine can stand in the way of evidence from outside.
  if (applied.kind === 'refused') return { kind: 'quarantined', untilMs: state.quarantineUntilMs, nowMs }
  if (applied.kind === 'lost') return attest(house, proposalId, { end, by, evidence })
  await ring(house, { deliveries: [proposal.conversation, ...showings.map(({ conversation }) => conversation)] })
  return { kind: 'settled', proposal: applied.proposal }
}
