import { sql } from 'kysely'
import { type Conversation, conversationKeyOf, conversationOf } from '../core/conversation.ts'
import type { Lane, OutboxDraft, OutboxRow } from '../ports/store.ts'
import { asking, constraintOf, type Database, nowMs } from './database.ts'

interface StoredOutgoing {
  readonly id: number
  readonly conversation: string
  readonly lane: Lane
  readonly body: OutboxDraft['body']
  readonly proposal: string | null
  readonly card_revision: number | null
  readonly once: string | null
  readonly attempts: number
  readonly may_have_arrived: boolean
  readonly fence: number
}

/**
 * Takes the next message of a conversation and marks that its sending begins. In order of writing, but a receipt or outcome may
 * overtake chatter, waiting or not; nothing overtakes a card. A message whose sender vanished comes first. A card whose proposal
 * no longer waits, or that a newer card replaced, is refused here instead of sent. One statement.
 */
export async function nextOutgoing(db: Database, conversation: Conversation, leaseMs: number): Promise<OutboxRow | undefined> {
  const key = conversationKeyOf(conversation)
  return asking('taking the next message to send', async () => {
    try {
      const { rows } = await sql<StoredOutgoing>`
        with waiting as (
          select o.id, o.lane, o.not_before, o.sending, o.sending and o.taken_until > ${nowMs} as held,
            o.kind = 'card' and p.id is not null and (p.state not in ('draft', 'pending', 'awaiting_second') or o.card_revision < p.card_revision) as moot
          from dale.outbox o left join dale.proposal p on p.id = o.proposal
          where o.conversation = ${key} and o.settled_at is null
        ),
        dropped as (
          update dale.outbox o set settled_at = ${nowMs}, outcome = 'refused', refusal = 'card_over', sending = false, taken_until = null
          from waiting w where o.id = w.id and w.moot and not w.held and o.settled_at is null and (not o.sending or o.taken_until <= ${nowMs})
        ),
        queue as (
          select w.*, w.lane in ('receipt', 'outcome') as hurries, bool_or(w.held) over () as busy, bool_or(w.sending) over () as vanished,
            row_number() over (order by w.id) = 1 as first,
            coalesce(bool_and(w.lane = 'chatter') over (order by w.id rows between unbounded preceding and 1 preceding), true) as behind_chatter
          from waiting w where w.held or not w.moot
        ),
        next as (
          select id from queue where not busy
            and case when vanished then sending else not_before <= ${nowMs} and (first or (hurries and behind_chatter)) end
          order by hurries desc, id limit 1
        )
        update dale.outbox o set sending = true, taken_until = ${nowMs} + ${leaseMs}::bigint, fence = o.fence + 1, attempts = o.attempts + 1,
          begun_at = ${nowMs}, may_have_arrived = o.may_have_arrived or o.sending
        from next where o.id = next.id and o.settled_at is null and (not o.sending or o.taken_until <= ${nowMs})
        returning o.id, o.conversation, o.lane, o.body, o.proposal, o.card_revision, o.once, o.attempts - 1 as attempts, o.may_have_arrived, o.fence`.execute(db)
      return rows[0] === undefined ? undefined : outboxRowOf(rows[0])
    } catch (error) {
      // Another one has just begun to send here.
      if (constraintOf(error) === 'outbox_sending') return undefined
      throw error
    }
  })
}

const outboxRowOf = (stored: StoredOutgoing): OutboxRow => ({
  id: stored.id,
  conversation: conversationOf(stored.conversation),
  lane: stored.lane,
  body: stored.body,
  ...(stored.proposal === null ? {} : { proposalId: stored.proposal }),
  ...(stored.card_revision === null ? {} : { cardRevision: stored.card_revision }),
  ...(stored.once === null ? {} : { once: stored.once }),
  attempts: stored.attempts,
  mayHaveArrived: stored.may_have_arrived,
  fence: stored.fence,
})
