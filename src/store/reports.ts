import { sql } from 'kysely'
import type { Showing } from '../core/situation.ts'
import { asking, type Database } from './database.ts'
import { showingJson } from './routines/json.ts'
import { type StoredShowing, showingOf } from './rows.ts'

/**
 * Records a provider's report on a message, the first of each status; returns the showing that the message belongs to. A report
 * may come before the answer to the sending was written: it is kept, and the showing finds it.
 */
export function report(
  db: Database,
  account: string,
  messageId: string,
  status: 'sent' | 'delivered' | 'read' | 'failed',
  atMs: number,
): Promise<Showing | undefined> {
  return asking('recording a report', async () => {
    await sql`insert into dale.report (account, message_id, status, at) values (${account}, ${messageId}, ${status}, ${atMs}) on conflict do nothing`.execute(
      db,
    )
    const { rows } = await sql<{ readonly stored: StoredShowing }>`
      select ${sql.raw(showingJson('s'))} as stored from dale.sent_message m join dale.showing s on s.proposal = m.proposal and s.conversation = m.conversation
      where m.account = ${account} and m.message_id = ${messageId} and m.message_id = any (s.message_ids) order by s.id desc limit 1`.execute(
      db,
    )
    return rows[0] === undefined ? undefined : showingOf(rows[0].stored)
  })
}

/** Is this provider message one that we sent? */
export function isOurs(db: Database, account: string, messageId: string): Promise<boolean> {
  return asking('looking for a message of ours', async () => {
    const row = await db
      .selectFrom('dale.sent_message')
      .where('account', '=', account)
      .where('message_id', '=', messageId)
      .select('message_id')
      .executeTakeFirst()
    return row !== undefined
  })
}
