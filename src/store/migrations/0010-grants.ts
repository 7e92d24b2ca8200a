import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const statements = [
  // By the proposal that "always" was said to. The count is a constraint, so that it holds whatever two processes do at once.
  `create table dale.granted (
    id text primary key references dale.proposal (id),
    code text not null,
    account text not null,
    conversation text not null,
    person text not null,
    action text not null,
    action_version text not null,
    reversibility text not null,
    times int not null check (times > 0),
    uses int not null default 0 check (uses >= 0 and uses <= times),
    born_at bigint not null,
    ends_at bigint not null,
    decision json not null,
    ended_at bigint,
    ended_by text,
    check ((ended_at is null) = (ended_by is null))
  )`,
  `create index granted_here on dale.granted (conversation, action) where ended_at is null`,
  `create index granted_person on dale.granted (person)`,
  `create index decision_under on dale.decision ((record ->> 'grant')) where record ->> 'grant' is not null`,
]

/** Standing yeses, with their count and their end. */
export const grants: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
