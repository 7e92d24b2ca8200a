import { sql } from 'kysely'
import { type Conversation, conversationKeyOf, conversationOf } from '../core/conversation.ts'
import type { Lane, OutboxDraft, OutboxRow } from '../ports/store.ts'
import { asking, type Database } from './database.ts'

export interface StoredOutgoing {
  readonly id: number
  readonly conversation: string
  readonly lane: Lane
  readonly body: OutboxDraft['body']
  readonly proposal: string | null
  readonly cardRevision: number | null
  readonly once: string | null
  readonly attempts: number
  readonly mayHaveArrived: boolean
  readonly shownAs: readonly (readonly string[])[] | null
  readonly addresses: readonly string[] | null
  readonly fence: number
  readonly ref: string
  readonly reportedAs: string | null
  readonly reportedAtMs: number | null
  readonly lastInboundAtMs: number | null
}

/** Takes the next message to send in a conversation; the order is in routines/outbox.ts. One statement. */
export async function nextOutgoing(db: Database, conversation: Conversation, leaseMs: number): Promise<OutboxRow | undefined> {
  return asking('taking the next message to send', async () => {
    const { rows } = await sql<{
      readonly taken: StoredOutgoing | null
    }>`select dale.next_outgoing(${conversationKeyOf(conversation)}, ${leaseMs}) as taken`.execute(db)
    const taken = rows[0]?.taken ?? undefined
    return taken === undefined ? undefined : outboxRowOf(taken)
  })
}

/** How many cards of a proposal are still to be sent, in whatever chat. */
export function cardsWaiting(db: Database, proposalId: string): Promise<number> {
  return asking(`counting the cards of ${proposalId}`, async () => {
    const { rows } = await sql<{ readonly waiting: number }>`
      select count(*)::int as waiting from dale.outbox where proposal = ${proposalId} and kind = 'card' and settled_at is null`.execute(
      db,
    )
    return rows[0]?.waiting ?? 0
  })
}

/** How many messages about a proposal wait until their person writes. */
export function parkedOf(db: Database, proposalId: string): Promise<number> {
  return asking(`counting what is parked of ${proposalId}`, async () => {
    const { rows } = await sql<{ readonly parked: number }>`
      select count(*)::int as parked from dale.outbox where parked and proposal = ${proposalId}`.execute(db)
    return rows[0]?.parked ?? 0
  })
}

/** A message as the routines take it. */
export const outboxRowOf = (stored: StoredOutgoing): OutboxRow => ({
  id: stored.id,
  conversation: conversationOf(stored.conversation),
  lane: stored.lane,
  body: stored.body,
  ...(stored.proposal === null ? {} : { proposalId: stored.proposal }),
  ...(stored.cardRevision === null ? {} : { cardRevision: stored.cardRevision }),
  ...(stored.once === null ? {} : { once: stored.once }),
  attempts: stored.attempts,
  mayHaveArrived: stored.mayHaveArrived,
  ...(stored.shownAs === null ? {} : { shownAs: stored.shownAs }),
  ...(stored.addresses === null ? {} : { addresses: stored.addresses }),
  fence: stored.fence,
  ref: stored.ref,
  ...(stored.reportedAs === null || stored.reportedAtMs === null
    ? {}
    : { reported: { messageId: stored.reportedAs, atMs: stored.reportedAtMs } }),
  ...(stored.lastInboundAtMs === null ? {} : { lastInboundAtMs: stored.lastInboundAtMs }),
})
