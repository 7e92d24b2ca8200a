import { isSamePerson, mayRefuse, type Person } from './authority.ts'
import { isGrave } from './gesture.ts'
import type { InboundPress } from './inbound.ts'
import type { Timing } from './limits.ts'
import type { Press } from './press.ts'
import { isWaiting, type Proposal } from './proposal.ts'
import type { Situation } from './situation.ts'
import type { Given, Reading, Target } from './target.ts'
import { askedBeside, unlessDecidable } from './target-checks.ts'
import { editOf, reasonOf } from './target-of-edit.ts'

/** Judges a tap on a control: the proposal is the one that its payload names, and nothing is guessed. */
export function targetOfPress(
  event: InboundPress,
  { press, receivedAtMs }: Reading,
  { named, person }: Situation,
  timing: Timing,
): Target {
  if (press === undefined || named === undefined) return { road: 'no_such' }
  const { proposal } = named
  if (press.verdict === 'edit') {
    const target = event.withdrawn === true ? ({ road: 'no_such' } as const) : editOf(proposal, person)
    return target.road === 'edit' && press.cardRevision !== proposal.cardRevision ? { road: 'old_card', proposal } : target
  }
  if (press.verdict === 'reason') return targetOfReasonPress(event, press, proposal, person)
  const given: Given = { verdict: press.verdict, via: event.poll === true ? 'poll' : 'button' }
  if (event.withdrawn === true) return targetOfWithdrawn(proposal, given, person)
  const settledEarly = unlessDecidable(proposal, given, person)
  if (settledEarly !== undefined) return settledEarly
  if (press.cardRevision !== proposal.cardRevision) return { road: 'old_card', proposal }
  const isLate = event.moment !== undefined && receivedAtMs - event.moment.atMs > timing.lateAfterMs
  if (isLate && press.verdict === 'approve') return { road: 'late', proposal }
  const more = press.verdict === 'approve' ? askedBeside(proposal) : undefined
  if (more?.road === 'too_weak') return more
  const tapped =
    named.showings.find(({ messageIds }) => event.messageId !== undefined && messageIds.includes(event.messageId)) ??
    named.showings.at(-1)
  const minReviewMs = isGrave(proposal) ? timing.minReviewHighPressMs : timing.minReviewPressMs
  if (tapped !== undefined && receivedAtMs - tapped.acceptedAtMs < minReviewMs) return { road: 'too_fast', proposal }
  return more ?? { road: 'decide', proposal, given }
}

/** Somebody wants to say why not: asked for, unless the control is of an older card. */
function targetOfReasonPress(event: InboundPress, press: Press, proposal: Proposal, person: Person): Target {
  if (event.withdrawn === true) return { road: 'no_such' }
  const target = reasonOf(proposal, person, event.poll === true ? 'poll' : 'button')
  return target.road === 'reason' && press.cardRevision !== proposal.cardRevision ? { road: 'old_card', proposal } : target
}

/**
 * A vote that was taken back (RULES 6.3): what it approved does not go on, where that has not begun, or where a second approval is still to
 * come. Of a card that waits undecided it takes nothing away.
 */
function targetOfWithdrawn(proposal: Proposal, given: Given, person: Person): Target {
  const { state } = proposal
  if (!mayRefuse(proposal, person)) return { road: 'ignore', reason: 'vote_withdrawn' }
  if (state.name === 'approved' || (state.name === 'awaiting_second' && isSamePerson(person, state.first.person)))
    return { road: 'decide', proposal, given: { ...given, verdict: 'reject' } }
  return isWaiting(proposal) ? { road: 'ignore', reason: 'vote_withdrawn' } : { road: 'state', proposal }
}
