import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** What is old is found by its age, however much there is. */
const statements = [
  `create index inbox_handled on dale.inbox (handled_at) where handled_at is not null`,
  `create index outbox_settled on dale.outbox (settled_at) where settled_at is not null`,
  `create index turn_ended on dale.turn (ended_at) where ended_at is not null`,
  `create index sent_message_outbox on dale.sent_message (outbox)`,
  `create index report_at on dale.report (at)`,
]

/** Lets a sweep erase what is older than the configuration keeps. */
export const pruning: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
