import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const statements = [
  // The end of a proposal that the agent goes on from: written with that end, and at most one turn comes of it. Where it is, the proposal tells.
  `create table dale.resume (proposal text collate "C" primary key references dale.proposal, written_at bigint not null, turn text)`,
  `create index resume_waiting on dale.resume (written_at, proposal) where turn is null`,
  // A turn that an outcome started has no message, and so no moment since which somebody wrote.
  `alter table dale.turn alter column since drop not null, add column resumed text collate "C" unique references dale.proposal,
    add column proposed boolean not null default false`,
  // What an agent pushed after its turn, by the id of its delivery: taken once.
  `create table dale.push (turn text collate "C" not null, id text not null, at bigint not null, primary key (turn, id))`,
  `create index push_at on dale.push (at)`,
  // What hooks are to be told of, and how far that is.
  `create table dale.hook_call (
    proposal text collate "C" not null references dale.proposal,
    event text not null check (event in ('proposed', 'settled')),
    at bigint not null,
    attempts int not null default 0,
    not_before bigint not null default 0,
    taken_until bigint,
    fence int not null default 0,
    done_at bigint,
    given_up boolean not null default false,
    primary key (proposal, event)
  )`,
  `create index hook_call_waiting on dale.hook_call (at, proposal) where done_at is null`,
]

/** Where runs come from, turns that an outcome started, what agents push later, and what hooks are told of. */
export const origins: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
