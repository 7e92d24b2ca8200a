import type { Conversation } from '../core/conversation.ts'
import type { Asks } from '../core/question.ts'
import type { OutboxDraft } from '../ports/store.ts'

/** A question of the runtime to one person: it is *said*, and the next text of theirs answers it unless something else was said before. */
export const questionDraft = (
  conversation: Conversation,
  text: string,
  person: string,
  proposalId: string,
  asks: Asks,
): OutboxDraft => ({
  conversation,
  lane: 'chatter',
  body: { do: 'say', message: { kind: 'question', text } },
  proposalId,
  asks: { person, asks },
})
