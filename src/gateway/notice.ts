import type { Conversation } from '../core/conversation.ts'
import type { Proposal } from '../core/proposal.ts'
import type { Lane, OutboxDraft } from '../ports/store.ts'

/** A notice to be sent: the runtime's own word, which is not *said* and disarms nothing. About a proposal, it carries that one's code. */
export const noticeDraft = (conversation: Conversation, lane: Lane, text: string, proposal?: Proposal): OutboxDraft => ({
  conversation,
  lane,
  body: { do: 'say', message: { kind: 'notice', text, ...(proposal === undefined ? {} : { code: proposal.code }) } },
  ...(proposal === undefined ? {} : { proposalId: proposal.id }),
})
