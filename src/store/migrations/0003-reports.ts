import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const statements = [
  // With the id it is what a provider's report may repeat: a row is known by it although the answer to its sending was lost.
  `alter table dale.outbox add column salt text not null default left(replace(gen_random_uuid()::text, '-', ''), 16)`,
  // It waits for the person to write, not for a time.
  `alter table dale.outbox add column parked boolean not null default false`,
  `alter table dale.outbox add constraint outbox_parked_waits check (not parked or (settled_at is null and not sending))`,
  `create index outbox_parked on dale.outbox (conversation) where parked`,
  // Until then the next one waits for this one's report.
  `alter table dale.outbox add column follow_at bigint`,
  `create index outbox_followed on dale.outbox (conversation, follow_at) where follow_at is not null`,
  // A report named it while its answer was awaited: the message's id and the report's time.
  `alter table dale.outbox add column reported_as text`,
  `alter table dale.outbox add column reported_at bigint`,
  `alter table dale.sent_message add column outbox bigint`,
  `alter table dale.report add column code text`,
  `alter table dale.report add column final boolean not null default false`,
  `create index inbox_heard on dale.inbox (conversation, received_at) where kind in ('message', 'press')`,
]

/** What reports on sent messages are joined by, and what waits for one. */
export const reports: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
