import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** A question is a message: where its chat moves, and what was said after it, is known of messages already. */
const statements = [
  `alter table dale.outbox add column asked_of text`,
  `alter table dale.outbox add column question json`,
  `alter table dale.outbox add column question_over boolean not null default false`,
]

/** Questions of the runtime: to whom, what for, and whether they got their answer. */
export const questions: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
