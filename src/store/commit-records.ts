import { sql } from 'kysely'
import type { Change } from '../ports/store.ts'
import type { Part } from './commit-part.ts'
import { nowMs } from './database.ts'

/** Marks an inbox row as handled, once; who stands behind the sender is settled here. */
export function handledParts(handled: Change['handled']): readonly Part[] {
  if (handled === undefined) return []
  const { inboxId, road, toAgent, by } = handled
  return [
    {
      name: `inbound ${inboxId}`,
      lost: 'fence',
      body: sql`update dale.inbox set handled_at = ${nowMs}, handled_by = ${by}, road = ${road}, to_agent = ${toAgent}, taken_until = null,
          person = coalesce((select n.person from dale.identity n where n.identity = inbox.identity), inbox.identity)
        from won where id = ${inboxId} and handled_at is null returning id`,
    },
  ]
}

/** Ends a turn under its fence. */
export function turnParts(turn: Change['turn']): readonly Part[] {
  if (turn === undefined) return []
  return [
    {
      name: `turn ${turn.id}`,
      lost: 'fence',
      body: sql`update dale.turn set ended_at = ${nowMs} from won where id = ${turn.id} and fence = ${turn.fence} and ended_at is null returning id`,
    },
  ]
}

/** Counts what a card has had. */
export const countParts = (counts: NonNullable<Change['counts']>): readonly Part[] =>
  counts.map(({ proposalId, what }) => ({
    name: `${what} of ${proposalId}`,
    body: sql`insert into dale.tally (proposal, what, times) select ${proposalId}, ${what}, 1 from won
      on conflict (proposal, what) do update set times = dale.tally.times + 1`,
  }))

/** Adds a line to the history that moved nothing. */
export function noteParts(note: Change['note']): readonly Part[] {
  if (note === undefined) return []
  return [
    {
      name: `note on ${note.proposalId}`,
      body: sql`insert into dale.history (proposal, revision, event, from_state, to_state, made_by, at, note, moved)
        select p.id, p.revision, ${note.event}, p.state, p.state, ${note.by}, ${nowMs}, ${JSON.stringify(note.about)}::json, false from won, dale.proposal p where p.id = ${note.proposalId}`,
    },
  ]
}
