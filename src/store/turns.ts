import { sql } from 'kysely'
import { type Conversation, conversationKeyOf, conversationOf } from '../core/conversation.ts'
import type { InboundMessage } from '../core/inbound.ts'
import type { PushedTurn, TurnRow } from '../ports/store.ts'
import { asking, type Database, nowMs, oneRow } from './database.ts'
import { proposalOf, type StoredProposal } from './rows.ts'

interface StoredTurn {
  readonly id: string
  readonly conversation: string
  readonly began: number
  readonly proposed: boolean
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
    return turnRowOf(turn)
  })
}

/** A turn, running or over, for a delivery of its agent. */
export function turn(db: Database, id: string, pushId: string): Promise<PushedTurn | undefined> {
  return asking(`reading turn ${id}`, async () => {
    const { stored, pushed } = await oneRow(
      db,
      sql<{ readonly stored: StoredTurn | null; readonly pushed: boolean }>`
      select dale.turn_told(${id}, ${nowMs}) as stored, exists (select from dale.push where turn = ${id} and id = ${pushId}) as pushed`,
    )
    if (stored === null) return undefined
    return { ...turnRowOf(stored), beganAtMs: stored.began, isPushed: pushed, hasProposed: stored.proposed }
  })
}

function turnRowOf(turn: StoredTurn): TurnRow {
  const conversation = conversationOf(turn.conversation)
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
