import { type RawBuilder, sql } from 'kysely'
import { conversationKeyOf } from '../core/conversation.ts'
import { asking, type Database } from './database.ts'

const tables = ['inbox', 'outbox', 'proposal', 'showing', 'turn', 'role_chat', 'granted'] as const

/**
 * The new chat numbers its messages anew: a number of the old one would name another message there, and would come before or after
 * the wrong ones. What was sent stays known under the old chat alone; what was shown has no message any more; times remain.
 */
const forgotten: { readonly [T in (typeof tables)[number]]?: string } = {
  inbox: ', moment_order = null',
  outbox: ', moment_order = null',
  showing: `, moment_order = null, message_ids = '{}'`,
}

/**
 * Moves a chat's conversations, with their topics, to another chat id: what waits there, what was said and shown, and open and
 * past proposals. Repeatable: a second time finds nothing.
 */
export function moveChat(db: Database, account: string, fromChat: string, toChat: string): Promise<void> {
  if (fromChat === toChat) return Promise.resolve()
  const from = conversationKeyOf({ account, chat: fromChat })
  const to = conversationKeyOf({ account, chat: toChat })
  return asking('moving a chat', () =>
    db.transaction().execute(async (tx) => {
      await sql`insert into dale.chat_move (account, from_chat, to_chat) values (${account}, ${fromChat}, ${toChat}) on conflict do nothing`.execute(
        tx,
      )
      for (const table of tables)
        await sql`
          update ${sql.table(`dale.${table}`)} t set conversation = ${to} || substr(t.conversation, length(${from}) + 1) ${sql.raw(forgotten[table] ?? '')}
          where (t.conversation = ${from} or starts_with(t.conversation, ${`${from}/`})) ${unlessTaken(table, from, to)}`.execute(
          tx,
        )
    }),
  )
}

/** What a chat was called before, newest first: at most the ten last names. */
export function formerChats(db: Database, account: string, chat: string): Promise<readonly string[]> {
  return asking('reading what a chat was called', async () => {
    const { rows } = await sql<{ readonly from_chat: string }>`
      with recursive before (from_chat, steps) as (
        select from_chat, 1 from dale.chat_move where account = ${account} and to_chat = ${chat}
        union all
        select m.from_chat, steps + 1 from before join dale.chat_move m on m.account = ${account} and m.to_chat = before.from_chat where steps < 10
      ) select from_chat from before order by steps limit 10`.execute(db)
    return rows.map(({ from_chat }) => from_chat)
  })
}

/** Where one row per conversation is the law, a row stays behind while the new chat has one of its own: it is finished where it began. */
function unlessTaken(table: (typeof tables)[number], from: string, to: string): RawBuilder<unknown> {
  const there = sql`there.conversation = ${to} || substr(t.conversation, length(${from}) + 1)`
  switch (table) {
    case 'outbox':
      return sql`and not (t.sending and exists (select from dale.outbox there where there.sending and ${there}))`
    case 'turn':
      return sql`and not (t.ended_at is null and exists (select from dale.turn there where there.ended_at is null and ${there}))`
    case 'role_chat':
      return sql`and not exists (select from dale.role_chat there where there.role = t.role and ${there})`
    default:
      return sql``
  }
}
