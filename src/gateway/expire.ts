import type { Proposal } from '../core/proposal.ts'
import type { Change } from '../ports/store.ts'
import type { House } from './house.ts'
import { type Applied, move } from './move.ts'
import { outcomeDrafts } from './outcome.ts'
import { ring } from './ring.ts'

/**
 * Ends a proposal whose time is over and tells it. By the sweep, or at once when somebody decides too late (`also` is then what
 * handles their message). Already moved on, or not yet due by the database's clock: nothing happens.
 */
export async function expire(house: House, proposal: Proposal, nowMs: number, by: string, also: Change = {}): Promise<Applied> {
  const showings = await house.store.showings(proposal.id)
  const event = proposal.state.name === 'approved' ? ({ name: 'go_stale' } as const) : ({ name: 'expire' } as const)
  const applied = await move(house, proposal, event, nowMs, { by }, (after) => ({
    ...also,
    say: [...outcomeDrafts(house, after, showings, nowMs), ...(also.say ?? [])],
  }))
  if (applied.kind === 'applied')
    await ring(house, { deliveries: [proposal.conversation, ...showings.map(({ conversation }) => conversation)] })
  return applied
}
