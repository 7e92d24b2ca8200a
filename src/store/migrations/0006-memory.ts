import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const statements = [
  // What an agent keeps in short of a conversation, in place of everything said there until `until`.
  `create table dale.memory (
    conversation text primary key,
    summary text not null,
    until bigint not null,
    written_at bigint not null
  )`,
  `create index inbox_answered on dale.inbox (conversation, received_at) where to_agent`,
]

export const memory: Migration = {
  up: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
