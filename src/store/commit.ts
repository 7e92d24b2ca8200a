import { type RawBuilder, sql } from 'kysely'
import { BrokenInvariantError } from '../core/errors.ts'
import type { Change, Committed } from '../ports/store.ts'
import { deliveredParts, sayParts, showingParts } from './commit-messages.ts'
import type { Part } from './commit-part.ts'
import { createParts, moveOf, recordParts } from './commit-proposals.ts'
import { countParts, handledParts, noteParts, turnParts } from './commit-records.ts'
import { asking, constraintOf, type Database, sqlStateOf } from './database.ts'
import { changeLost } from './laws.ts'

/**
 * Writes everything of a change or nothing, in one statement: each part is a CTE, and the last line counts whether each found its
 * row as it was. One statement is two to three times faster than a transaction. A move that another one beat writes nothing by
 * itself; whatever else is lost raises, so that the statement leaves no trace.
 */
export function commit(db: Database, change: Change): Promise<Committed> {
  // In one order, against deadlock between two changes of the same proposals.
  const moves = (change.moves ?? []).toSorted((a, b) => (a.before.id < b.before.id ? -1 : 1))
  if (new Set(moves.map(({ before }) => before.id)).size !== moves.length) throw new BrokenInvariantError('A change moves one proposal twice')
  const parts = [
    ...moves.flatMap(recordParts),
    ...(change.create ?? []).flatMap(createParts),
    ...handledParts(change.handled),
    ...turnParts(change.turn),
    ...deliveredParts(change.delivered),
    ...showingParts(change.showing),
    ...sayParts(change.say ?? []),
    ...countParts(change.counts ?? []),
    ...noteParts(change.note),
  ]
  if (parts.length === 0) return Promise.resolve({ kind: 'committed' })
  return asking(`committing ${parts.map(({ name }) => name).join(', ')}`, async () => {
    try {
      const { rows } = await statementOf(moves.map(moveOf), parts).execute(db)
      return rows[0]?.won === true ? { kind: 'committed' } : { kind: 'lost', what: 'proposal' }
    } catch (error) {
      const lost = lostBy(error)
      if (lost === undefined) throw error
      return { kind: 'lost', what: lost }
    }
  })
}

function statementOf(moves: readonly RawBuilder<unknown>[], parts: readonly Part[]): RawBuilder<{ readonly won: boolean }> {
  const move = (place: number) => sql.raw(`move_${place}`)
  const part = (place: number) => sql.raw(`part_${place}`)
  const ctes = [
    ...moves.map((body, place) => sql`${move(place)} as (${body})`),
    // Every move or none: a join of one-row relations.
    moves.length === 0 ? sql`won as (select true as yes)` : sql`won as (select true as yes from ${sql.join(moves.map((_, place) => move(place)))})`,
    ...parts.map(({ body }, place) => sql`${part(place)} as (${body})`),
  ]
  const losses = [
    // With one move, losing it wrote nothing; with several, those that were won must be undone.
    ...(moves.length > 1 ? moves.map((_, place) => sql`when not exists (select from won) and exists (select from ${move(place)}) then dale.lost('proposal')`) : []),
    ...parts.flatMap(({ lost }, place) => (lost === undefined ? [] : [sql`when exists (select from won) and (select count(*) from ${part(place)}) <> 1 then dale.lost(${sql.lit(lost)})`])),
  ]
  const verdict = losses.length === 0 ? sql`null` : sql`case ${sql.join(losses, sql` `)} end`
  return sql`with ${sql.join(ctes)} select exists (select from won) as won, ${verdict} as lost`
}

function lostBy(error: unknown): Extract<Committed, { kind: 'lost' }>['what'] | undefined {
  if (sqlStateOf(error) === changeLost && error instanceof Error) return error.message as Extract<Committed, { kind: 'lost' }>['what']
  return constraintOf(error) === 'proposal_code_open' ? 'code' : undefined
}
