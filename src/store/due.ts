import { sql } from 'kysely'
import { conversationOf } from '../core/conversation.ts'
import type { Due } from '../ports/store.ts'
import { asking, type Database, oneRow } from './database.ts'

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
