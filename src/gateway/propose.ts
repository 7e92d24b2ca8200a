import type { Preview } from '../core/card.ts'
import { type Conversation, isNowhere } from '../core/conversation.ts'
import { canonicalOf, fingerprintOf, previewDigestOf } from '../core/fingerprint.ts'
import { gestureOf, typedFor } from '../core/gesture.ts'
import type { Origin } from '../core/origin.ts'
import { type Around, type PolicyAnswer, policyOf } from '../core/policy.ts'
import { type Approvers, isDecidable, type Proposal } from '../core/proposal.ts'
import { type Weight, weightFor } from '../core/reversibility.ts'
import { isTypeable, toType } from '../core/typed.ts'
import type { Escalation } from '../core/whom.ts'
import type { Head } from '../core/write-card.ts'
import type { Action, Prepared } from '../ports/action.ts'
import type { AskedUntil } from '../ports/asking.ts'
import type { Beside, Move, OutboxDraft } from '../ports/store.ts'
import { alwaysWords } from './always-words.ts'
import { aroundOf } from './around.ts'
import { askPreview } from './ask-preview.ts'
import { audienceOf } from './audience.ts'
import { showingDraft } from './cards.ts'
import type { House } from './house.ts'
import { isHalted } from './is-halted.ts'
import { markUnusual } from './mark-unusual.ts'
import { noticeDraft } from './notice.ts'
import { outcomeText } from './outcome.ts'
import { supersede } from './supersede.ts'
import { underGrant } from './under-grant.ts'

/** Who asks, where, and for what. `requester` is the person whose message started the turn; an API proposal may have none. */
export interface Asked {
  readonly conversation: Conversation
  readonly requester?: string
  readonly requesterName?: string
  /** What started the run that asks. */
  readonly origin: Origin
  /** Its id, where whoever asks gave it one before, so that asking again makes no second. */
  readonly id?: string
  /** The program that asks, where one does. */
  readonly proposedBy?: string
  /** How many turns that an outcome started led here; none unless told. */
  readonly depth?: number
  readonly action: string
  readonly args: unknown
  /** When the message that started this run was received; a run that no message started replaces nothing. */
  readonly sinceMs?: number
  /** It stands in the place of one that ends with it, whose world moved: what was just looked at is its preview, and `role` is who is asked. */
  readonly instead?: {
    readonly of: Proposal
    readonly prepared: Extract<Prepared, { kind: 'ready' }>
    readonly role?: string
  }
  /** It is an edited copy of one that ends when its card is accepted; `by` is who edited. */
  readonly edit?: { readonly of: Proposal; readonly by: string }
}

/** Why no card comes of it. `message` is for the agent and, in `denied` and `completed`, the action's own words for the person. */
export interface Refused {
  readonly kind: 'refused'
  readonly code:
    | 'unknown_action'
    | 'invalid_args'
    | 'denied'
    | 'completed'
    | 'slot_busy'
    | 'nobody_can_decide'
    | 'does_not_fit'
    | 'preview_failed'
    | 'halted'
  readonly message: string
}

/**
 * A proposal ready to be stored with its card, together with the moves that end what it replaces; the same one as before whose card or
 * state is told again; or a refusal.
 */
export type Proposed =
  | {
      readonly kind: 'new'
      readonly proposal: Proposal
      readonly moves: readonly Move[]
      readonly say: readonly OutboxDraft[]
      /** Limits were added up from what had been asked by then: to be written with the proposal, which is lost when more was. */
      readonly until?: AskedUntil
    }
  | { readonly kind: 'same'; readonly proposal: Proposal; readonly say: readonly OutboxDraft[] }
  | Refused

const previewTimeoutMs = 10_000

/**
 * Prepares a proposal: policy first, then the action's own look, then quota and card. Writes nothing: the caller stores the draft, the
 * agent's text and the card in one transaction. `beside` may be stale by then; the store's constraints have the last word. `already` is
 * what the same run has proposed and nobody has stored yet.
 */
export async function propose(house: House, asked: Asked, already: readonly Proposal[]): Promise<Proposed> {
  const action = house.actions.get(asked.action)
  if (action === undefined) return refuse('unknown_action', `There is no action ${JSON.stringify(asked.action)}.`)
  const parsed = action.parse(asked.args)
  if (!parsed.ok) return refuse('invalid_args', parsed.problems.join('; '))
  const canonical = canonicalOf(parsed.args)
  if (!canonical.ok) return refuse('invalid_args', canonical.problem)
  const fingerprint = fingerprintOf({
    tenant: house.tenant,
    action: action.name,
    actionVersion: action.version,
    canonicalArgs: canonical.canonical,
  })
  const replacementKey = action.replacementKey?.(parsed.args)
  const { conversation, requester, instead, edit } = asked
  const before = instead?.of ?? edit?.of
  const editors = [...(before?.editors ?? []), ...(edit === undefined ? [] : [edit.by])]
  const judged = {
    conversation,
    action: action.name,
    fingerprint,
    ...(replacementKey === undefined ? {} : { replacementKey }),
    ...(before === undefined ? {} : { insteadOf: before.id }),
  }
  const { around, until } = await aroundOf(house, { ...judged, ...(requester === undefined ? {} : { requester }) }, already)
  const weight = weightOf(house, action, parsed.args)
  if (weight === undefined) return refuse('denied', 'POLICY_ERROR')
  const { reversibility, severity } = weight
  const judge = (of: Around) => policyOf(house.policies, { ...action, reversibility }, parsed.args, of)
  const policy = judge(around)
  if (policy.kind === 'denied') return denied(house, action, policy)
  // Whoever edits asks for what they made of it: what they may not ask for they cannot make of another's wish either.
  const editor = edit === undefined || edit.by === requester ? undefined : edit.by
  const forEditor = editor === undefined ? undefined : judge((await aroundOf(house, { ...judged, requester: editor }, [])).around)
  if (forEditor?.kind === 'denied') return denied(house, action, forEditor)
  if (await isHalted(house, action.name, asked.conversation.account)) return refuse('halted', `${action.name} is halted for now.`)
  if (policy.kind === 'nobody') return refuse('nobody_can_decide', 'It is above what anybody here may approve.')
  const approvers = approversOf(policy.approvers, instead?.role)
  const escalate = escalationOf(policy.escalate, approvers)
  const about = {
    conversation,
    action: action.name,
    canonicalArgs: canonical.canonical,
    approvers,
    editors,
    ...(requester === undefined ? {} : { requester }),
  }
  const typed = typedFor(action.typeToConfirm, weight, approvers)
  const shownIn = gestureOf({ reversibility, approvers, ...typed }) !== 'second' ? await audienceOf(house, about) : []
  if (shownIn.length === 0) return refuse('nobody_can_decide', 'There is nobody, or no chat, to ask for this.')

  const twin = already.find((one) => one.fingerprint === fingerprint)
  // Its card is written already, and comes with this run.
  if (twin !== undefined) return { kind: 'same', proposal: twin, say: [] }
  const beside = without(before?.id, await house.store.beside(asked.conversation, asked.requester, action.name, fingerprint))
  if (beside.same !== undefined) return same(house, beside.same, beside)
  const { limits } = house
  const older =
    replacementKey === undefined
      ? []
      : beside.waiting.filter((one) => one.action === action.name && one.replacementKey === replacementKey)
  if (!older.every(({ createdAtMs }) => asked.sinceMs !== undefined && asked.sinceMs > createdAtMs)) {
    return refuse('slot_busy', 'A card for this waits, and nothing that the person wrote since asks for another.')
  }
  const waiting = beside.waiting.length - older.length + already.length
  // Slots are a requester's: what nobody asked for, in no chat, takes nobody's.
  const takesSlot = requester !== undefined || !isNowhere(conversation)
  if (takesSlot && (limits.slots === 'single' ? waiting > 0 : waiting >= limits.maxOpenPerConversation)) {
    return refuse('slot_busy', 'Other cards of this person still wait for an answer.')
  }
  const prepared = instead?.prepared ?? (await prepare(house, action, parsed.args, asked))
  if (prepared.kind !== 'ready') return refuse(prepared.kind === 'failed' ? 'preview_failed' : prepared.kind, prepared.message)

  const locale = house.localeOf(asked.conversation.account)
  const { kind: _ready, ...plain } = prepared
  const preview = markUnusual(house.texts, plain, policy.marks, locale)
  if (typed.typeToConfirm !== undefined && !isTypeableIn(house, preview, typed.typeToConfirm, shownIn))
    return refuse('nobody_can_decide', `Its card has no ${typed.typeToConfirm} that a person could type to confirm it.`)
  const proposal: Proposal = {
    id: asked.id ?? house.mint.ulid(),
    code: house.mint.code(),
    tenant: house.tenant,
    conversation: asked.conversation,
    ...(asked.requester === undefined ? {} : { requester: asked.requester }),
    ...(asked.requesterName === undefined ? {} : { requesterName: asked.requesterName }),
    origin: asked.origin,
    ...(asked.proposedBy === undefined ? {} : { proposedBy: asked.proposedBy }),
    ...resumesOf(house, action, asked),
    action: action.name,
    actionVersion: action.version,
    canonicalArgs: canonical.canonical,
    fingerprint,
    preview,
    previewDigest: previewDigestOf(preview),
    reasons: policy.reasons,
    reversibility,
    ...(severity === undefined ? {} : { severity }),
    ...typed,
    idempotency: action.idempotency,
    approvers,
    ...(escalate === undefined ? {} : { escalate }),
    locale,
    ttlMs: action.ttlMs,
    policyVersion: policy.version,
    ...(replacementKey === undefined ? {} : { replacementKey }),
    ...alwaysOf(house, action, asked, policy.reasons),
    ...(instead === undefined ? {} : { changedFrom: instead.of.id }),
    ...(edit === undefined ? {} : { editedFrom: edit.of.id }),
    // Who edited the one before counts as a requester of this one too.
    ...(editors.length === 0 ? {} : { editors }),
    createdAtMs: beside.nowMs,
    state: { name: 'draft', refusals: 0 },
    revision: 1,
    cardRevision: 1,
  }
  // A standing yes is for what its person asks for, not for what an outcome or an API started; and an edited copy is always looked at.
  const isAskedAnew = asked.origin === 'human' && asked.sinceMs !== undefined && edit === undefined
  const standing = isAskedAnew ? await underGrant(house, proposal, beside) : undefined
  if (standing !== undefined) {
    const ends = await Promise.all(older.map((one) => supersede(house, one, standing.proposal, beside.nowMs)))
    return {
      kind: 'new',
      proposal: standing.proposal,
      moves: [...ends.flatMap(({ moves }) => moves), standing.move],
      say: [...ends.flatMap(({ say }) => say), standing.say],
      ...(until === undefined ? {} : { until }),
    }
  }
  const heads = [
    ...beside.siblings.map(({ code, state }): Head => ({ kind: 'sibling', code, state: state.name })),
    ...(instead === undefined ? [] : [{ kind: 'changed', from: instead.of.preview } as const]),
    ...(edit === undefined ? [] : [{ kind: 'edited', code: edit.of.code, from: edit.of.preview } as const]),
  ]
  const cards = shownIn.map((conversation) => showingDraft(house, proposal, conversation, beside.nowMs, heads))
  if (!cards.every((draft) => fits(house, draft)))
    return refuse('does_not_fit', 'Its key fields do not fit on a card of this channel.')
  // An edit is told where it was asked for once its card is there.
  const forRole = approvers.kind === 'requester' || edit !== undefined ? [] : [waitingNotice(house, proposal)]
  const replaced = await Promise.all(older.map((one) => supersede(house, one, proposal, beside.nowMs)))
  return {
    kind: 'new',
    proposal,
    moves: replaced.flatMap(({ moves }) => moves),
    say: [...replaced.flatMap(({ say }) => say), ...cards, ...forRole],
    ...(until === undefined ? {} : { until }),
  }
}

/**
 * Does the end of it start a turn? Only of what the agent here asked for somebody: who asks from outside learns the end there. What stands in
 * the place of another does as that one did, and after so many turns in a row it ends with being told.
 */
function resumesOf(
  { limits }: House,
  { onOutcome = limits.onOutcome }: Action,
  { origin, requester, depth = 0, instead, edit }: Asked,
): Pick<Proposal, 'resumes'> {
  const before = instead?.of ?? edit?.of
  if (before !== undefined) return before.resumes === undefined ? {} : { resumes: before.resumes }
  const isOwn = requester !== undefined && (origin === 'human' || origin === 'agent')
  return onOutcome === 'resume' && isOwn && depth < limits.resumeDepth ? { resumes: { depth } } : {}
}

/** May "always" be said to it? Only where nothing but its requester's own consent is asked, and never of what takes a read card's place. */
function alwaysOf(
  house: House,
  { always }: Action,
  { conversation, instead, edit }: Asked,
  reasons: Proposal['reasons'],
): Pick<Proposal, 'always'> {
  const isSayable = alwaysWords(house, conversation.account) !== undefined
  return always === undefined || !isSayable || reasons.length > 0 || instead !== undefined || edit !== undefined ? {} : { always }
}

/** What changed under its requester twice is looked at by somebody with a role. */
const approversOf = (asked: Approvers, role: string | undefined): Approvers =>
  role === undefined || asked.kind !== 'requester' ? asked : { kind: 'role', role, second: false }

/** A role that is asked from the beginning does not come in later. */
const escalationOf = (escalate: Escalation | undefined, approvers: Approvers): Escalation | undefined =>
  approvers.kind === 'role' && approvers.role === escalate?.to ? undefined : escalate

/** What ends with the new one is not beside it. */
const without = (id: string | undefined, { same, ...beside }: Beside): Beside => ({
  ...beside,
  waiting: beside.waiting.filter((one) => one.id !== id),
  ...(same === undefined || same.id === id ? {} : { same }),
})

function denied(house: House, { name }: Action, { reason, cause }: Extract<PolicyAnswer, { kind: 'denied' }>): Refused {
  if (cause !== undefined) house.log.error({ action: name, err: cause }, 'policy_failed')
  return refuse('denied', reason.message ?? reason.code)
}

const refuse = (code: Refused['code'], message: string): Refused => ({ kind: 'refused', code, message })

/** How hard this call is to undo, and how grave; undefined when the action cannot tell. */
function weightOf(house: House, action: Action, args: unknown): Weight | undefined {
  try {
    return weightFor(action, args)
  } catch (error) {
    house.log.error({ action: action.name, err: error }, 'policy_failed')
    return undefined
  }
}

/** Can that be typed wherever the card is shown, in the words of each of these chats? */
const isTypeableIn = (house: House, preview: Preview, key: string, shownIn: readonly Conversation[]): boolean =>
  shownIn.every(({ account }) => {
    const printed = toType(preview, key, house.localeOf(account))
    return printed !== undefined && isTypeable(printed.text, house.words.of(account).vocabulary)
  })

/** The very same call still lives: its card again while it waits, its state once it does not. */
function same(house: House, proposal: Proposal, { nowMs }: Beside): Proposed {
  const isOwnCard = isDecidable(proposal) && proposal.approvers.kind === 'requester'
  const say = isOwnCard
    ? showingDraft(house, proposal, proposal.conversation, nowMs)
    : // Behind what the agent said in this turn, not before it as a receipt would be.
      noticeDraft(proposal.conversation, 'chatter', outcomeText(house, proposal, proposal.locale), proposal)
  return { kind: 'same', proposal, say: [say] }
}

async function prepare(
  house: House,
  action: Action,
  args: unknown,
  { conversation, requester }: Asked,
): Promise<Prepared | { readonly kind: 'failed'; readonly message: string }> {
  try {
    const locale = house.localeOf(conversation.account)
    return await askPreview(action, args, { locale, conversation, requester }, previewTimeoutMs)
  } catch (error) {
    house.log.warn({ action: action.name, err: error }, 'preview_failed')
    return { kind: 'failed', message: `The preview of ${action.name} failed.` }
  }
}

function fits(house: House, { conversation, body }: OutboxDraft): boolean {
  const channel = house.channels.get(conversation.account)
  return body.do !== 'say' || channel === undefined || channel.fits(body.message)
}

const waitingNotice = (house: House, proposal: Proposal): OutboxDraft => {
  const { conversation, code, locale } = proposal
  return noticeDraft(conversation, 'chatter', house.texts.say(locale, 'notice.waiting_for_colleague', { code }), proposal)
}
