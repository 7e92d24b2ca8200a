import { type Conversation, conversationKeyOf } from '../core/conversation.ts'
import type { Room } from '../ports/bell.ts'
import type { House } from './house.ts'

/** Whose bells to ring once a change is committed. */
export interface Rings {
  readonly turns?: readonly Conversation[]
  readonly deliveries?: readonly Conversation[]
  /** After how long those of the deliveries ring; at once unless told. */
  readonly deliverInMs?: number
  /** Something may be due for hooks. */
  readonly hooks?: boolean
  readonly executions?: readonly { readonly id: string; readonly delayMs?: number }[]
}

/**
 * Rings after the commit, never before and never inside one. A lost bell is no loss: the sweep, or who holds the account's line, finds the
 * row. Sendings of an account with a line are rung in its own room, which only its holder works.
 */
export async function ring(
  { bell, channels }: Pick<House, 'bell' | 'channels'>,
  { turns = [], deliveries = [], deliverInMs, executions = [], hooks = false }: Rings,
): Promise<void> {
  const roomOf = ({ account }: Conversation): Room =>
    channels.get(account)?.line === undefined ? 'deliveries' : `deliveries:${account}`
  const sendings = new Map(deliveries.map((conversation) => [conversationKeyOf(conversation), roomOf(conversation)]))
  await Promise.all([
    ...[...sendings].map(([key, room]) => bell.ring(room, key, deliverInMs)),
    ...[...new Set(turns.map(conversationKeyOf))].map((key) => bell.ring('turns', key)),
    ...(hooks ? [bell.ring('hooks', 'due')] : []),
    ...executions.map(({ id, delayMs }) => bell.ring('executions', id, delayMs)),
  ])
}
