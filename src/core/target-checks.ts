import { wasShownBefore } from './armed.ts'
import { mayApprove, mayRefuse } from './authority.ts'
import { conversationKeyOf } from './conversation.ts'
import type { Via } from './decision.ts'
import { gestureOf, isGrave } from './gesture.ts'
import { mayBeAlways } from './grant.ts'
import type { InboundMessage } from './inbound.ts'
import type { Timing } from './limits.ts'
import { isAfter, secondOf } from './moment.ts'
import { isDecidable, type Proposal } from './proposal.ts'
import type { Showing, Shown, Situation } from './situation.ts'
import type { Given, Reading, Target } from './target.ts'
import type { Matched } from './vocabulary.ts'

/** A phrase as the matcher found it. */
export type Words = Extract<Matched, { kind: 'phrase' }>

/** What holds for every text that names or meets one card: read long enough, not late, strong enough. */
export function checked(event: InboundMessage, card: Shown, words: Words, via: Via, reading: Reading, timing: Timing): Target {
  const { proposal } = card
  const answered = card.showings.filter((showing) => wasShownBefore(showing, event.moment))
  // Refused by code where it was only asked for: there is no card here that could be read too fast.
  if (card.showings.length === 0 && words.verdict === 'reject')
    return { road: 'decide', proposal, given: { verdict: words.verdict, via, phrase: words.phrase } }
  if (
    answered.length === 0 ||
    !answered.some((showing) => wasReadLongEnough(proposal, showing, event, reading.receivedAtMs, timing))
  )
    return { road: 'too_fast', proposal }
  if (words.always === true && !mayBeAlways(proposal)) return { road: 'always_not_allowed', proposal }
  if (words.verdict === 'approve') {
    if (reading.receivedAtMs - event.moment.atMs > timing.lateAfterMs) return { road: 'late', proposal }
    const more = askedBeside(proposal)
    if (more !== undefined) return more
    if (words.weight === 'ack' && proposal.reversibility !== 'reversible') return { road: 'too_weak', proposal }
  }
  if (words.verdict === 'approve' && via === 'phrase' && reading.reportsDelivery === true && !isDelivered(card, event))
    return { road: 'undelivered', proposal }
  const always = words.always === true ? { always: words.always } : {}
  return { road: 'decide', proposal, given: { verdict: words.verdict, via, phrase: words.phrase, ...always } }
}

/** Did the card get to the phone (RULES 3)? The showing that the words answer has to: the newest that may have been there when they were written. */
function isDelivered({ showings }: Shown, { moment }: InboundMessage): boolean {
  const answered = showings.findLast((showing) => !isAfter(showing.moment ?? { atMs: showing.acceptedAtMs }, moment))
  return answered?.deliveredAtMs !== undefined
}

/**
 * Is the word younger than every showing of the card that the person had before them? Then it is no approve phrase for that card: who
 * wrote it could not mean by it what it means since.
 */
export function isTooNew({ showings }: Shown, { moment }: InboundMessage, words: Words, { activeSinceMs }: Reading): boolean {
  if (words.verdict !== 'approve' || activeSinceMs === undefined) return false
  const before = showings.filter((showing) => wasShownBefore(showing, moment))
  return before.length > 0 && before.every(({ acceptedAtMs }) => acceptedAtMs <= activeSinceMs)
}

/** Whole seconds on one clock: the provider's, or ours where the card has no provider time. */
function wasReadLongEnough(
  proposal: Proposal,
  showing: Showing,
  event: InboundMessage,
  receivedAtMs: number,
  timing: Timing,
): boolean {
  const least = isGrave(proposal) ? Math.max(timing.minReviewTextMs, timing.minReviewHighPressMs) : timing.minReviewTextMs
  const read =
    showing.moment === undefined
      ? Math.floor(receivedAtMs / 1000) - Math.floor(showing.acceptedAtMs / 1000)
      : secondOf(event.moment) - secondOf(showing.moment)
  return read * 1000 >= least
}

/**
 * Why a named proposal is not simply decided: it is not theirs, or it waits for nobody any more. A refusal of an approved one still
 * counts, since it halts what has not begun (RULES 6.3).
 */
export function unlessDecidable(proposal: Proposal, given: Given, person: Situation['person']): Target | undefined {
  const may = given.verdict === 'approve' ? mayApprove(proposal, person) : mayRefuse(proposal, person)
  if (!may) return { road: 'not_yours', proposal }
  if (isDecidable(proposal)) return undefined
  return proposal.state.name === 'approved' && given.verdict === 'reject'
    ? { road: 'decide', proposal, given }
    : endsGrant(proposal, given)
      ? { road: 'end_grant', proposal }
      : { road: 'state', proposal }
}

/** Does a no to this end a standing yes: that of which it was a use, or the one that may have come of it? */
export const endsGrant = ({ under, always }: Proposal, { verdict }: Pick<Given, 'verdict'>): boolean =>
  verdict === 'reject' && (under !== undefined || always !== undefined)

/** What a yes takes beside the word or the tap (RULES 7): a value to be typed, which is asked for, or more than one person. */
export function askedBeside(proposal: Proposal): Target | undefined {
  switch (gestureOf(proposal)) {
    case 'word':
      return undefined
    case 'typed':
      return { road: 'type_it', proposal }
    case 'second':
      return { road: 'too_weak', proposal }
  }
}

/** A code counts where its card was shown, or where it was asked for: another chat's code is no such code here. */
export function knownHere({ conversation }: InboundMessage, { named }: Situation): Shown | undefined {
  if (named === undefined) return undefined
  const isAskedHere = conversationKeyOf(named.proposal.conversation) === conversationKeyOf(conversation)
  return isAskedHere || named.showings.length > 0 ? named : undefined
}
