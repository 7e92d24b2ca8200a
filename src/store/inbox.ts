import { sql } from 'kysely'
import { type Conversation, conversationKeyOf, conversationOf } from '../core/conversation.ts'
import type { Inbound } from '../core/inbound.ts'
import type { InboxRow } from '../ports/store.ts'
import { asking, type Database, nowMs } from './database.ts'

interface StoredInbound {
  readonly id: number
  readonly event: Inbound
  readonly conversation: string
  readonly receivedAtMs: number
}

// The chat may have moved since the event was stored: its row knows where the conversation is now.
const inboxRowOf = ({ id, event, conversation, receivedAtMs }: StoredInbound): InboxRow => ({
  id,
  event: { ...event, conversation: conversationOf(conversation) },
  receivedAtMs,
})

/** Keeps events once per (account, providerId), and answers the new ones in order. One statement. */
export function keep(db: Database, tenant: string, events: readonly Inbound[]): Promise<readonly InboxRow[]> {
  if (events.length === 0) return Promise.resolve([])
  const values = events.map((event, place) => {
    const moment = 'moment' in event ? event.moment : undefined
    return sql`(${place}::int, ${event.conversation.account}::text, ${event.providerId}::text, ${conversationKeyOf(event.conversation)}::text, ${event.kind}::text, ${'sender' in event ? event.sender.id : null}::text, ${JSON.stringify(event)}::json, ${moment?.atMs ?? null}::bigint, ${moment?.order ?? null}::bigint)`
  })
  return asking('keeping inbound events', async () => {
    // Ids must rise in the order of commits within a conversation, or a taker could miss an older event that becomes visible
    // later: so each conversation's lock is held from before its ids are drawn until the commit. In order, against deadlock.
    const { rows } = await sql<StoredInbound>`
      with arrived (place, account, provider_id, conversation, kind, identity, event, moment_at, moment_order) as (values ${sql.join(values)}),
      locked as materialized (
        select pg_advisory_xact_lock(key) from (select distinct hashtextextended('inbox:' || conversation, 0) as key from arrived order by key) keys
      ),
      gate as materialized (select count(*) as locks from locked)
      insert into dale.inbox (tenant, account, provider_id, conversation, kind, identity, event, moment_at, moment_order, received_at)
      select ${tenant}, account, provider_id, conversation, kind, identity, event, moment_at, moment_order, ${nowMs}
      from (select arrived.* from gate, arrived where gate.locks > 0 order by place) ordered
      on conflict (account, provider_id) do nothing
      returning id, event, conversation, received_at as "receivedAtMs"`.execute(db)
    return rows.map(inboxRowOf).sort((a, b) => a.id - b.id)
  })
}

/** Takes the oldest unhandled event of a conversation, unless someone holds it. One statement. */
export function nextInbound(db: Database, conversation: Conversation, owner: string, leaseMs: number): Promise<InboxRow | undefined> {
  return asking('taking the next inbound event', async () => {
    // The inner lock waits for whoever is just taking or handling that row, and looks at it again afterwards; only the oldest
    // row can ever be taken, so a conversation has one taker.
    const { rows } = await sql<StoredInbound>`
      update dale.inbox set taken_by = ${owner}, taken_until = ${nowMs} + ${leaseMs}::bigint
      where id = (select id from dale.inbox where conversation = ${conversationKeyOf(conversation)} and handled_at is null order by id limit 1 for update)
        and handled_at is null and (taken_until is null or taken_until <= ${nowMs})
      returning id, event, conversation, received_at as "receivedAtMs"`.execute(db)
    return rows[0] === undefined ? undefined : inboxRowOf(rows[0])
  })
}
