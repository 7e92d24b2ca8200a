import type { Proposal } from '../core/proposal.ts'
import type { Move, OutboxDraft } from '../ports/store.ts'
import { updateDrafts } from './cards.ts'
import type { House } from './house.ts'
import { planMove } from './move.ts'

/** The older card of the same wish ends with the new one (RULES 7), which is how it is told. Writes nothing. */
export async function supersede(
  house: House,
  older: Proposal,
  { id, requester = 'api' }: Proposal,
  nowMs: number,
): Promise<{ readonly moves: readonly Move[]; readonly say: readonly OutboxDraft[] }> {
  const planned = planMove(older, { name: 'supersede', by: id }, nowMs, { by: requester })
  if (planned.kind === 'refused') return { moves: [], say: [] }
  return { moves: [planned.move], say: updateDrafts(house, planned.move.after, await house.store.showings(older.id), nowMs) }
}
