import { hasQuestionMark } from '../core/armed.ts'
import { isSamePerson } from '../core/authority.ts'
import type { InboundMessage } from '../core/inbound.ts'
import { looksLikeAttempt, nearMissOf } from '../core/near-miss.ts'
import { isDecidable, type Proposal } from '../core/proposal.ts'
import type { OutboxDraft, TurnRow } from '../ports/store.ts'
import { showingDraft } from './cards.ts'
import type { House } from './house.ts'

/**
 * After the agent's answer to another message a card that waits follows by itself, once, unless the answer asks something; once more, with
 * the words to type on top, where the message looked like an attempt to decide.
 */
export function cardsThatFollow(house: House, turn: TurnRow, said: readonly OutboxDraft[]): readonly OutboxDraft[] {
  const texts = said.flatMap(({ body }) => (body.do === 'say' && body.message.kind === 'text' ? [body.message.text] : []))
  if (texts.length === 0 || texts.some(hasQuestionMark)) return []
  const attempted = turn.messages.some(({ message }) => isAttempt(house, message))
  const isShown = ({ id }: Proposal): boolean => said.some(({ lane, proposalId }) => lane === 'card' && proposalId === id)
  return turn.proposals
    .filter(
      (proposal) =>
        isDecidable(proposal) &&
        !isShown(proposal) &&
        isSamePerson({ id: turn.person, formerly: turn.formerly }, proposal.requester) &&
        proposal.approvers.kind === 'requester',
    )
    .map((proposal) => ({
      ...showingDraft(house, proposal, turn.conversation, turn.nowMs, attempted ? [{ kind: 'near' }] : []),
      once: `${attempted ? 'near' : 'follow'}:${proposal.id}`,
    }))
}

function isAttempt(house: House, { body, conversation }: InboundMessage): boolean {
  const miss = body.kind === 'text' ? nearMissOf(body.text, house.words.of(conversation.account).vocabulary) : undefined
  return miss !== undefined && looksLikeAttempt(miss)
}
