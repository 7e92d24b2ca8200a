import { sql } from 'kysely'
import { type Conversation, conversationOf } from '../core/conversation.ts'
import type { Due, Store } from '../ports/store.ts'
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

/** A card is not shown a second time so soon after it was shown, only because quiet hours are about to begin. */
const restMs = 5 * 60_000

/** Cards that wait, are nearly over where they were shown, and that nobody was reminded of there. */
export function dueReminders(
  db: Database,
  { beforeMs, windows }: Parameters<Store['dueReminders']>[0],
  limit: number,
): ReturnType<Store['dueReminders']> {
  if (windows.length === 0) return Promise.resolve([])
  return asking('looking for cards to remind of', async () => {
    const { rows } = await sql<{ readonly id: string; readonly account: string }>`
      select p.id, w.account from json_to_recordset(${JSON.stringify(windows)}::json) as w (account text, "withinMs" bigint)
      join dale.proposal p on p.ended_at is null and p.state = 'pending' and p.expires_at > ${nowMs} and p.expires_at - ${nowMs} <= w."withinMs"
      where exists (select from dale.showing s where s.proposal = p.id and s.account = w.account
          and (p.expires_at - ${nowMs} <= ${beforeMs}::bigint or s.accepted_at <= ${nowMs} - ${restMs}::bigint))
        and not exists (select from dale.outbox o where o.once in ('reminder:' || p.id, 'reminder:' || p.id || ':' || w.account))
      order by p.id, w.account limit ${limit}`.execute(db)
    return rows
  })
}
