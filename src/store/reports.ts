import { sql } from 'kysely'
import { conversationOf } from '../core/conversation.ts'
import type { Failure, Report, Reported } from '../ports/store.ts'
import { asking, type Database, oneRow } from './database.ts'
import { outboxRowOf, type StoredOutgoing } from './outbox.ts'
import { type StoredShowing, showingOf } from './rows.ts'

type Answer =
  | {
      readonly kind: 'ours'
      readonly conversation: string
      readonly showing: StoredShowing | null
      readonly waits: boolean
      readonly failed: (Omit<Failure, 'sent'> & { readonly sent: StoredOutgoing }) | null
    }
  | { readonly kind: 'foreign' }

/** Records a provider's report on a message; what it does is in routines/report.ts. One statement. */
export function report(db: Database, { account, messageId, status, atMs, ref, code, final }: Report): Promise<Reported> {
  return asking('recording a report', async () => {
    const { answer } = await oneRow(
      db,
      sql<{
        readonly answer: Answer
      }>`select dale.report(${account}, ${messageId}, ${status}, ${Math.ceil(atMs)}, ${ref ?? null}, ${code ?? null}, ${final ?? false}) as answer`,
    )
    switch (answer.kind) {
      case 'ours':
        return {
          kind: 'ours',
          conversation: conversationOf(answer.conversation),
          waits: answer.waits,
          ...(answer.showing === null ? {} : { showing: showingOf(answer.showing) }),
          ...(answer.failed === null ? {} : { failed: { ...answer.failed, sent: outboxRowOf(answer.failed.sent) } }),
        }
      case 'foreign':
        return answer
    }
  })
}

/** The reports of failures among these messages. */
export function failedOf(db: Database, account: string, messageIds: readonly string[]): Promise<readonly Report[]> {
  return asking('looking for failed messages', async () => {
    const { rows } = await sql<{
      readonly id: string
      readonly at: number
      readonly code: string | null
    }>`select message_id as id, at, code from dale.report
      where account = ${account} and message_id = any (${[...messageIds]}::text[]) and status = 'failed'`.execute(db)
    return rows.map(({ id, at, code }) => ({
      account,
      messageId: id,
      status: 'failed',
      atMs: at,
      ...(code === null ? {} : { code }),
    }))
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
