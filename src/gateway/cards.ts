import type { Person } from '../core/authority.ts'
import type { Card, Control } from '../core/card.ts'
import { type Conversation, conversationKeyOf } from '../core/conversation.ts'
import { editsAllowed } from '../core/edit.ts'
import { editableFor } from '../core/editable.ts'
import { isGrave } from '../core/gesture.ts'
import { mayBeAlways } from '../core/grant.ts'
import { type Press, pressPayloadOf } from '../core/press.ts'
import type { Proposal } from '../core/proposal.ts'
import type { Showing } from '../core/situation.ts'
import { toType } from '../core/typed.ts'
import { type CardParts, type Head, stateCard, writeCard } from '../core/write-card.ts'
import type { OutboxDraft } from '../ports/store.ts'
import { alwaysWords } from './always-words.ts'
import type { House } from './house.ts'

/** The card of a proposal for one conversation: in its account's language, its controls bound to it. */
export function cardFor(
  house: House,
  proposal: Proposal,
  conversation: Conversation,
  nowMs: number,
  heads: readonly Head[] = [],
): Card {
  const locale = house.localeOf(conversation.account)
  const words = house.words.of(conversation.account).card
  const control = (verdict: Press['verdict'], label: string, style: Control['style']): Control => ({
    label,
    style,
    payload: pressPayloadOf(
      { proposalId: proposal.id, cardRevision: proposal.cardRevision, verdict },
      { account: conversation.account, conversationKey: conversationKeyOf(conversation) },
      house.pressKeys[0],
    ),
  })
  const editing = editingOn(house, proposal, conversation)
  const refusing = refusingOn(house, proposal, conversation, editing === 'control' ? 3 : 2)
  const typed = toType(proposal.preview, proposal.typeToConfirm, locale)
  const second: readonly Head[] = proposal.state.name === 'awaiting_second' ? [{ kind: 'second' }] : []
  return writeCard({
    preview: proposal.preview,
    code: proposal.code,
    reasons: proposal.reasons,
    reversibility: proposal.reversibility,
    severity: isGrave(proposal) ? 'high' : 'normal',
    locale,
    waitsMs: 'expiresAtMs' in proposal.state ? proposal.state.expiresAtMs - nowMs : proposal.ttlMs,
    controls: [
      control('approve', words.confirm, 'success'),
      ...(editing === 'control' ? [control('edit', words.edit, 'plain')] : []),
      control('reject', words.cancel, 'danger'),
      ...(refusing === 'control' && words.reason !== undefined ? [control('reason', words.reason, 'plain')] : []),
    ],
    ...(editing === 'words' ? { editBy: words.edit } : {}),
    ...(refusing === 'words' && words.reason !== undefined ? { reasonBy: words.reason.toLowerCase() } : {}),
    ...(typed === undefined ? {} : { typed: typed.label }),
    heads: [...askedBy(proposal, conversation), ...second, ...heads],
    say: (key, values) => house.texts.say(locale, key, values),
    words,
    ...alwaysOf(house, proposal, conversation),
    // A role's cards stand in chats where bare words do not count (RULES 3).
    mustBeNamed:
      proposal.approvers.kind !== 'requester' || conversationKeyOf(conversation) !== conversationKeyOf(proposal.conversation),
  })
}

/** "Always" is offered to whom it would be of: its requester, where they asked. */
function alwaysOf(house: House, proposal: Proposal, { account, ...here }: Conversation): Pick<CardParts, 'always'> {
  const words = mayBeAlways(proposal) ? alwaysWords(house, account) : undefined
  const isHere = conversationKeyOf({ account, ...here }) === conversationKeyOf(proposal.conversation)
  return words === undefined || proposal.always === undefined || !isHere ? {} : { always: { ...proposal.always, words } }
}

/**
 * How whoever the card is for may begin to edit it: by a control where a third one fits beside the other two, else by its word. Undefined
 * where they may not, and where it was edited so often that nobody may.
 */
function editingOn(house: House, proposal: Proposal, { account }: Conversation): 'control' | 'words' | undefined {
  const { approvers, requester, editors = [] } = proposal
  const action = house.actions.get(proposal.action)
  if (action === undefined || editors.length >= editsAllowed) return undefined
  const reader: Person =
    approvers.kind === 'requester'
      ? { id: requester ?? '', roles: [], formerly: [] }
      : { id: '', roles: approvers.kind === 'role' ? [approvers.role] : [], formerly: [], chosenFor: [proposal.id] }
  if (editableFor(action, proposal, reader).length === 0) return undefined
  const capabilities = house.channels.get(account)?.capabilities
  return capabilities === undefined || (capabilities.controls === 'buttons' && capabilities.buttons >= 3) ? 'control' : 'words'
}

/** How the card offers to refuse with a reason, where its action wants one: by a control where one more fits beside the others, else by words. */
function refusingOn(
  house: House,
  { action }: Proposal,
  { account }: Conversation,
  controls: number,
): 'control' | 'words' | undefined {
  if (house.actions.get(action)?.rejectReason === undefined) return undefined
  const capabilities = house.channels.get(account)?.capabilities
  return capabilities === undefined || (capabilities.controls === 'buttons' && capabilities.buttons > controls)
    ? 'control'
    : 'words'
}

/** People who decide for several chats must be able to tell them apart: outside the chat that asked, the card says who asked. */
function askedBy({ conversation, requester, requesterName }: Proposal, shownIn: Conversation): readonly Head[] {
  if (requester === undefined || conversationKeyOf(conversation) === conversationKeyOf(shownIn)) return []
  return [{ kind: 'asked', by: requesterName ?? requester, account: conversation.account }]
}

/** A showing to be sent. In the card lane: it never overtakes what was said before it. */
export const showingDraft = (
  house: House,
  proposal: Proposal,
  conversation: Conversation,
  nowMs: number,
  heads: readonly Head[] = [],
): OutboxDraft => ({
  conversation,
  lane: 'card',
  body: { do: 'say', message: { kind: 'card', card: cardFor(house, proposal, conversation, nowMs, heads) } },
  proposalId: proposal.id,
  cardRevision: proposal.cardRevision,
})

/** What a card says on top once it waits no more; `name` is who decided, where others are to see it. */
export function stateLine(house: House, proposal: Proposal, locale: string, name?: string): string {
  const { state } = proposal
  const key = state.name === 'expired' ? (`card.state.expired.${state.reason}` as const) : (`card.state.${state.name}` as const)
  const line = house.texts.say(locale, key, { code: proposal.code })
  return name === undefined ? line : house.texts.say(locale, 'card.state.by', { state: line, name })
}

/** The chats where a card stands, each once. */
export const surfacesOf = (showings: readonly Showing[]): readonly Conversation[] => [
  ...new Map(showings.map(({ conversation }) => [conversationKeyOf(conversation), conversation])).values(),
]

/** Every showing of a card, on every surface, to be brought up to what the proposal is now. */
export function updateDrafts(
  house: House,
  proposal: Proposal,
  showings: readonly Showing[],
  nowMs: number,
  name?: string,
): readonly OutboxDraft[] {
  return surfacesOf(showings).map((conversation) => {
    const card = cardFor(house, proposal, conversation, nowMs)
    const locale = house.localeOf(conversation.account)
    // Half decided still waits: the other person's controls stay.
    const now = proposal.state.name === 'awaiting_second' ? card : stateCard(card, stateLine(house, proposal, locale, name))
    return { conversation, lane: 'receipt', body: { do: 'update', card: now }, proposalId: proposal.id }
  })
}
