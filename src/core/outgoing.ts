import type { Card } from './card.ts'

/**
 * What Dale says, ready for any channel. `text` is the agent's and is plain: nothing in it is mark-up. `notice` is the runtime's own
 * word (receipt, outcome, hint): it is not *said*, so it disarms nothing. `question` is the runtime's and waits for an answer. A `plain`
 * card goes as text without native controls: the provider took one with controls and then failed to deliver it.
 */
export type Outgoing =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'notice'; readonly text: string; readonly code?: string }
  | { readonly kind: 'card'; readonly card: Card; readonly plain?: true }
  | { readonly kind: 'question'; readonly text: string }
  /** Several open cards, to be told apart: a text, and for each its code, summary and controls. */
  | { readonly kind: 'list'; readonly text: string; readonly cards: readonly Card[] }

/** Does this outgoing message count as *said* (RULES 3)? */
export const isSaid = (message: Outgoing): boolean => message.kind !== 'notice'
