import type { InboundMessage } from './inbound.ts'
import { isAfter, type Moment, secondOf } from './moment.ts'
import type { Said, Showing, Shown, Situation } from './situation.ts'

/** Had this thing been said when the person wrote? While its sending is under way it counts from its beginning; a tie counts. */
const wasSaidBefore = (said: Said, written: Moment): boolean =>
  said.moment === undefined ? Math.floor(said.begunAtMs / 1000) <= secondOf(written) : !isAfter(said.moment, written)

const isShowingOf = ({ what }: Said, { proposal }: Shown): boolean =>
  what.kind === 'card' && what.proposalId === proposal.id && what.cardRevision === proposal.cardRevision

/** Was the showing accepted before the person wrote, by the provider's clock? */
export const wasShownBefore = (showing: Showing, written: Moment): boolean =>
  isAfter(written, showing.moment ?? { atMs: showing.acceptedAtMs })

/** The last thing said in the conversation when the person wrote, if anything was. */
export const lastSaid = (situation: Situation, written: Moment): Said | undefined =>
  situation.said.find((said) => wasSaidBefore(said, written))

/**
 * Is the card armed for this message (RULES 3)? When the person wrote, the last thing said was an accepted showing of it, and the
 * person had since sent nothing that goes to the agent. A second showing of the same card under way does not disarm it.
 */
export function isArmed(card: Shown, message: InboundMessage, situation: Situation): boolean {
  const before = situation.said.filter((said) => wasSaidBefore(said, message.moment))
  const last = before.find((said) => !(isShowingOf(said, card) && said.moment === undefined))
  if (last?.moment === undefined || !isShowingOf(last, card)) return false
  const { spoke } = situation
  // A message that had reached us before the showing began was written before it, whatever the provider's seconds say.
  return spoke === undefined || spoke.receivedAtMs <= last.begunAtMs || isAfter(last.moment, spoke.moment)
}

/** Does the last thing said ask for an answer of its own, or come from someone else on the same account? Then a word answers that. */
export const asksSomethingElse = (said: Said | undefined): boolean =>
  said?.what.kind === 'outside' || (said?.what.kind === 'text' && hasQuestionMark(said.what.text))

/** An agent's text that asks: then nothing follows it by itself, and a bare word answers it. */
export const hasQuestionMark = (text: string): boolean => /[?¿]/.test(text.normalize('NFKC'))
