import { type Conversation, conversationKeyOf } from '../core/conversation.ts'
import type { House } from './house.ts'

/** Whose bells to ring once a change is committed. */
export interface Rings {
  readonly turns?: readonly Conversation[]
  readonly deliveries?: readonly Conversation[]
  readonly executions?: readonly { readonly id: string; readonly delayMs?: number }[]
}

/** Rings after the commit, never before and never inside one. A lost bell is no loss: the sweep finds the row. */
export async function ring({ bell }: House, { turns = [], deliveries = [], executions = [] }: Rings): Promise<void> {
  await Promise.all([
    ...[...new Set(deliveries.map(conversationKeyOf))].map((key) => bell.ring('deliveries', key)),
    ...[...new Set(turns.map(conversationKeyOf))].map((key) => bell.ring('turns', key)),
    ...executions.map(({ id, delayMs }) => bell.ring('executions', id, delayMs)),
  ])
}
