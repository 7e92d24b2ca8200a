import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/*
 * Every moment is a whole number of milliseconds since 1970 by `dale.clock()`. Bodies are `json`, never `jsonb`: `json` keeps the text
 * as it came, so a NUL or half a surrogate pair in something that a person or an action said is stored and read back, where `jsonb`
 * would refuse the row for ever. What queries ask for has columns of its own.
 */
const statements = [
  `create schema if not exists dale`,
  // The only clock. A test replaces this function; nothing else may ask for the time.
  `create function dale.clock() returns timestamptz language sql stable as 'select statement_timestamp()'`,
  `create function dale.now_ms() returns bigint language sql stable as 'select floor(extract(epoch from dale.clock()) * 1000)::bigint'`,
  `create table dale.laws (only_one boolean primary key default true check (only_one), version text not null)`,

  `create table dale.inbox (
    id bigint generated always as identity primary key,
    tenant text not null,
    account text not null,
    provider_id text not null,
    conversation text not null,
    kind text not null,
    identity text,
    event json not null,
    moment_at bigint,
    moment_order bigint,
    received_at bigint not null,
    taken_by text,
    taken_until bigint,
    handled_at bigint,
    handled_by text,
    road text,
    to_agent boolean not null default false,
    person text,
    turn text,
    unique (account, provider_id),
    check (not to_agent or (handled_at is not null and person is not null))
  )`,
  `create index inbox_unhandled on dale.inbox (conversation, id) where handled_at is null`,
  `create index inbox_unanswered on dale.inbox (conversation, id) where to_agent and turn is null`,
  `create index inbox_spoken on dale.inbox (conversation, person, moment_at) where to_agent`,
  `create index inbox_outside on dale.inbox (conversation, received_at) where kind = 'said'`,
  `create index inbox_turn on dale.inbox (turn) where turn is not null`,

  `create table dale.proposal (
    id text collate "C" primary key,
    code text not null,
    account text not null,
    conversation text not null,
    requester text,
    action text not null,
    canonical_args text not null,
    fingerprint text not null,
    frozen json not null,
    created_at bigint not null,
    state text not null,
    state_body json not null,
    revision int not null,
    card_revision int not null,
    fence int,
    sent boolean not null default false,
    lease_until bigint,
    expires_at bigint,
    execute_by bigint,
    ready_at bigint,
    moved_at bigint not null,
    closed_at bigint,
    ended_at bigint,
    check (state not in ('draft', 'pending', 'awaiting_second') or expires_at is not null),
    check (state not in ('approved', 'executing') or (execute_by is not null and fence is not null)),
    check ((state = 'executing') = (lease_until is not null)),
    check ((ended_at is null) = (state in ('draft', 'pending', 'awaiting_second', 'approved', 'executing', 'in_doubt')))
  )`,
  // The look-up on the way of every message: only what is open is in it, so it stays as small as the day's work (bench/lookup.ts).
  `create index proposal_open on dale.proposal (conversation, id) where ended_at is null`,
  `create index proposal_due on dale.proposal (state, id) where ended_at is null`,
  `create unique index proposal_code_open on dale.proposal (account, code) where ended_at is null`,
  `create index proposal_code on dale.proposal (account, code)`,
  `create index proposal_closed on dale.proposal (conversation, closed_at) where closed_at is not null`,

  `create table dale.history (
    id bigint generated always as identity primary key,
    proposal text collate "C" not null references dale.proposal,
    revision int not null,
    event text not null,
    from_state text,
    to_state text not null,
    made_by text not null,
    at bigint not null,
    note json,
    moved boolean not null
  )`,
  // One move per revision; what moved nothing may be noted as often as it happens.
  `create unique index history_proposal on dale.history (proposal, revision, (case when moved then 0 else id end))`,

  `create table dale.decision (
    id bigint generated always as identity primary key,
    proposal text collate "C" not null references dale.proposal,
    revision int not null,
    person text not null,
    verdict text not null check (verdict in ('approve', 'reject')),
    final boolean not null,
    at bigint not null,
    record json not null,
    unique (proposal, person, verdict)
  )`,
  `create unique index decision_final on dale.decision (proposal) where final`,

  `create table dale.attempt (
    proposal text collate "C" not null references dale.proposal,
    fence int not null,
    at bigint not null,
    primary key (proposal, fence)
  )`,

  `create table dale.outbox (
    id bigint generated always as identity primary key,
    account text not null,
    conversation text not null,
    lane text not null check (lane in ('chatter', 'card', 'receipt', 'outcome')),
    kind text not null,
    said boolean not null,
    said_text text,
    body json not null,
    proposal text collate "C",
    card_revision int,
    once text unique,
    written_at bigint not null,
    not_before bigint not null default 0,
    sending boolean not null default false,
    taken_until bigint,
    fence int not null default 0,
    attempts int not null default 0,
    may_have_arrived boolean not null default false,
    begun_at bigint,
    settled_at bigint,
    outcome text check (outcome in ('accepted', 'refused')),
    refusal text,
    moment_at bigint,
    moment_order bigint,
    check ((settled_at is null) = (outcome is null)),
    check (not sending or settled_at is null)
  )`,
  `create index outbox_waiting on dale.outbox (conversation, id) where settled_at is null`,
  // One sender per conversation, whoever asks: a second one runs into this.
  `create unique index outbox_sending on dale.outbox (conversation) where sending`,
  `create index outbox_card on dale.outbox (proposal) where kind = 'card' and settled_at is null`,
  `create index outbox_said on dale.outbox (conversation, begun_at) where said and begun_at is not null`,

  `create table dale.showing (
    id bigint generated always as identity primary key,
    proposal text collate "C" not null references dale.proposal,
    card_revision int not null,
    account text not null,
    conversation text not null,
    message_ids text[] not null,
    accepted_at bigint not null,
    moment_at bigint,
    moment_order bigint,
    waits boolean not null
  )`,
  `create index showing_proposal on dale.showing (proposal, conversation)`,
  `create index showing_waits on dale.showing (conversation) where waits`,

  `create table dale.sent_message (
    account text not null,
    conversation text not null,
    message_id text not null,
    proposal text collate "C",
    primary key (account, message_id, conversation)
  )`,
  `create table dale.report (
    account text not null,
    message_id text not null,
    status text not null check (status in ('sent', 'delivered', 'read', 'failed')),
    at bigint not null,
    primary key (account, message_id, status)
  )`,

  `create table dale.tally (
    proposal text collate "C" not null references dale.proposal,
    what text not null,
    times int not null,
    primary key (proposal, what)
  )`,

  `create table dale.turn (
    id text collate "C" primary key,
    conversation text not null,
    person text not null,
    fence int not null,
    attempts int not null,
    taken_until bigint not null,
    began_at bigint not null,
    since bigint not null,
    ended_at bigint
  )`,
  `create unique index turn_open on dale.turn (conversation) where ended_at is null`,
  `create index turn_began on dale.turn (conversation, began_at)`,

  `create table dale.halt (
    scope text not null check (scope in ('all', 'action', 'account')),
    name text not null,
    made_by text not null,
    since bigint not null,
    reason text,
    primary key (scope, name)
  )`,
  // What a chat was called before the provider gave it another id: controls in it are bound to the old one.
  `create table dale.chat_move (account text not null, from_chat text not null, to_chat text not null, primary key (account, from_chat))`,
  `create index chat_move_to on dale.chat_move (account, to_chat)`,
  `create table dale.lease (name text primary key, owner text not null, until bigint not null, fence int not null)`,

  `create table dale.person (id text primary key)`,
  `create table dale.identity (identity text primary key, person text not null references dale.person on delete cascade)`,
  `create table dale.person_role (person text not null references dale.person on delete cascade, role text not null, primary key (person, role))`,
  `create table dale.role_chat (role text not null, conversation text not null, place int not null, primary key (role, conversation))`,
  `create index role_chat_conversation on dale.role_chat (conversation)`,
]

/** The first tables. */
export const first: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
