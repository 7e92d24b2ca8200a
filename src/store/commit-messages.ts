import { type RawBuilder, sql } from 'kysely'
import { conversationKeyOf } from '../core/conversation.ts'
import { isSaid } from '../core/outgoing.ts'
import type { Change, Delivery, OutboxDraft, Showing } from '../ports/store.ts'
import { maybe, type Part } from './commit-part.ts'
import { nowMs } from './database.ts'

/** Puts messages in the outbox, in their order. One whose `once` is already there is left out. */
export function sayParts(messages: readonly OutboxDraft[]): readonly Part[] {
  if (messages.length === 0) return []
  const values = messages.map(({ conversation, lane, body, proposalId, cardRevision, once }, place) => {
    const kind = body.do === 'update' ? 'update' : body.message.kind
    const said = body.do === 'say' && isSaid(body.message)
    // A text column cannot hold NUL; this copy is only read for its question marks.
    const text = body.do === 'say' && body.message.kind === 'text' ? body.message.text.replaceAll('\0', '\uFFFD') : undefined
    return sql`(${place}::int, ${conversation.account}::text, ${conversationKeyOf(conversation)}::text, ${lane}::text, ${kind}::text, ${said}::boolean, ${maybe(text, 'text')}, ${JSON.stringify(body)}::json,
      ${maybe(proposalId, 'text')}, ${maybe(cardRevision, 'int')}, ${maybe(once, 'text')})`
  })
  return [
    {
      name: 'messages',
      body: sql`insert into dale.outbox (account, conversation, lane, kind, said, said_text, body, proposal, card_revision, once, written_at)
        select v.account, v.conversation, v.lane, v.kind, v.said, v.said_text, v.body, v.proposal, v.card_revision, v.once, ${nowMs}
        from won, (values ${sql.join(values)}) v (place, account, conversation, lane, kind, said, said_text, body, proposal, card_revision, once) order by v.place
        on conflict (once) do nothing`,
    },
  ]
}

/** Settles a taken message under its fence, and remembers the provider's ids for it. */
export function deliveredParts(delivered: Change['delivered']): readonly Part[] {
  if (delivered === undefined) return []
  const { id, fence, delivery } = delivered
  const settled: Part = {
    name: `delivery ${id}`,
    lost: 'fence',
    body: sql`update dale.outbox o set sending = false, taken_until = null, ${settlementOf(delivery)}
      from won where o.id = ${id} and o.fence = ${fence} and o.sending returning o.id`,
  }
  if (delivery.kind !== 'accepted') return [settled]
  return [
    settled,
    {
      name: `ids of ${id}`,
      body: sql`insert into dale.sent_message (account, conversation, message_id, proposal)
        select o.account, o.conversation, m.id, case when o.kind = 'card' then o.proposal end
        from won, dale.outbox o, unnest(${sql.val([...delivery.messageIds])}::text[]) m (id) where o.id = ${id}
        on conflict do nothing`,
    },
  ]
}

function settlementOf(delivery: Delivery): RawBuilder<unknown> {
  switch (delivery.kind) {
    case 'accepted':
      return sql`settled_at = ${nowMs}, outcome = 'accepted', moment_at = ${maybe(delivery.moment?.atMs, 'bigint')}, moment_order = ${maybe(delivery.moment?.order, 'bigint')}`
    case 'refused':
      return sql`settled_at = ${nowMs}, outcome = 'refused', refusal = ${delivery.code}`
    case 'again':
      // What certainly did not arrive was not said; it is said again from its next sending on.
      return sql`not_before = ${delivery.notBeforeMs}, refusal = ${delivery.code}, may_have_arrived = o.may_have_arrived or ${delivery.mayHaveArrived},
        begun_at = case when o.may_have_arrived or ${delivery.mayHaveArrived} then o.begun_at end`
  }
}

/** Keeps an accepted showing; its messages name the proposal from now on. */
export function showingParts(showing: Showing | undefined): readonly Part[] {
  if (showing === undefined) return []
  const { proposalId, conversation, messageIds, moment } = showing
  const key = conversationKeyOf(conversation)
  return [
    {
      name: `showing of ${proposalId}`,
      body: sql`insert into dale.showing (proposal, card_revision, account, conversation, message_ids, accepted_at, moment_at, moment_order, waits)
        select p.id, ${showing.cardRevision}::int, ${conversation.account}, ${key}, ${sql.val([...messageIds])}::text[], ${showing.acceptedAtMs}::bigint,
          ${maybe(moment?.atMs, 'bigint')}, ${maybe(moment?.order, 'bigint')}, p.conversation <> ${key} and p.state in ('draft', 'pending', 'awaiting_second')
        from won, dale.proposal p where p.id = ${proposalId}`,
    },
    {
      name: `ids of showing of ${proposalId}`,
      body: sql`insert into dale.sent_message (account, conversation, message_id, proposal)
        select ${conversation.account}, ${key}, m.id, ${proposalId} from won, unnest(${sql.val([...messageIds])}::text[]) m (id)
        on conflict do nothing`,
    },
  ]
}
