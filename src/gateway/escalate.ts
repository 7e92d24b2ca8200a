import { type Conversation, conversationKeyOf } from '../core/conversation.ts'
import { isDecidable, type Proposal } from '../core/proposal.ts'
import { showingDraft, surfacesOf } from './cards.ts'
import type { House } from './house.ts'
import { noticeDraft } from './notice.ts'
import { ring } from './ring.ts'

/**
 * Has a role asked beside the approvers of a card that nobody decided: its persons may decide from here on, the card is shown in its chats,
 * and whoever asked is told. Once; it decides nothing and gives no more time. One that waits no more, or was escalated by somebody
 * faster, is left alone.
 */
export async function escalate(house: House, id: string): Promise<void> {
  const read = await house.store.proposal(id)
  if (read === undefined || !isDecidable(read.proposal)) return
  const { proposal, nowMs } = read
  if (proposal.escalate === undefined || proposal.escalatedAtMs !== undefined) return
  const { to } = proposal.escalate
  const [people, chats, showings] = await Promise.all([
    house.store.peopleWith(to),
    house.store.roleChats(to),
    house.store.showings(id),
  ])
  const shownIn = chatsFor(chats, surfacesOf(showings))
  // Nobody there to ask: it is not told that somebody was.
  const isHeard = people.length > 0 && chats.length > 0
  if (!isHeard) house.log.warn({ proposal: id, role: to }, 'escalated_to_nobody')
  const escalated: Proposal = { ...proposal, escalatedAtMs: nowMs }
  const committed = await house.store.commit({
    escalate: id,
    say: isHeard
      ? [
          ...shownIn.map((chat) => showingDraft(house, escalated, chat, nowMs, [{ kind: 'escalated' }])),
          noticeDraft(
            proposal.conversation,
            'chatter',
            house.texts.say(proposal.locale, 'notice.escalated', { code: proposal.code }),
            proposal,
          ),
        ]
      : [],
  })
  if (committed.kind !== 'committed') return
  house.count('escalated', { action: proposal.action })
  house.log.info({ proposal: id, role: to }, 'escalated')
  await ring(house, { deliveries: [...shownIn, proposal.conversation] })
}

/** Where the card does not stand yet. */
function chatsFor(chats: readonly Conversation[], surfaces: readonly Conversation[]): readonly Conversation[] {
  const shown = new Set(surfaces.map(conversationKeyOf))
  return chats.filter((chat) => !shown.has(conversationKeyOf(chat)))
}
