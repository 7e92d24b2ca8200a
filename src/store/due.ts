import { sql } from 'kysely'
import { conversationOf } from '../core/conversation.ts'
import type { Due } from '../ports/store.ts'
import { asking, type Database, nowMs, oneRow } from './database.ts'

type Found = { readonly [K in keyof Due]: readonly string[] }

/** What waits without anybody at it, and whose time has come: at most `limit` of each, oldest first. One statement. */
export function due(db: Database, limit: number): Promise<Due> {
  const conversations = (from: ReturnType<typeof sql>) =>
    sql`coalesce((select json_agg(conversation order by oldest) from (${from} order by oldest limit ${limit}) found), '[]'::json)`
  const ids = (where: ReturnType<typeof sql>) =>
    sql`coalesce((select json_agg(id order by id) from (select id from dale.proposal where ended_at is null and ${where} order by id limit ${limit}) found), '[]'::json)`
  return asking('looking for what is due', async () => {
    const row = await oneRow(
      db,
      sql<Found>`
      select
        ${conversations(sql`select conversation, min(id) as oldest from dale.inbox where handled_at is null group by conversation having coalesce(max(taken_until), 0) <= ${nowMs}`)} as inbound,
        ${conversations(sql`
          select conversation, min(oldest) as oldest from (
            select conversation, min(id) as oldest from dale.inbox where to_agent and turn is null group by conversation
            union all select conversation, 0 from dale.turn where ended_at is null
          ) wanted where not exists (select from dale.turn t where t.conversation = wanted.conversation and t.ended_at is null and t.taken_until > ${nowMs}) group by conversation`)} as turns,
        ${conversations(sql`
          select conversation, min(id) as oldest from dale.outbox where settled_at is null group by conversation
          having bool_or(sending or not_before <= ${nowMs}) and coalesce(max(taken_until) filter (where sending), 0) <= ${nowMs}`)} as deliveries,
        ${ids(sql`((state = 'approved' and execute_by > ${nowMs} and ready_at <= ${nowMs}) or (state = 'in_doubt' and ready_at <= ${nowMs}))`)} as executions,
        ${ids(sql`state in ('draft', 'pending', 'awaiting_second') and expires_at <= ${nowMs}`)} as overdue,
        ${ids(sql`state = 'approved' and execute_by <= ${nowMs}`)} as stale,
        ${ids(sql`state = 'executing' and lease_until <= ${nowMs}`)} as leaseless`,
    )
    const found = row
    return {
      ...found,
      inbound: found.inbound.map(conversationOf),
      turns: found.turns.map(conversationOf),
      deliveries: found.deliveries.map(conversationOf),
    }
  })
}
