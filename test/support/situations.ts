import { defaultLimits } from '../../src/config/limits.ts'
import { matchEdit, matchReason } from '../../src/core/edit-words.ts'
import { asHumanEvent } from '../../src/core/human-event.ts'
import type { InboundMessage, InboundPress } from '../../src/core/inbound.ts'
import { matchDecision } from '../../src/core/match.ts'
import type { Press } from '../../src/core/press.ts'
import type { Proposal } from '../../src/core/proposal.ts'
import type { Said, Showing, Shown, Situation } from '../../src/core/situation.ts'
import type { Reading } from '../../src/core/target.ts'
import { aConversation, aProposal, someTimeMs } from './proposals.ts'
import { shippedVocabulary } from './vocabularies.ts'

/** When the card of these situations was shown, and when the person writes: ten seconds later. */
export const shownAtMs = someTimeMs
export const writtenAtMs = shownAtMs + 10_000

export const timing = defaultLimits(30_000)
const vocabulary = shippedVocabulary('es')

/** Ana's card, reversible unless told: a yes of any kind is enough. */
export const aCard = (over: Parameters<typeof aProposal>[0] = {}): Proposal => aProposal({ reversibility: 'reversible', ...over })

/** A showing of a card here, accepted as message `order` of the chat. */
export const aShowing = ({ id, cardRevision }: Proposal, order = 10, atMs = shownAtMs): Showing => ({
  proposalId: id,
  cardRevision,
  conversation: aConversation,
  messageIds: [`m${order}`],
  acceptedAtMs: atMs,
  moment: { atMs, order },
})

export const shown = (proposal: Proposal, ...showings: readonly Showing[]): Shown => ({
  proposal,
  showings: showings.length === 0 ? [aShowing(proposal)] : showings,
})

/** What was said as message `order`, that many seconds after the card. */
export const said = (what: Said['what'], order: number, afterS: number): Said => ({
  what,
  begunAtMs: shownAtMs + 1000 * afterS,
  moment: { atMs: shownAtMs + 1000 * afterS, order },
})

export const cardSaid = ({ id, cardRevision }: Proposal, order = 10, afterS = 0): Said =>
  said({ kind: 'card', proposalId: id, cardRevision }, order, afterS)

/** Ana's chat: her cards are the last thing said, and nothing has happened since. */
export function aSituation(cards: readonly Proposal[] = [], over: Partial<Situation> = {}): Situation {
  return {
    nowMs: writtenAtMs,
    person: { id: 'ana', roles: [], formerly: [] },
    operators: false,
    open: cards.map((card, place) => shown(card, aShowing(card, 10 + place))),
    said: cards.map((card, place) => cardSaid(card, 10 + place)).toReversed(),
    shownAgain: {},
    hinted: [],
    ...over,
  }
}

/** What Ana writes as message 20, ten seconds after the card, read as the gateway reads it. */
export function writes(text: string, over: Partial<InboundMessage> = {}, receivedAtMs = writtenAtMs): Reading {
  const event = asHumanEvent({
    kind: 'message',
    conversation: aConversation,
    providerId: 'u20',
    sender: { id: 'tg:42000001' },
    messageId: 'm20',
    moment: { atMs: writtenAtMs, order: 20 },
    group: false,
    addressed: true,
    reply: { kind: 'none' },
    body: { kind: 'text', text },
    ...over,
  })
  const body = event.kind === 'message' ? event.body : undefined
  const matched = body?.text === undefined ? undefined : matchDecision(body.text, vocabulary)
  const editing = body?.kind === 'text' && matched === undefined ? matchEdit(body.text, vocabulary) : undefined
  const refusing = body?.kind === 'text' && matched === undefined ? matchReason(body.text, vocabulary) : undefined
  return {
    event,
    receivedAtMs,
    ...(matched === undefined ? {} : { matched }),
    ...(editing === undefined ? {} : { editing }),
    ...(refusing === undefined ? {} : { refusing }),
  }
}

/** A tap of Ana's on a control of a card, ten seconds after it was shown. */
export function taps(
  { id, cardRevision }: Proposal,
  verdict: Press['verdict'],
  {
    receivedAtMs = writtenAtMs,
    revision = cardRevision,
    ours = true,
    ...over
  }: Partial<InboundPress> & { readonly receivedAtMs?: number; readonly revision?: number; readonly ours?: boolean } = {},
): Reading {
  const event = asHumanEvent({
    kind: 'press',
    conversation: aConversation,
    providerId: 'u21',
    sender: { id: 'tg:42000001' },
    pressId: 'p',
    payload: 'x',
    messageId: 'm10',
    group: false,
    ...over,
  })
  return { event, receivedAtMs, ...(ours ? { press: { proposalId: id, cardRevision: revision, verdict } } : {}) }
}
