import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const statements = [
  // A person whom a channel knows by several ids. The name is the first of them, or that with a number where a name was given before:
  // it is never given twice, and it is looked up as no id. `chat` names the one-to-one chat, `key` is it as it stands in conversations.
  `create table dale.contact (
    name text primary key,
    chat text not null,
    key text not null,
    since bigint not null,
    merged_into text references dale.contact
  )`,
  `create index contact_merged on dale.contact (merged_into) where merged_into is not null`,
  // Whose an id is by the provider's last word.
  `create table dale.alias (
    identity text primary key,
    scheme text not null check (scheme in ('phone', 'lid', 'bsuid', 'other')),
    contact text not null references dale.contact,
    chat text not null,
    key text not null,
    since bigint not null,
    place bigint generated always as identity
  )`,
  `create index alias_contact on dale.alias (contact)`,
  `create unique index alias_one_of_a_scheme on dale.alias (contact, scheme) where scheme in ('lid', 'bsuid')`,
  // Whose it was until then, and why it is no more.
  `create table dale.alias_moved (
    id bigint generated always as identity primary key,
    identity text not null,
    scheme text not null,
    contact text not null references dale.contact,
    until bigint not null,
    why text not null check (why in ('changed_hands', 'replaced', 'readdressed')),
    now_of text references dale.contact
  )`,
  `create index alias_moved_contact on dale.alias_moved (contact)`,
  `create index alias_moved_identity on dale.alias_moved (identity, until)`,
  // The one-to-one chats with contacts; where two contacts became one, the newer's chats went into the older's.
  `create table dale.contact_chat (
    conversation text primary key,
    account text not null,
    contact text not null references dale.contact,
    moved_to text
  )`,
  `create index contact_chat_contact on dale.contact_chat (contact)`,
  // Which contact a configured id means, from when its holder first wrote: who has the number later is not the person of the configuration.
  `alter table dale.identity add column scheme text not null default 'other'`,
  `alter table dale.identity add column contact text references dale.contact`,
  `alter table dale.identity add column suspended boolean not null default false`,
  `create index identity_contact on dale.identity (contact) where contact is not null`,
]

/** People with several ids, and which of them are whose. */
export const contacts: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
