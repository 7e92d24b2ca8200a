import { asksSomethingElse, isArmed, lastSaid, wasShownBefore } from './armed.ts'
import { mayApprove, mayRefuse } from './authority.ts'
import type { Via } from './decision.ts'
import type { InboundMessage } from './inbound.ts'
import type { Timing } from './limits.ts'
import { isDecidable, isSettled } from './proposal.ts'
import { questionFor } from './question.ts'
import type { Shown, Situation } from './situation.ts'
import type { Given, Reading, Target } from './target.ts'
import { checked, endsGrant, isTooNew, knownHere, unlessDecidable, type Words } from './target-checks.ts'
import { targetOfEdit, targetOfReason } from './target-of-edit.ts'

/** Judges a message by the rows of RULES 3: by what it names if it names a card, else by what was said before it. */
export function targetOfMessage(event: InboundMessage, reading: Reading, situation: Situation, timing: Timing): Target {
  if (event.body.kind === 'other') return targetOfOther(event, reading, situation)
  const { matched } = reading
  const asked = reading.editing ?? reading.refusing
  const question = matched?.code === undefined && asked?.code === undefined ? questionFor(event, situation) : undefined
  if (question !== undefined) return { road: 'answer', question }
  if (reading.editing !== undefined) return targetOfEdit(event, reading.editing, situation)
  if (reading.refusing !== undefined) return targetOfReason(event, reading.refusing, situation)
  if (matched === undefined) return addressedOr(event, { road: 'converse' })
  if (matched.kind === 'code') return targetOfCode(event, matched.code, situation)
  if (event.reply.kind === 'message') return targetOfReply(event, matched, reading, situation, timing)
  if (event.reply.kind === 'elsewhere') return answerToElse(event, matched)
  if (matched.code !== undefined) return targetOfCoded(event, { ...matched, code: matched.code }, reading, situation, timing)
  return targetOfBare(event, matched, reading, situation, timing)
}

/** `#K7Q2` alone shows that card again. */
function targetOfCode(event: InboundMessage, code: string, situation: Situation): Target {
  const named = knownHere(event, situation)
  if (named === undefined) return { road: 'no_such', code }
  if (!mayRefuse(named.proposal, situation.person)) return { road: 'not_yours', proposal: named.proposal }
  // Where it was only asked for, its card was never shown and is not for this chat to see.
  return { road: isDecidable(named.proposal) && named.showings.length > 0 ? 'show_card' : 'state', proposal: named.proposal }
}

function targetOfCoded(
  event: InboundMessage,
  words: Words & { readonly code: string },
  reading: Reading,
  situation: Situation,
  timing: Timing,
): Target {
  const named = knownHere(event, situation)
  if (named === undefined) return { road: 'no_such', code: words.code }
  return targetOfNamed(event, named, words, 'code', reading, situation, timing)
}

/** A reply to a card names it; a reply to anything else is an answer to that. */
function targetOfReply(event: InboundMessage, words: Words, reading: Reading, situation: Situation, timing: Timing): Target {
  const { named } = situation
  if (named === undefined) return answerToElse(event, words)
  if (words.code !== undefined && words.code !== named.proposal.code) return { road: 'contradiction', code: words.code }
  return targetOfNamed(event, named, words, 'reply', reading, situation, timing)
}

/** A phrase in reply to something that is no card of ours answers that; with a code it says two things, and the agent never sees one. */
const answerToElse = (event: InboundMessage, { code }: Words): Target =>
  code === undefined ? addressedOr(event, { road: 'converse' }) : { road: 'contradiction', code }

function targetOfNamed(
  event: InboundMessage,
  named: Shown,
  words: Words,
  via: Via,
  reading: Reading,
  situation: Situation,
  timing: Timing,
): Target {
  const { proposal } = named
  const settledEarly = unlessDecidable(proposal, { verdict: words.verdict, via, phrase: words.phrase }, situation.person)
  if (settledEarly !== undefined) return settledEarly
  if (isTooNew(named, event, words, reading)) return addressedOr(event, { road: 'converse' })
  return checked(event, named, words, via, reading, timing)
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
  if (candidates.every((candidate) => isTooNew(candidate, event, words, reading))) return { road: 'converse' }
  const proposals = candidates.map(({ proposal }) => proposal)
  if (situation.operators) return { road: 'name_it', proposals }
  if (more.length > 0) return { road: 'which', proposals }
  if (isArmed(card, event, situation)) return checked(event, card, words, 'phrase', reading, timing)
  if (asksSomethingElse(lastSaid(situation, event.moment))) return { road: 'converse' }
  if (timing.onOtherMessage === 'keep' && card.proposal.reversibility === 'reversible')
    return checked(event, card, words, 'phrase', reading, timing)
  if (words.verdict === 'reject') return checked(event, card, words, 'phrase', reading, timing)
  return (situation.shownAgain[card.proposal.id] ?? 0) >= 2
    ? { road: 'name_it', proposals }
    : { road: 'show_again', proposal: card.proposal }
}

/**
 * A phrase without a card to decide, with nothing said since the last decision or end here, is about that. A refusal halts what was approved
 * for as long as it has not begun (RULES 6.3); within two minutes anything else gets the state once more, and after that the agent.
 */
function targetOfStray(event: InboundMessage, words: Words, { lastEnded, nowMs, person }: Situation, timing: Timing): Target {
  const aboutItWithinMs = 120_000
  if (lastEnded === undefined || !lastEnded.quietSince || !mayRefuse(lastEnded.proposal, person)) return { road: 'converse' }
  const { proposal, repeated } = lastEnded
  const given: Given = { verdict: words.verdict, via: 'phrase', phrase: words.phrase }
  if (proposal.state.name === 'approved' && words.verdict === 'reject') return { road: 'decide', proposal, given }
  if (nowMs - lastEnded.atMs >= aboutItWithinMs || nowMs - event.moment.atMs >= timing.lateAfterMs) return { road: 'converse' }
  if (isSettled(proposal.state) && endsGrant(proposal, words)) return { road: 'end_grant', proposal, stray: true }
  return repeated ? { road: 'converse' } : { road: 'state', proposal, stray: true }
}

/** A caption, a voice note, an edit …: never a decision. Where it looks like one while a card is armed, the words to type are told. */
function targetOfOther(event: InboundMessage, reading: Reading, situation: Situation): Target {
  if (event.body.kind !== 'other') return { road: 'converse' }
  const { form } = event.body
  const toAgent = form !== 'edited' && form !== 'reaction' && (!event.group || event.addressed)
  const armed = situation.open.find((card) => mayRefuse(card.proposal, situation.person) && isArmed(card, event, situation))
  const looksLikeIt =
    form === 'voice' ||
    form === 'sticker' ||
    reading.matched !== undefined ||
    (form === 'reaction' && situation.named !== undefined)
  if (armed !== undefined && looksLikeIt && !situation.hinted.includes(armed.proposal.id))
    return { road: 'attempt', proposal: armed.proposal, toAgent }
  return toAgent
    ? { road: 'converse' }
    : { road: 'ignore', reason: form === 'edited' || form === 'reaction' ? form : 'not_addressed' }
}

const addressedOr = (event: InboundMessage, target: Target): Target =>
  event.group && !event.addressed ? { road: 'ignore', reason: 'not_addressed' } : target
