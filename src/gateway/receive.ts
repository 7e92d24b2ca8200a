import { type Conversation, conversationKeyOf } from '../core/conversation.ts'
import { asHumanEvent, type HumanEvent } from '../core/human-event.ts'
import type { Inbound, InboundMessage, InboundPress, Normalized } from '../core/inbound.ts'
import type { InboxRow } from '../ports/store.ts'
import type { House } from './house.ts'
import { recordReport } from './record-report.ts'

/**
 * The door. An adapter calls it with what it has authenticated and read; when it resolves, everything is stored and the adapter may
 * acknowledge. It rejects when the store is down, and then nothing was kept. A second arrival of an event is stored no second time.
 * Reports are written down here and now. Returns the conversations where something new waits to be handled.
 */
export async function receive(house: House, account: string, events: readonly Normalized[]): Promise<readonly Conversation[]> {
  const inbound: Inbound[] = []
  for (const event of events) {
    if (event.kind === 'ignored') house.count('ignored', { account, reason: event.reason })
    else if (event.kind === 'report') inbound.push(...(await recordReport(house, event)))
    else inbound.push(event)
  }
  if (inbound.length === 0) return []
  const rows = await house.store.keep(house.tenant, inbound)
  house.count('received', { account })
  for (const { id } of rows.filter(({ phoneMoved }) => phoneMoved)) {
    house.log.warn({ inbox: id, account }, 'phone_changed_hands')
    house.count('phone_changed_hands', { account })
  }
  return distinct(rows.map(({ event }) => event.conversation))
}

/** The person's event in an inbox row. Rows exist only for what an adapter has authenticated: this is where that becomes a type. */
export function humanEventOf(row: InboxRow & { readonly event: InboundMessage | InboundPress }): HumanEvent {
  return asHumanEvent(row.event)
}

const distinct = (conversations: readonly Conversation[]): readonly Conversation[] => [
  ...new Map(conversations.map((conversation) => [conversationKeyOf(conversation), conversation])).values(),
]
