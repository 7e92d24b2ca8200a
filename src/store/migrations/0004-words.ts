import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const statements = [
  // The last row of an account is what decides there; a row is never changed.
  `create table dale.vocabulary_version (
    id bigint generated always as identity primary key,
    account text not null,
    locale text not null,
    version text not null,
    content json not null,
    active_since json not null,
    activated_at bigint not null,
    made_by text not null,
    reason text,
    forced boolean not null
  )`,
  `create index vocabulary_version_active on dale.vocabulary_version (account, id)`,
  // Folded words, never a message: no digits, four words at most. One a message.
  `create table dale.near_miss (
    inbox bigint primary key,
    account text not null,
    locale text not null,
    folded text not null check (folded !~ '[0-9]'),
    kind text not null,
    conversation text not null,
    person text not null,
    proposal text collate "C" not null,
    at bigint not null
  )`,
  `create index near_miss_at on dale.near_miss (at)`,
  `create index near_miss_person on dale.near_miss (person)`,
]

/** The words that decide, version by version, and the short messages that decided nothing. */
export const words: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
