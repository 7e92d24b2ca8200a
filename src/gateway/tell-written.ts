import type { Move } from '../ports/store.ts'
import type { House } from './house.ts'
import { tellMoved } from './move.ts'
import { ring } from './ring.ts'

/** After the commit of what an agent proposed: its moves are counted, and what a grant approved is begun. */
export async function tellWritten(house: House, moves: readonly Move[]): Promise<void> {
  for (const move of moves) tellMoved(house, move)
  const approved = moves.flatMap(({ after }) => (after.state.name === 'approved' ? [{ id: after.id, delayMs: 0 }] : []))
  if (approved.length > 0) await ring(house, { executions: approved })
}
