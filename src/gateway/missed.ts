import { mayApprove } from '../core/authority.ts'
import { conversationKeyOf } from '../core/conversation.ts'
import type { HumanEvent } from '../core/human-event.ts'
import { nearMissOf } from '../core/near-miss.ts'
import type { Situation } from '../core/situation.ts'
import type { Reading, Target } from '../core/target.ts'
import type { InboxRow } from '../ports/store.ts'
import type { House } from './house.ts'

/**
 * Keeps the words of a short message that decided nothing while a card waited here for its person: what `dale vocabulary suggest` counts.
 * Before the event is marked as handled; once per message, however often it comes.
 */
export async function keepMissed(
  house: House,
  row: InboxRow,
  event: HumanEvent,
  { matched }: Reading,
  { person, open }: Situation,
  { road }: Target,
): Promise<void> {
  if (house.limits.nearMissDays === 0 || road !== 'converse' || matched !== undefined) return
  if (event.kind !== 'message' || event.body.kind !== 'text') return
  const card = open.findLast(({ proposal }) => mayApprove(proposal, person))
  if (card === undefined) return
  const { account } = event.conversation
  const miss = nearMissOf(event.body.text, house.words.of(account).vocabulary)
  if (miss === undefined) return
  await house.store.keepNearMiss({
    inboxId: row.id,
    account,
    conversation: conversationKeyOf(event.conversation),
    locale: house.localeOf(account),
    ...miss,
    person: person.id,
    proposalId: card.proposal.id,
  })
}
