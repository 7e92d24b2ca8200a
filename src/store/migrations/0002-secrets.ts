import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** What a channel keeps for itself: encrypted, base64 (`src/store/seal.ts`); `key_id` names the key, without telling anything of it. */
const statements = [
  `create table dale.secret (
    account text not null,
    kind text not null,
    id text not null,
    value text not null,
    key_id text not null,
    primary key (account, kind, id)
  )`,
]

/** The secrets of channels. */
export const secrets: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
