import { sql } from 'kysely'
import { type Conversation, conversationKeyOf, conversationOf } from '../core/conversation.ts'
import type { Store } from '../ports/store.ts'
import { asking, type Database, oneRow } from './database.ts'

const nextAfter = (last: string) =>
  sql.raw(
    `(select i.conversation from dale.inbox i where i.to_agent and i.conversation > ${last} order by i.conversation limit 1)`,
  )

/** Chats where somebody wrote to the agent, a page at a time: from one key to the next by the index, however many messages there are. */
export const conversations = (
  db: Database,
  { limit, after }: Parameters<Store['conversations']>[0],
): Promise<readonly Conversation[]> =>
  asking('listing conversations', async () => {
    const from = after === undefined ? '' : conversationKeyOf(after)
    const { rows } = await sql<{ readonly key: string }>`
      with recursive chat (key, place) as (
        select ${nextAfter('asked.last')}, 1 from (values (${from}::text)) asked (last)
        union all select ${nextAfter('chat.key')}, chat.place + 1 from chat where chat.key is not null and chat.place < ${limit})
      select key from chat where key is not null order by place`.execute(db)
    return rows.map(({ key }) => conversationOf(key))
  })

/** Did this person write to the agent there, under whatever name? */
export const hasWritten = (db: Database, conversation: Conversation, person: string): Promise<boolean> =>
  asking('looking for a conversation', async () => {
    const { there } = await oneRow(
      db,
      sql<{ readonly there: boolean }>`
      select exists (select from dale.inbox i where i.to_agent and i.conversation = ${conversationKeyOf(conversation)}
        and i.person = any (dale.names_of(${person}))) as there`,
    )
    return there
  })
