import { sql } from 'kysely'
import { type Conversation, conversationKeyOf } from '../core/conversation.ts'
import type { InboundMessage } from '../core/inbound.ts'
import type { TurnRow } from '../ports/store.ts'
import { asking, type Database, nowMs } from './database.ts'
import { proposalOf, type StoredProposal } from './rows.ts'

interface StoredTurn {
  readonly id: string
  readonly fence: number
  readonly attempts: number
  readonly person: string
  readonly formerly: readonly string[]
  readonly since: number | null
  readonly resumed: StoredProposal | null
  readonly now: number
  readonly messages: readonly { readonly event: InboundMessage; readonly receivedAt: number }[]
  readonly proposals: readonly StoredProposal[]
}

/** Takes the conversation's turn; what it does is in routines/turns.ts. One statement. */
export function nextTurn(db: Database, conversation: Conversation, leaseMs: number, newId: string): Promise<TurnRow | undefined> {
  return asking('taking the next turn', async () => {
    const { rows } = await sql<{
      readonly turn: StoredTurn | null
    }>`select dale.next_turn(${conversationKeyOf(conversation)}, ${leaseMs}, ${newId}) as turn`.execute(db)
    const turn = rows[0]?.turn ?? undefined
    if (turn === undefined) return undefined
    return {
      id: turn.id,
      fence: turn.fence,
      attempts: turn.attempts,
      conversation,
      person: turn.person,
      formerly: turn.formerly,
      messages: turn.messages.map(({ event, receivedAt }) => ({ message: { ...event, conversation }, receivedAtMs: receivedAt })),
      proposals: turn.proposals.map(proposalOf),
      ...(turn.since === null ? {} : { sinceMs: turn.since }),
      ...(turn.resumed === null ? {} : { resumed: proposalOf(turn.resumed) }),
      nowMs: turn.now,
    }
  })
}

/** Keeps a turn while it runs; false when its fence was lost. */
export function extendTurn(db: Database, id: string, fence: number, leaseMs: number): Promise<boolean> {
  return asking(`extending turn ${id}`, async () => {
    const { rows } = await sql`
      update dale.turn set taken_until = ${nowMs} + ${leaseMs}::bigint where id = ${id} and fence = ${fence} and ended_at is null returning id`.execute(
      db,
    )
    return rows.length > 0
  })
}
