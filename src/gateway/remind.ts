import { conversationKeyOf } from '../core/conversation.ts'
import { showingDraft, surfacesOf } from './cards.ts'
import type { House } from './house.ts'
import { ring } from './ring.ts'

/**
 * Shows a card that waits once more before its time is over, wherever it stands in one account: a reminder is a showing (RULES 3), so a
 * word that answers it decides. Once per card and chat, whoever else may try; one that waits no more is left alone.
 */
export async function remind(house: House, id: string, account: string): Promise<void> {
  const read = await house.store.proposal(id)
  if (read?.proposal.state.name !== 'pending') return
  const { proposal, nowMs } = read
  const surfaces = surfacesOf(await house.store.showings(id)).filter((surface) => surface.account === account)
  await house.store.commit({
    say: surfaces.map((conversation, place) => ({
      ...showingDraft(house, proposal, conversation, nowMs, [{ kind: 'reminder' }]),
      // The first is the mark that the sweep looks for.
      once: `reminder:${id}:${place === 0 ? account : conversationKeyOf(conversation)}`,
    })),
  })
  await ring(house, { deliveries: surfaces })
}
