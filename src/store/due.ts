import { sql } from 'kysely'
import { type Conversation, conversationOf } from '../core/conversation.ts'
import type { Due } from '../ports/store.ts'
import { asking, type Database, nowMs, oneRow } from './database.ts'
import { toBeSent } from './routines/due.ts'

type Found = { readonly [K in keyof Due]: readonly string[] }

/** What waits without anybody at it, and whose time has come; what it looks for is in routines/due.ts. One statement. */
export function due(db: Database, limit: number): Promise<Due> {
  return asking('looking for what is due', async () => {
    const { found } = await oneRow(db, sql<{ readonly found: Found }>`select dale.due(${limit}) as found`)
    return {
      ...found,
      inbound: found.inbound.map(conversationOf),
      turns: found.turns.map(conversationOf),
      deliveries: found.deliveries.map(conversationOf),
    }
  })
}

/** The conversations of one account where something is to be sent now and nobody sends. */
export function dueDeliveries(db: Database, account: string, limit: number): Promise<readonly Conversation[]> {
  return asking(`looking for what ${account} is to send`, async () => {
    const { rows } = await sql<{ readonly conversation: string }>`
      select conversation from dale.outbox where settled_at is null and account = ${account} group by conversation
      ${sql.raw(toBeSent('dale.now_ms()'))} order by min(id) limit ${limit}`.execute(db)
    return rows.map(({ conversation }) => conversationOf(conversation))
  })
}

/** Cards that wait, are nearly over, and that nobody was reminded of. */
export function dueReminders(db: Database, beforeMs: number, limit: number): Promise<readonly string[]> {
  return asking('looking for cards to remind of', async () => {
    const { rows } = await sql<{ readonly id: string }>`
      select p.id from dale.proposal p where p.ended_at is null and p.state = 'pending' and p.expires_at > ${nowMs}
        and p.expires_at - ${nowMs} <= ${beforeMs}::bigint and not exists (select from dale.outbox o where o.once = 'reminder:' || p.id)
      order by p.id limit ${limit}`.execute(db)
    return rows.map(({ id }) => id)
  })
}
