import { conversationKeyOf } from '../core/conversation.ts'
import type { Situation } from '../core/situation.ts'
import type { Reading, Target } from '../core/target.ts'
import type { InboxRow } from '../ports/store.ts'
import type { House } from './house.ts'

/** An event as it was read, what it was judged by, and the road it takes. */
export interface Judged {
  readonly reading: Reading
  readonly situation: Situation
  readonly target: Target
}

/**
 * Judges an event. Where all that a bare approval lacks is the report that its card was delivered, it is judged again as reports come, until
 * five seconds after it was received (RULES 3); then as it is. What else waits in the conversation waits with it, in its order.
 */
export async function untilDelivered(house: House, row: InboxRow, judge: () => Promise<Judged>): Promise<Judged> {
  const { withinMs } = house.reports
  const began = performance.now()
  for (;;) {
    const judged = await judge()
    const leftMs = Math.min(row.receivedAtMs + withinMs - judged.situation.nowMs, began + withinMs - performance.now())
    if (judged.target.road !== 'undelivered' || leftMs <= 0) return judged
    await house.reports.next(conversationKeyOf(row.event.conversation), leftMs)
  }
}
