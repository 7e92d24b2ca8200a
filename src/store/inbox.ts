import { sql } from 'kysely'
import { type Conversation, conversationKeyOf, conversationOf } from '../core/conversation.ts'
import type { Inbound } from '../core/inbound.ts'
import type { InboxRow } from '../ports/store.ts'
import { asking, type Database, oneRow } from './database.ts'
import { aliasRows } from './people.ts'
import { whole } from './rows.ts'

interface StoredInbound {
  readonly id: number
  readonly event: Inbound
  readonly conversation: string
  readonly receivedAtMs: number
  readonly phoneMoved?: boolean
}

// The chat may have moved since the event was stored: its row knows where the conversation is now.
const inboxRowOf = ({ id, event, conversation, receivedAtMs, phoneMoved }: StoredInbound): InboxRow => ({
  id,
  event: { ...event, conversation: conversationOf(conversation) },
  receivedAtMs,
  ...(phoneMoved === true ? { phoneMoved } : {}),
})

/** Keeps events once per (account, providerId), and answers the new ones in order. One statement. */
export function keep(db: Database, tenant: string, events: readonly Inbound[]): Promise<readonly InboxRow[]> {
  if (events.length === 0) return Promise.resolve([])
  const arrived = events.map((event, place) => {
    const moment = 'moment' in event ? event.moment : undefined
    return {
      place,
      account: event.conversation.account,
      providerId: event.providerId,
      conversation: conversationKeyOf(event.conversation),
      kind: event.kind,
      identity: 'sender' in event ? event.sender.id : undefined,
      event: JSON.stringify(event),
      momentAt: whole(moment?.atMs),
      momentOrder: moment?.order,
      ...linksIn(event),
    }
  })
  const links = arrived.some(({ ids, peer, from_id }) => ids !== undefined || peer !== undefined || from_id !== undefined)
  return asking('keeping inbound events', async () => {
    const row = await oneRow(
      db,
      sql<{
        readonly kept: readonly StoredInbound[]
      }>`select dale.keep(${tenant}, ${JSON.stringify(arrived)}::json, ${links}) as kept`,
    )
    return row.kept.map(inboxRowOf)
  })
}

/** What an event says of people with several ids, as routines/link.ts reads it; nothing on channels where a person has one. */
function linksIn(event: Inbound) {
  const linkedAt = 'moment' in event ? whole(event.moment?.atMs) : undefined
  if (event.kind === 'readdressed') return { from_id: event.from, linkedAt }
  const { peer } = event
  const sender = 'sender' in event && event.sender.id !== peer?.id ? event.sender : undefined
  return {
    ids: sender?.also === undefined ? undefined : aliasRows([sender.id, ...sender.also]),
    peer: peer === undefined ? undefined : aliasRows([peer.id, ...(peer.also ?? [])]),
    from_id: undefined,
    linkedAt,
  }
}

/** Takes the oldest unhandled event of a conversation, unless someone holds it. One statement. */
export function nextInbound(
  db: Database,
  conversation: Conversation,
  owner: string,
  leaseMs: number,
): Promise<InboxRow | undefined> {
  return asking('taking the next inbound event', async () => {
    const { rows } = await sql<{
      readonly taken: StoredInbound | null
    }>`select dale.next_inbound(${conversationKeyOf(conversation)}, ${owner}, ${leaseMs}) as taken`.execute(db)
    const taken = rows[0]?.taken ?? undefined
    return taken === undefined ? undefined : inboxRowOf(taken)
  })
}
