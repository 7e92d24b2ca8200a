import { mayApprove, mayRefuse } from '../core/authority.ts'
import { type Conversation, conversationKeyOf } from '../core/conversation.ts'
import { type Decision, decisionOf } from '../core/decision.ts'
import { fingerprintOf } from '../core/fingerprint.ts'
import type { HumanEvent } from '../core/human-event.ts'
import type { GuardName, LifecycleEvent } from '../core/lifecycle.ts'
import { isDecidable, isSettled, type Proposal } from '../core/proposal.ts'
import type { Showing, Situation } from '../core/situation.ts'
import type { Given } from '../core/target.ts'
import type { Change, OutboxDraft } from '../ports/store.ts'
import { updateDrafts } from './cards.ts'
import { change, type Moved } from './change.ts'
import { endGrant } from './end-grant.ts'
import { expire } from './expire.ts'
import type { House } from './house.ts'
import { lookAgain } from './look-again.ts'
import { move, planMove } from './move.ts'
import { noticeDraft } from './notice.ts'
import { outcomeDrafts, outcomeText } from './outcome.ts'
import { ring } from './ring.ts'
import { isStillPermitted } from './still-permitted.ts'

/** The person's event, and the question of the runtime that it answers: marked where the decision is written. */
type Mark = Pick<Change, 'handled' | 'answered'>

/** What the person is told about their own decision, and whether it is already in the outbox. */
export interface Decided {
  readonly text: string
  readonly written: boolean
  /** Nothing moved, and it is to be told each time. */
  readonly eachTime?: true
}

/**
 * Lets a person's decision count, if the law and the database's clock allow it: state, history, decision, receipt and card updates in
 * one transaction, then the bells. First decision wins; a loser is told the true state and nothing changes. `also` marks the
 * person's event, and the question that it answers, in the same transaction. Throws only when the store is down: the event then waits in the inbox and comes again.
 */
export async function decide(
  house: House,
  event: HumanEvent,
  proposal: Proposal,
  given: Given,
  situation: Situation,
  also: Mark,
): Promise<Decided> {
  const locale = house.localeOf(event.conversation.account)
  const { person, nowMs } = situation
  const decision = decisionOf(event, {
    ...given,
    person,
    atMs: nowMs,
  })
  const showings = await house.store.showings(proposal.id)
  const asked = await eventFor(house, proposal, decision, given, person)
  // Only a yes that would count is worth a look at the world.
  const look =
    asked.name === 'approve' && planMove(proposal, asked, nowMs, { by: person.id }).kind === 'planned'
      ? await lookAgain(house, proposal)
      : undefined
  if (look?.kind === 'unknown')
    return { text: house.texts.say(locale, 'notice.not_seen', { code: proposal.code }), written: false, eachTime: true }
  if (look?.kind === 'moved' || look?.kind === 'over') return renew(house, event, proposal, look, nowMs, also, locale)
  const wanted = look === undefined ? asked : { ...asked, previewDigest: look.digest }
  const ended = given.verdict === 'reject' ? await endGrant(house, proposal, person.id) : undefined
  const applied = await move(house, proposal, wanted, nowMs, { by: person.id, note: { via: given.via } }, (after) => ({
    ...also,
    ...ended?.change,
    say: [
      ...tellings(house, event, after, showings, nowMs),
      ...(ended === undefined ? [] : [noticeDraft(proposal.conversation, 'outcome', ended.text, after)]),
    ],
  }))
  if (applied.kind === 'applied') {
    const { state } = applied.proposal
    await ring(house, {
      deliveries: [event.conversation, proposal.conversation, ...showings.map(({ conversation }) => conversation)],
      executions: state.name === 'approved' ? [{ id: proposal.id, delayMs: Math.max(0, (state.holdUntilMs ?? 0) - nowMs) }] : [],
    })
    return { text: receiptText(house, applied.proposal, locale), written: true }
  }
  if (applied.kind === 'refused' && applied.because === 'while the world stands as shown' && look !== undefined)
    return renew(house, event, proposal, look, nowMs, also, locale)
  if (applied.kind === 'refused') return refused(house, event, proposal, given, applied.because, situation, also)
  const now = applied.what === 'proposal' ? await house.store.proposal(proposal.id) : undefined
  if (now !== undefined && stillCounts(proposal, now.proposal, given)) {
    return decide(house, event, now.proposal, given, { ...situation, nowMs: now.nowMs }, also)
  }
  return truth(house, proposal.id, locale)
}

/**
 * Is a decision that was overtaken to be judged once more? One that only the clock overtook is: it came too late, and that is told. A
 * refusal is, since it still halts what has not begun (RULES 6.3). An approval of what somebody else moved is never tried again.
 */
function stillCounts(before: Proposal, now: Proposal, { verdict }: Given): boolean {
  return now.revision === before.revision || (verdict === 'reject' && (isDecidable(now) || now.state.name === 'approved'))
}

/** What the law is asked: with what only the outside knows, found out just now. */
async function eventFor(
  house: House,
  proposal: Proposal,
  decision: Decision,
  { verdict }: Given,
  person: Situation['person'],
): Promise<LifecycleEvent> {
  if (verdict === 'reject') return { name: 'reject', decision, permitted: mayRefuse(proposal, person) }
  return {
    name: 'approve',
    decision,
    permitted: mayApprove(proposal, person),
    firstPermitted: await isFirstPermitted(house, proposal),
    cardRevision: proposal.cardRevision,
    fingerprint: fingerprintOf(proposal),
    previewDigest: proposal.previewDigest,
    executeWithinMs: house.limits.executeByMs,
    holdMs: decision.via === 'phrase' ? house.limits.holdMs : 0,
  }
}

/** The world is no more as the card said: the yes counts for nothing, and that is told with what is now. */
async function renew(
  house: House,
  event: HumanEvent,
  proposal: Proposal,
  look: Moved,
  nowMs: number,
  also: Mark,
  locale: string,
): Promise<Decided> {
  const applied = await change(house, event, proposal, look, nowMs, also)
  return { ...(await truth(house, proposal.id, locale)), written: applied.kind === 'applied' }
}

const isFirstPermitted = async (house: House, proposal: Proposal): Promise<boolean> =>
  proposal.state.name !== 'awaiting_second' || isStillPermitted(house, proposal, proposal.state.first)

function tellings(
  house: House,
  event: HumanEvent,
  after: Proposal,
  showings: readonly Showing[],
  nowMs: number,
): readonly OutboxDraft[] {
  const name = event.group || event.conversation.chat !== after.conversation.chat ? event.sender.name : undefined
  if (isSettled(after.state)) return outcomeDrafts(house, after, withHere(showings, after, event.conversation), nowMs, name)
  const receipt = receiptText(house, after, house.localeOf(event.conversation.account))
  return [noticeDraft(event.conversation, 'receipt', receipt, after), ...updateDrafts(house, after, showings, nowMs, name)]
}

/** The chat where the person decided hears of it too, even when it has no showing of its own. */
function withHere(
  showings: readonly Showing[],
  { id, cardRevision, conversation }: Proposal,
  here: Conversation,
): readonly Showing[] {
  const keys = [conversation, ...showings.map((showing) => showing.conversation)].map(conversationKeyOf)
  return keys.includes(conversationKeyOf(here))
    ? showings
    : [...showings, { proposalId: id, cardRevision, conversation: here, messageIds: [], acceptedAtMs: 0 }]
}

const receiptText = (house: House, proposal: Proposal, locale: string): string =>
  isSettled(proposal.state)
    ? outcomeText(house, proposal, locale)
    : house.texts.say(locale, `receipt.${proposal.state.name === 'awaiting_second' ? 'first_of_two' : 'approved'}`, {
        code: proposal.code,
      })

/** The law said no: what that means for the person. */
async function refused(
  house: House,
  event: HumanEvent,
  proposal: Proposal,
  given: Given,
  because: GuardName | 'no such move',
  situation: Situation,
  also: Mark,
): Promise<Decided> {
  const locale = house.localeOf(event.conversation.account)
  if (because === 'before the deadline') {
    // A refusal that came too late changes nothing, but that it was one is worth keeping.
    const note = {
      proposalId: proposal.id,
      event: 'late_decision',
      by: situation.person.id,
      about: { verdict: given.verdict, via: given.via },
    }
    const ended = await expire(house, proposal, situation.nowMs, 'deadline', { note, ...also })
    // The sweep was faster: what it wrote tells the end, but does not mark this event.
    if (ended.kind !== 'applied') await house.store.commit({ note })
    const now = await truth(house, proposal.id, locale)
    return { ...now, written: ended.kind === 'applied' }
  }
  if (because === 'on what was shown') {
    house.log.error({ proposal: proposal.id }, 'fingerprint_differs')
    house.count('tampered')
    const showings = await house.store.showings(proposal.id)
    const changed = await move(
      house,
      proposal,
      { name: 'change', reason: 'tampered' },
      situation.nowMs,
      { by: 'decide' },
      (after) => ({
        ...also,
        say: outcomeDrafts(house, after, withHere(showings, after, event.conversation), situation.nowMs),
      }),
    )
    await ring(house, {
      deliveries: [event.conversation, proposal.conversation, ...showings.map(({ conversation }) => conversation)],
    })
    return { ...(await truth(house, proposal.id, locale)), written: changed.kind === 'applied' }
  }
  if (because === 'by another person than the first' || because === 'not by the requester where a second is asked') {
    return { text: house.texts.say(locale, 'notice.second_person', { code: proposal.code }), written: false }
  }
  return truth(house, proposal.id, locale)
}

/** Somebody was faster: read again, and say what is. */
async function truth(house: House, id: string, locale: string): Promise<Decided> {
  const read = await house.store.proposal(id)
  if (read === undefined) return { text: house.texts.say(locale, 'notice.no_such'), written: false }
  return { text: outcomeText(house, read.proposal, locale), written: false }
}
