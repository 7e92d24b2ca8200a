import { isWaiting, type Proposal, type StateName } from '../core/proposal.ts'
import type { House } from './house.ts'
import { move } from './move.ts'
import { outcomeDrafts } from './outcome.ts'
import { ring } from './ring.ts'

/** Withdrawn and told; or why not. `not_own`: a person, the agent or another program proposed it. `too_late`: it waits for nobody any more. */
export type Withdrawn =
  | { readonly kind: 'withdrawn'; readonly proposal: Proposal }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'not_own' }
  | { readonly kind: 'too_late'; readonly state: StateName }

/**
 * A program takes back what it proposed itself, while it waits: it ends as discarded, and that is told wherever its card stands. What
 * anybody else asked for it cannot touch. Withdrawn a second time it is `too_late`.
 */
export async function withdrawOutside(house: House, proposalId: string, proposedBy: string): Promise<Withdrawn> {
  for (;;) {
    const read = await house.store.proposal(proposalId)
    if (read === undefined || read.proposal.tenant !== house.tenant) return { kind: 'unknown' }
    const { proposal, nowMs } = read
    if (proposal.proposedBy !== proposedBy) return { kind: 'not_own' }
    if (!isWaiting(proposal)) return { kind: 'too_late', state: proposal.state.name }
    const showings = await house.store.showings(proposalId)
    const applied = await move(house, proposal, { name: 'discard', reason: 'withdrawn' }, nowMs, { by: proposedBy }, (after) => ({
      say: outcomeDrafts(house, after, showings, nowMs),
    }))
    if (applied.kind === 'lost') continue
    // Only its deadline keeps what waits from being withdrawn; its end is told by whoever finds that.
    if (applied.kind === 'refused') return { kind: 'too_late', state: 'expired' }
    await ring(house, { deliveries: [proposal.conversation, ...showings.map(({ conversation }) => conversation)] })
    return { kind: 'withdrawn', proposal: applied.proposal }
  }
}
