import { sql } from 'kysely'
import type { Backlog } from '../ports/store.ts'
import { asking, type Database, oneRow } from './database.ts'

/** Counts what is not finished, in whoever's hands it is. */
export function backlog(db: Database): Promise<Backlog> {
  return asking('counting what is unfinished', async () => {
    const row = await oneRow(
      db,
      sql<Backlog>`
      select
        (select count(*) from dale.inbox where handled_at is null)::int as inbound,
        ((select count(distinct conversation) from dale.inbox where to_agent and turn is null) + (select count(*) from dale.turn where ended_at is null) + (select count(*) from dale.resume where turn is null))::int as turns,
        (select count(*) from dale.outbox where settled_at is null and not parked)::int as outgoing,
        (select count(*) from dale.outbox where parked)::int as parked,
        (select count(*) from dale.proposal where ended_at is null and state in ('approved', 'executing'))::int as executions,
        (select count(*) from dale.proposal where ended_at is null and state = 'in_doubt')::int as doubts`,
    )
    return row
  })
}
