import { asksSomethingElse, isArmed, lastSaid, wasShownBefore } from './armed.ts'
import { mayApprove, mayRefuse } from './authority.ts'
import { conversationKeyOf } from './conversation.ts'
import type { Via } from './decision.ts'
import type { HumanEvent } from './human-event.ts'
import type { InboundMessage, InboundPress } from './inbound.ts'
import { secondOf } from './moment.ts'
import { isDecidable, type Proposal } from './proposal.ts'
import type { Showing, Shown, Situation } from './situation.ts'
import type { Press } from './press.ts'
import type { Matched, Verdict } from './vocabulary.ts'

/** How long things take to be read, how late is too late (RULES 3). Milliseconds. */
export interface Timing {
  readonly minReviewTextMs: number
  readonly minReviewPressMs: number
  readonly minReviewHighPressMs: number
  readonly lateAfterMs: number
  /** With `keep` a bare phrase stays good whatever else its person writes; of reversible actions alone. */
  readonly onOtherMessage?: 'disarm' | 'discard' | 'keep'
}

/** How a verdict was given, for the decision's record. */
export interface Given {
  readonly verdict: Verdict
  readonly via: Via
  readonly phrase?: string
}

/**
 * Every road that a message or press can take, by name. Logs, metrics and tests use these names. Only `decide` can change a
 * proposal's state; only `converse` and an `attempt` that goes to the agent reach one.
 */
export type Target =
  | { readonly road: 'decide'; readonly proposal: Proposal; readonly given: Given }
  /** The card again, headed "nothing has been done yet". */
  | { readonly road: 'show_again'; readonly proposal: Proposal }
  /** Delivered too long after it was written: the card again. */
  | { readonly road: 'late'; readonly proposal: Proposal }
  | { readonly road: 'too_fast'; readonly proposal: Proposal }
  /** An approval weaker than the action asks for: say what is still asked. */
  | { readonly road: 'too_weak'; readonly proposal: Proposal }
  /** Bare words do not help here: name press, reply and code. */
  | { readonly road: 'name_it'; readonly proposals: readonly Proposal[] }
  | { readonly road: 'which'; readonly proposals: readonly Proposal[] }
  /** What became of it; nothing is decided. `stray`: the phrase named nothing, and gets this once. */
  | { readonly road: 'state'; readonly proposal: Proposal; readonly stray?: true }
  /** A code alone, or one that asks to see the card. */
  | { readonly road: 'show_card'; readonly proposal: Proposal }
  | { readonly road: 'no_such'; readonly code?: string }
  | { readonly road: 'not_yours'; readonly proposal: Proposal }
  | { readonly road: 'old_card'; readonly proposal: Proposal }
  /** The reply and the code name different cards, or "always" where it is not allowed. */
  | { readonly road: 'contradiction'; readonly proposal: Proposal }
  | { readonly road: 'always_not_allowed'; readonly proposal: Proposal }
  /** It cannot decide, by its kind: the words to type are told, and it goes on to the agent or nowhere. */
  | { readonly road: 'attempt'; readonly proposal: Proposal; readonly toAgent: boolean }
  | { readonly road: 'converse' }
  | { readonly road: 'ignore'; readonly reason: string }


/** What the adapter's raw event says once the pure readers have been over it. */
export interface Reading {
  readonly event: HumanEvent
  readonly receivedAtMs: number
  /** What the words say, if they are a phrase. Absent for everything that is not plain text. */
  readonly matched?: Matched
  /** What a press carries, if it is one of ours and unforged. */
  readonly press?: Press
}

/** Judges one event of a person: which road it takes. Pure. The time is in the situation and in the reading. */
export function targetOf(reading: Reading, situation: Situation, timing: Timing): Target {
  return reading.event.kind === 'press'
    ? targetOfPress(reading.event, reading, situation, timing)
    : targetOfMessage(reading.event, reading, situation, timing)
}

function targetOfPress(event: InboundPress, { press, receivedAtMs }: Reading, { named, person }: Situation, timing: Timing): Target {
  if (press === undefined || press.verdict === 'edit') return { road: 'no_such' }
  if (named === undefined) return { road: 'no_such' }
  const { proposal } = named
  const given: Given = { verdict: press.verdict, via: 'press' }
  const settledEarly = unlessDecidable(proposal, given, person)
  if (settledEarly !== undefined) return settledEarly
  if (press.cardRevision !== proposal.cardRevision) return { road: 'old_card', proposal }
  if (asksForMore(proposal, press.verdict)) return { road: 'too_weak', proposal }
  const tapped = named.showings.find(({ messageIds }) => event.messageId !== undefined && messageIds.includes(event.messageId)) ?? named.showings.at(-1)
  const minReviewMs = proposal.reversibility === 'irreversible' ? timing.minReviewHighPressMs : timing.minReviewPressMs
  if (tapped !== undefined && receivedAtMs - tapped.acceptedAtMs < minReviewMs) return { road: 'too_fast', proposal }
  return { road: 'decide', proposal, given }
}

function targetOfMessage(event: InboundMessage, reading: Reading, situation: Situation, timing: Timing): Target {
  if (event.body.kind === 'other') return targetOfOther(event, reading, situation)
  const { matched } = reading
  if (matched === undefined) return addressedOr(event, { road: 'converse' })
  if (matched.kind === 'code') return targetOfCode(event, matched.code, situation)
  if (event.reply.kind === 'message') return targetOfReply(event, matched, reading, situation, timing)
  if (event.reply.kind === 'elsewhere') return addressedOr(event, { road: 'converse' })
  if (matched.code !== undefined) return targetOfCoded(event, { ...matched, code: matched.code }, reading, situation, timing)
  return targetOfBare(event, matched, reading, situation, timing)
}

type Words = Extract<Matched, { kind: 'phrase' }>

/** `#K7Q2` alone shows that card again. */
function targetOfCode(event: InboundMessage, code: string, situation: Situation): Target {
  const named = knownHere(event, situation)
  if (named === undefined) return { road: 'no_such', code }
  if (!mayRefuse(named.proposal, situation.person)) return { road: 'not_yours', proposal: named.proposal }
  // Where it was only asked for, its card was never shown and is not for this chat to see.
  return { road: isDecidable(named.proposal) && named.showings.length > 0 ? 'show_card' : 'state', proposal: named.proposal }
}

function targetOfCoded(event: InboundMessage, words: Words & { readonly code: string }, reading: Reading, situation: Situation, timing: Timing): Target {
  const named = knownHere(event, situation)
  if (named === undefined) return { road: 'no_such', code: words.code }
  return targetOfNamed(event, named, words, 'code', reading, situation, timing)
}

/** A reply to a card names it; a reply to anything else is an answer to that. */
function targetOfReply(event: InboundMessage, words: Words, reading: Reading, situation: Situation, timing: Timing): Target {
  const { named } = situation
  if (named === undefined) return words.code === undefined ? addressedOr(event, { road: 'converse' }) : { road: 'no_such', code: words.code }
  if (words.code !== undefined && words.code !== named.proposal.code) return { road: 'contradiction', proposal: named.proposal }
  return targetOfNamed(event, named, words, 'reply', reading, situation, timing)
}

function targetOfNamed(event: InboundMessage, named: Shown, words: Words, via: Via, reading: Reading, situation: Situation, timing: Timing): Target {
  const { proposal } = named
  const settledEarly = unlessDecidable(proposal, { verdict: words.verdict, via, phrase: words.phrase }, situation.person)
  return settledEarly ?? checked(event, named, words, via, reading, timing)
}

function targetOfBare(event: InboundMessage, words: Words, reading: Reading, situation: Situation, timing: Timing): Target {
  if (event.group && !event.addressed) return { road: 'ignore', reason: 'not_addressed' }
  const candidates = situation.open.filter(
    ({ proposal, showings }) =>
      showings.some((showing) => wasShownBefore(showing, event.moment)) &&
      (words.verdict === 'approve' ? mayApprove(proposal, situation.person) : mayRefuse(proposal, situation.person)),
  )
  const [card, ...more] = candidates
  if (card === undefined) return targetOfStray(event, words, situation, timing)
  const proposals = candidates.map(({ proposal }) => proposal)
  if (situation.operators) return { road: 'name_it', proposals }
  if (more.length > 0) return { road: 'which', proposals }
  if (isArmed(card, event, situation)) return checked(event, card, words, 'phrase', reading, timing)
  if (asksSomethingElse(lastSaid(situation, event.moment))) return { road: 'converse' }
  if (timing.onOtherMessage === 'keep' && card.proposal.reversibility === 'reversible') return checked(event, card, words, 'phrase', reading, timing)
  if (words.verdict === 'reject') return checked(event, card, words, 'phrase', reading, timing)
  return (situation.shownAgain[card.proposal.id] ?? 0) >= 2 ? { road: 'name_it', proposals } : { road: 'show_again', proposal: card.proposal }
}

/**
 * A phrase without a card to decide. Within two minutes after the last decision or end here, with nothing said since, it is about
 * that: a refusal halts what was approved and has not begun, anything else gets the state once more, and after that the agent.
 */
function targetOfStray(event: InboundMessage, words: Words, { lastEnded, nowMs, person }: Situation, timing: Timing): Target {
  const aboutItWithinMs = 120_000
  if (lastEnded === undefined || !lastEnded.quietSince || nowMs - lastEnded.atMs >= aboutItWithinMs) return { road: 'converse' }
  const { proposal, repeated } = lastEnded
  if (nowMs - event.moment.atMs >= timing.lateAfterMs || !mayRefuse(proposal, person)) return { road: 'converse' }
  const given: Given = { verdict: words.verdict, via: 'phrase', phrase: words.phrase }
  if (proposal.state.name === 'approved' && words.verdict === 'reject') return { road: 'decide', proposal, given }
  return repeated ? { road: 'converse' } : { road: 'state', proposal, stray: true }
}

/** What holds for every text that names or meets one card: read long enough, not late, strong enough. */
function checked(event: InboundMessage, card: Shown, words: Words, via: Via, reading: Reading, timing: Timing): Target {
  const { proposal } = card
  const answered = card.showings.filter((showing) => wasShownBefore(showing, event.moment))
  // Refused by code where it was only asked for: there is no card here that could be read too fast.
  if (card.showings.length === 0 && words.verdict === 'reject') return { road: 'decide', proposal, given: { verdict: words.verdict, via, phrase: words.phrase } }
  if (answered.length === 0 || !answered.some((showing) => wasReadLongEnough(showing, event, reading.receivedAtMs, timing))) return { road: 'too_fast', proposal }
  if (words.always === true) return { road: 'always_not_allowed', proposal }
  if (words.verdict === 'approve') {
    if (reading.receivedAtMs - event.moment.atMs > timing.lateAfterMs) return { road: 'late', proposal }
    if (asksForMore(proposal, words.verdict)) return { road: 'too_weak', proposal }
    if (words.weight === 'ack' && proposal.reversibility !== 'reversible') return { road: 'too_weak', proposal }
  }
  return { road: 'decide', proposal, given: { verdict: words.verdict, via, phrase: words.phrase } }
}

/** Whole seconds on one clock: the provider's, or ours where the card has no provider time. */
function wasReadLongEnough(showing: Showing, event: InboundMessage, receivedAtMs: number, timing: Timing): boolean {
  const read = showing.moment === undefined
    ? Math.floor(receivedAtMs / 1000) - Math.floor(showing.acceptedAtMs / 1000)
    : secondOf(event.moment) - secondOf(showing.moment)
  return read * 1000 >= timing.minReviewTextMs
}

/** A caption, a voice note, an edit …: never a decision. Where it looks like one while a card is armed, the words to type are told. */
function targetOfOther(event: InboundMessage, reading: Reading, situation: Situation): Target {
  if (event.body.kind !== 'other') return { road: 'converse' }
  const { form } = event.body
  const toAgent = form !== 'edited' && form !== 'reaction' && (!event.group || event.addressed)
  const armed = situation.open.find((card) => mayRefuse(card.proposal, situation.person) && isArmed(card, event, situation))
  const looksLikeIt = form === 'voice' || form === 'sticker' || reading.matched !== undefined || (form === 'reaction' && situation.named !== undefined)
  if (armed !== undefined && looksLikeIt && !situation.hinted.includes(armed.proposal.id)) return { road: 'attempt', proposal: armed.proposal, toAgent }
  return toAgent ? { road: 'converse' } : { road: 'ignore', reason: form === 'edited' || form === 'reaction' ? form : 'not_addressed' }
}

/**
 * Why a named proposal is not simply decided: it is not theirs, or it waits for nobody any more. A refusal of an approved one still
 * counts, since it halts what has not begun (RULES 6.3).
 */
function unlessDecidable(proposal: Proposal, given: Given, person: Situation['person']): Target | undefined {
  const may = given.verdict === 'approve' ? mayApprove(proposal, person) : mayRefuse(proposal, person)
  if (!may) return { road: 'not_yours', proposal }
  if (isDecidable(proposal)) return undefined
  return proposal.state.name === 'approved' && given.verdict === 'reject' ? { road: 'decide', proposal, given } : { road: 'state', proposal }
}

/** A code counts where its card was shown, or where it was asked for: another chat's code is no such code here. */
function knownHere({ conversation }: InboundMessage, { named }: Situation): Shown | undefined {
  if (named === undefined) return undefined
  const isAskedHere = conversationKeyOf(named.proposal.conversation) === conversationKeyOf(conversation)
  return isAskedHere || named.showings.length > 0 ? named : undefined
}

/** What cannot be undone is never approved by one person's word or tap alone (RULES 7); a second person is what more there can be here. */
function asksForMore({ reversibility, approvers }: Proposal, verdict: Verdict | 'edit'): boolean {
  return verdict === 'approve' && reversibility === 'irreversible' && !(approvers.kind === 'role' && approvers.second)
}

const addressedOr = (event: InboundMessage, target: Target): Target =>
  event.group && !event.addressed ? { road: 'ignore', reason: 'not_addressed' } : target
