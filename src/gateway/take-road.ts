import { lastSaid } from '../core/armed.ts'
import { isSamePerson } from '../core/authority.ts'
import type { Card } from '../core/card.ts'
import { type Conversation, conversationKeyOf } from '../core/conversation.ts'
import type { HumanEvent } from '../core/human-event.ts'
import { isDecidable, type Proposal } from '../core/proposal.ts'
import type { Asks } from '../core/question.ts'
import { showText } from '../core/show-text.ts'
import type { Situation } from '../core/situation.ts'
import type { Target } from '../core/target.ts'
import type { Change, InboxRow, OutboxDraft } from '../ports/store.ts'
import type { ChatKey } from '../ports/texts.ts'
import { answerQuestion } from './answer-question.ts'
import { beginEditing } from './begin-editing.ts'
import { cardFor, showingDraft } from './cards.ts'
import { channelHere } from './channel-here.ts'
import { decide } from './decide.ts'
import { endGrant } from './end-grant.ts'
import type { House } from './house.ts'
import { noticeDraft } from './notice.ts'
import { otherMessage } from './other-message.ts'
import { outcomeText } from './outcome.ts'
import { questionDraft } from './question-draft.ts'
import { reasonQuestion } from './reason-question.ts'
import { ring } from './ring.ts'
import { typeQuestion } from './type-question.ts'

/** What a road comes to: what is written, and the short text that ends a tap's spinner. */
interface Step {
  readonly change: Change
  readonly toast?: string
}

/**
 * Does what the road says: one transaction with the mark that the event is handled, then the answer to a tap, then the bells. Every road
 * answers with the truth and none but `decide` changes a proposal.
 */
export async function takeRoad(
  house: House,
  row: InboxRow,
  event: HumanEvent,
  situation: Situation,
  target: Target,
): Promise<void> {
  const toAgent = target.road === 'converse' || (target.road === 'attempt' && target.toAgent)
  const handled = { inboxId: row.id, road: target.road, toAgent, by: house.owner }
  if (target.road === 'decide') {
    const decided = await decide(house, event, target.proposal, target.given, situation, { handled })
    await answerPress(house, event, decided.text)
    if (decided.written) return
    // Nothing moved: the event is still to be marked, and one who typed is told in words.
    const say =
      event.kind === 'press'
        ? insteadOfToast(house, row, event, situation, target, decided.text, decided.eachTime)
        : [noticeDraft(event.conversation, 'receipt', decided.text, target.proposal)]
    await house.store.commit({ handled, say })
    return ring(house, { deliveries: [event.conversation] })
  }
  if (target.road === 'answer') return answerQuestion(house, row, event, target.question, situation, handled)
  if (target.road === 'end_grant') {
    const ended = await endGrant(house, target.proposal, situation.person.id)
    const text = ended?.text ?? outcomeText(house, target.proposal, house.localeOf(event.conversation.account))
    const say = [noticeDraft(event.conversation, 'receipt', text, target.proposal)]
    const counts = target.stray === undefined ? {} : { counts: [{ proposalId: target.proposal.id, what: 'repeated' } as const] }
    await house.store.commit({ ...ended?.change, ...counts, handled, say })
    return ring(house, { deliveries: [event.conversation] })
  }
  // Before the mark: after a crash the event comes again, and ending a card twice is ending it once.
  if (toAgent) await otherMessage(house, situation)
  const { change, toast } = stepOn(house, row, event, situation, target)
  const say = [...(change.say ?? []), ...insteadOfToast(house, row, event, situation, target, toast)]
  const committed = await house.store.commit({ ...change, say, handled })
  if (committed.kind === 'lost') {
    house.log.warn({ inbox: row.id, road: target.road, what: committed.what }, 'road_lost')
    return
  }
  await answerPress(house, event, toast)
  await ring(house, { deliveries: [event.conversation], turns: toAgent ? [event.conversation] : [] })
}

const hasToasts = (house: House, { account }: Conversation): boolean => house.channels.get(account)?.capabilities.toasts !== false

/**
 * Where a tap has no answer of its own, it is answered by a message: once for each person and state of a proposal, for a card that cannot be
 * edited can be tapped for ever (RULES 5). What a later tap may answer otherwise, as one that was too fast, is said each time.
 */
function insteadOfToast(
  house: House,
  row: InboxRow,
  event: HumanEvent,
  { person }: Situation,
  target: Target,
  text: string | undefined,
  eachTime = target.road === 'too_fast',
): readonly OutboxDraft[] {
  if (event.kind !== 'press' || text === undefined || hasToasts(house, event.conversation)) return []
  const proposal = 'proposal' in target ? target.proposal : undefined
  const about = proposal === undefined || eachTime ? row.id : `${proposal.id}:${proposal.state.name}:${person.id}`
  return [{ ...noticeDraft(event.conversation, 'receipt', text, proposal), once: `tap:${target.road}:${about}` }]
}

/** The answer to a tap is a courtesy: the decision stands without it, so trouble here is counted and goes no further. */
async function answerPress(house: House, event: HumanEvent, text = ''): Promise<void> {
  if (event.kind !== 'press' || !hasToasts(house, event.conversation)) return
  try {
    await channelHere(house, event.conversation.account)?.answerPress(event.pressId, text)
  } catch (error) {
    house.log.warn({ account: event.conversation.account, err: error }, 'press_unanswered')
    house.count('press_unanswered')
  }
}

function stepOn(
  house: House,
  row: InboxRow,
  event: HumanEvent,
  situation: Situation,
  target: Exclude<Target, { road: 'decide' | 'answer' | 'end_grant' }>,
): Step {
  const { conversation } = event
  const locale = house.localeOf(conversation.account)
  const words = house.words.of(conversation.account).card
  const say = (key: ChatKey, values: Readonly<Record<string, string>> = {}) =>
    house.texts.say(locale, key, { ...words, ...values })
  const told = (key: ChatKey, proposal?: Proposal, values: Readonly<Record<string, string>> = {}): Step => {
    const text = say(key, { ...(proposal === undefined ? {} : { code: proposal.code }), ...values })
    return event.kind === 'press'
      ? { change: {}, toast: text }
      : { change: { say: [noticeDraft(conversation, 'receipt', text, proposal)] } }
  }
  switch (target.road) {
    case 'show_again':
    case 'undelivered':
      // Core names it where bare words do not help; a phone that takes no card in is no better the third time.
      if (target.road === 'undelivered' && (situation.shownAgain[target.proposal.id] ?? 0) >= 2)
        return told('notice.name_it', undefined, { list: listOf([target.proposal]) })
      return {
        change: {
          say: [showingDraft(house, target.proposal, conversation, situation.nowMs, [{ kind: 'again' }])],
          counts: [{ proposalId: target.proposal.id, what: 'shown_again' }],
        },
      }
    case 'late':
      return {
        change: {
          say: [
            noticeDraft(conversation, 'receipt', say('notice.late', { code: target.proposal.code }), target.proposal),
            showingDraft(house, target.proposal, conversation, situation.nowMs, [{ kind: 'again' }]),
          ],
        },
      }
    case 'show_card':
      return { change: { say: [showingDraft(house, target.proposal, conversation, situation.nowMs)] } }
    case 'too_fast':
      return told('notice.too_fast', target.proposal)
    case 'too_weak':
      return told(
        target.proposal.reversibility === 'irreversible' ? 'notice.too_weak_irreversible' : 'notice.too_weak',
        target.proposal,
      )
    case 'old_card':
      return told('notice.old_card', target.proposal)
    case 'contradiction':
      return told('notice.contradiction', undefined, { code: target.code })
    case 'always_not_allowed':
      return told('notice.always_not_allowed', target.proposal)
    case 'state':
      return stateOf(house, event, target.proposal, locale, target.stray)
    case 'no_such':
      return target.code === undefined ? told('notice.no_such') : told('notice.no_such_code', undefined, { code: target.code })
    case 'not_yours':
      return notYours(event, target.proposal, situation, say('notice.not_yours', { code: target.proposal.code }))
    case 'name_it':
      return told('notice.name_it', undefined, {
        list: listOf(target.proposals),
        ...(target.by === undefined ? {} : { approve: words[target.by] ?? words.reject }),
      })
    case 'edit':
      return edit(house, row, event, situation, target.proposal)
    case 'type_it':
      return askOnce(situation, target.proposal, 'typed', event, typeQuestion(house, event, situation.person.id, target.proposal))
    case 'reason':
      return askOnce(
        situation,
        target.proposal,
        'reason',
        event,
        reasonQuestion(house, event, situation.person.id, target.proposal, target.via),
      )
    case 'which':
      return {
        change: {
          say: [
            {
              ...which(house, target.proposals, conversation, situation.nowMs, say('notice.which')),
              once: onceFor(event, target.proposals, situation),
            },
          ],
        },
      }
    case 'attempt':
      return {
        change: {
          say: [
            noticeDraft(conversation, 'receipt', say('notice.cannot_decide', { code: target.proposal.code }), target.proposal),
          ],
          counts: [{ proposalId: target.proposal.id, what: 'hinted' }],
        },
      }
    case 'converse':
    case 'ignore':
      return { change: {} }
  }
}

/** The first question of an edit, or why there is none. */
function edit(house: House, { receivedAtMs }: InboxRow, event: HumanEvent, situation: Situation, proposal: Proposal): Step {
  const { conversation } = event
  const step = beginEditing(house, proposal, { conversation, situation, receivedAtMs })
  if (step.kind === 'ask')
    return {
      change: {
        say: [questionDraft(conversation, step.text, situation.person.id, proposal.id, { kind: 'edit', edit: step.edit })],
      },
    }
  return event.kind === 'press'
    ? { change: {}, toast: step.text }
    : { change: { say: [noticeDraft(conversation, 'receipt', step.text, proposal)] } }
}

/** A second tap on the same control gets the question that stands there already as its answer, not a second one. */
function askOnce(
  { said, person }: Situation,
  { id, cardRevision }: Proposal,
  kind: Asks['kind'],
  event: HumanEvent,
  question: OutboxDraft,
): Step {
  const last = said[0]?.what
  const asked = last?.kind === 'question' ? last.asked : undefined
  const stands =
    asked?.asks.kind === kind &&
    asked.proposalId === id &&
    isSamePerson(person, asked.person) &&
    (asked.asks.kind !== 'typed' || asked.asks.cardRevision === cardRevision)
  return event.kind === 'press' && stands ? { change: {}, toast: textOf(question) } : { change: { say: [question] } }
}

const textOf = ({ body }: OutboxDraft): string =>
  body.do === 'say' && body.message.kind === 'question' ? (body.message.text.split('\n')[0] ?? '') : ''

function stateOf(house: House, event: HumanEvent, proposal: Proposal, locale: string, stray?: true): Step {
  const text = outcomeText(house, proposal, locale)
  if (event.kind === 'press') return { change: {}, toast: text }
  const counts = stray === undefined ? {} : { counts: [{ proposalId: proposal.id, what: 'repeated' } as const] }
  return { change: { say: [noticeDraft(event.conversation, 'receipt', text, proposal)], ...counts } }
}

/** A stranger is told once per card; a tap is answered every time, since its spinner is theirs alone. */
function notYours(event: HumanEvent, proposal: Proposal, { person }: Situation, text: string): Step {
  if (event.kind === 'press') return { change: {}, toast: text }
  return {
    change: {
      say: [{ ...noticeDraft(event.conversation, 'receipt', text, proposal), once: `not_yours:${proposal.id}:${person.id}` }],
    },
  }
}

const listOf = (proposals: readonly Proposal[]): string =>
  proposals.map(({ code, preview }) => `#${code} ${showText(preview.summary)}`).join('\n')

/** Words that were written with the same things said before them, one after the other, are answered by one list. */
function onceFor(event: HumanEvent, proposals: readonly Proposal[], situation: Situation): string {
  const { begunAtMs } = (event.kind === 'message' ? lastSaid(situation, event.moment) : undefined) ?? { begunAtMs: 0 }
  const cards = proposals.map(({ id, revision }) => `${id}.${revision}`).join(',')
  return `which:${conversationKeyOf(event.conversation)}:${situation.person.id}:${begunAtMs}:${cards}`
}

/** Several cards wait: each with its code, and its controls where the channel has any. Nothing is decided. */
const which = (
  house: House,
  proposals: readonly Proposal[],
  conversation: Conversation,
  nowMs: number,
  text: string,
): OutboxDraft => ({
  conversation,
  lane: 'card',
  body: {
    do: 'say',
    message: {
      kind: 'list',
      text,
      cards: proposals.filter(isDecidable).map((proposal) => decidableOnly(cardFor(house, proposal, conversation, nowMs))),
    },
  },
})

/** In a list there is room for what decides; the word that edits has the code beside it. */
const decidableOnly = (card: Card): Card => ({ ...card, controls: card.controls.filter(({ style }) => style !== 'plain') })
