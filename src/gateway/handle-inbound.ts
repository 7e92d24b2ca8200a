import type { Conversation } from '../core/conversation.ts'
import { StoreAwayError } from '../core/errors.ts'
import type { InboxRow } from '../ports/store.ts'
import type { House } from './house.ts'
import { insist } from './insist.ts'
import { noticeDraft } from './notice.ts'
import { ring } from './ring.ts'
import { route } from './route.ts'

/** Longer than the handling of one event can take; after a crash the next process goes on where this one stopped. */
const leaseMs = 15_000

/**
 * Handles what waits in a conversation, in order, one at a time across all processes. Returns when nothing waits or another process
 * is at it. Throws only when the store is down: the event waits, and the sweep comes back to it.
 */
export async function handleInbound(house: House, conversation: Conversation): Promise<void> {
  for (;;) {
    const row = await house.store.nextInbound(conversation, house.owner, leaseMs)
    if (row === undefined) return
    await handle(house, row)
  }
}

async function handle(house: House, row: InboxRow): Promise<void> {
  try {
    await insist(() => route(house, row))
  } catch (error) {
    if (error instanceof StoreAwayError) throw error
    // A bug met this event. It must not hold up the conversation, nor vanish: it is kept, logged loudly, and the person is told.
    house.log.error({ inbox: row.id, account: row.event.conversation.account, err: error }, 'event_broken')
    house.count('broken', { what: 'inbound' })
    const text = house.texts.say(house.localeOf(row.event.conversation.account), 'notice.broken')
    await house.store.commit({
      handled: { inboxId: row.id, road: 'broken', toAgent: false, by: house.owner },
      say: [{ ...noticeDraft(row.event.conversation, 'receipt', text), once: `broken:${row.id}` }],
    })
    await ring(house, { deliveries: [row.event.conversation] })
  }
}
