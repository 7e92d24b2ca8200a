import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const statements = [
  // Of a key only a hash is kept. `window_*` count its requests, on every gateway.
  `create table dale.api_key (
    id text collate "C" primary key,
    tenant text not null,
    name text not null,
    hash text not null,
    scopes text[] not null,
    made_by text not null,
    created_at bigint not null,
    expires_at bigint,
    last_used_at bigint,
    revoked_at bigint,
    revoked_by text,
    window_began bigint not null default 0,
    window_count int not null default 0
  )`,
  // A request that may be sent again: what it asked for, which proposal would come of it, and what was answered.
  `create table dale.idempotency_key (
    api_key text collate "C" not null references dale.api_key,
    name text not null,
    fingerprint text not null,
    proposal text collate "C" not null,
    at bigint not null,
    taken_until bigint,
    status int,
    body text,
    primary key (api_key, name)
  )`,
  `create index idempotency_key_at on dale.idempotency_key (at)`,
  `create index proposal_conversation on dale.proposal (conversation, id)`,
  // Where events are to be told; what stands in the history after "seen" is looked at again.
  `create table dale.webhook (url text primary key, since bigint not null, seen bigint not null, disabled_at bigint)`,
  `create table dale.webhook_delivery (
    history bigint not null references dale.history,
    url text not null references dale.webhook,
    proposal text collate "C" not null,
    type text not null,
    written_at bigint not null,
    attempts int not null default 0,
    not_before bigint not null default 0,
    taken_until bigint,
    fence int not null default 0,
    status int,
    done_at bigint,
    given_up boolean not null default false,
    primary key (history, url)
  )`,
  `create index webhook_delivery_waiting on dale.webhook_delivery (url, proposal, history) where done_at is null`,
  `create index webhook_delivery_done on dale.webhook_delivery (done_at) where done_at is not null`,
]

/** Keys of programs, requests that may be sent again, and what is told by webhooks. */
export const api: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
