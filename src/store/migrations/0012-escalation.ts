import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const statements = [
  // How long before its deadline a role is asked too: the deadline runs from the first accepted showing, and so does this.
  `alter table dale.proposal add column escalate_left bigint`,
  `alter table dale.proposal add column escalated_at bigint`,
  // Looked at by every sweep: only what waits to be escalated is in it.
  `create index proposal_escalation on dale.proposal (id) where ended_at is null and escalate_left is not null and escalated_at is null`,
]

/** Roles that come in when nobody decides. */
export const escalation: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
