import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const statements = [
  // What the configuration says follows it at each start; what `dale people` made stays.
  `alter table dale.person add column name text`,
  `alter table dale.person add column source text not null default 'configuration' check (source in ('configuration', 'managed'))`,
  `alter table dale.identity add column source text not null default 'configuration' check (source in ('configuration', 'managed'))`,
  `alter table dale.person_role add column source text not null default 'configuration' check (source in ('configuration', 'managed'))`,
  // Taken away by `dale people` although the configuration gives it: it stays away until it is given again.
  `create table dale.person_taken (
    person text not null,
    what text not null check (what in ('role', 'identity')),
    value text not null,
    made_by text not null,
    at bigint not null,
    primary key (person, what, value)
  )`,
  `create table dale.person_change (
    id bigint generated always as identity primary key,
    person text not null,
    what text not null,
    value text,
    made_by text not null,
    at bigint not null
  )`,
  `create index person_change_person on dale.person_change (person, id)`,
  `create index identity_person on dale.identity (person)`,
  `create index person_role_role on dale.person_role (role, person)`,
  // What limits add up and what is unusual: one person's, by action. Of what is open there is little.
  `create index proposal_asked on dale.proposal (requester, action, created_at)`,
  `create index proposal_asked_open on dale.proposal (requester, action) where ended_at is null`,
  `create index proposal_done on dale.proposal (requester, action, ended_at) where state = 'succeeded'`,
  // What a report is about.
  `create index proposal_created on dale.proposal (created_at)`,
]

/** People who are managed beside the configuration, and the look-ups of limits and reports. */
export const people: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
