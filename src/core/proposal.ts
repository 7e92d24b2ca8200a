import type { AskReason, Preview } from './card.ts'
import type { Conversation } from './conversation.ts'
import type { DecisionRecord } from './decision.ts'
import type { AlwaysTerms } from './grant.ts'
import type { Origin } from './origin.ts'

/** `reversible`: can be undone. `observed`: done in the open, hard to undo. `irreversible`: cannot be undone. Sets the gesture (RULES 7). */
export type Reversibility = 'reversible' | 'observed' | 'irreversible'

/**
 * Who may decide: the requester, anyone with a role, or whom a function of the configuration chooses each time it is asked. `second` asks
 * for two different persons, never the requester.
 */
export type Approvers =
  | { readonly kind: 'requester' }
  | { readonly kind: 'role'; readonly role: string; readonly second: boolean }
  | { readonly kind: 'function'; readonly name: string; readonly version: string; readonly second: boolean }

/** Are two different persons asked, neither of them the requester? */
export const asksTwo = (approvers: Approvers): boolean => approvers.kind !== 'requester' && approvers.second

/** Everything about a proposal that never changes once it is stored. */
export interface Draft {
  /** ULID. */
  readonly id: string
  /** Four characters that people can type; unique per account among open and recent proposals. */
  readonly code: string
  readonly tenant: string
  readonly conversation: Conversation
  /** The person whose message started the turn that proposed; an API proposal may have none. */
  readonly requester?: string
  /** What the requester was called when they asked: for people who decide elsewhere, and compared with nothing. */
  readonly requesterName?: string
  /** What started the run that proposed; absent on what was proposed before this was kept. */
  readonly origin?: Origin
  /** Which program proposed, where one did: only that one may withdraw it. */
  readonly proposedBy?: string
  /** Its end starts a turn of the agent; `depth` such turns led to it already. */
  readonly resumes?: { readonly depth: number }
  readonly action: string
  readonly actionVersion: string
  /** The arguments as the schema normalised them, in canonical JSON (RFC 8785), byte for byte what is hashed and run. */
  readonly canonicalArgs: string
  /** SHA-256 in hex over version, tenant, action, action version and `canonicalArgs` (RULES 4). */
  readonly fingerprint: string
  readonly preview: Preview
  /** SHA-256 in hex over the preview's key fields: what was shown. */
  readonly previewDigest: string
  readonly reasons: readonly AskReason[]
  readonly reversibility: Reversibility
  /** Its card looks different and is read longer, as that of what cannot be undone always is (`core/gesture.ts`). */
  readonly severity?: 'high'
  /** The key of the field whose value a yes has to type (RULES 7). */
  readonly typeToConfirm?: string
  /** `key`: the far side keeps the idempotency key, so the same call may be made again (RULES 6.5). */
  readonly idempotency: 'key' | 'none'
  readonly approvers: Approvers
  /** Who else may decide once it has waited so long (milliseconds from its first accepted showing), beside the approvers. */
  readonly escalate?: { readonly afterMs: number; readonly to: string }
  readonly locale: string
  /** How long a shown card waits, from its first accepted showing. */
  readonly ttlMs: number
  readonly policyVersion: string
  readonly replacementKey?: string
  /** The proposal in whose place this one stands, because the world moved before that one's yes. */
  readonly changedFrom?: string
  /** The proposal that this one is an edited copy of: it becomes `edited` when the card of this one is accepted. */
  readonly editedFrom?: string
  /** Who edited it, once for each edit that led to it, the latest last. Where a second person is asked, they are none (RULES 6.9). */
  readonly editors?: readonly string[]
  /** "Always" may be said to it, and reaches so far. */
  readonly always?: AlwaysTerms
  /** The grant that it was approved under, without a card. */
  readonly under?: string
  readonly createdAtMs: number
}

/** How a call was proved not to have taken effect, or why it was never made. */
export type FailureReason = 'refused' | 'denied' | 'authorization_revoked' | 'poison' | 'not_found' | 'attested'

/**
 * What is no more as it was shown: what the preview says, what the schema makes of the arguments, the action's version, the stored
 * arguments themselves; or the action says by now that it may not be done, or is done already.
 */
export type ChangeReason = 'preview' | 'schema' | 'version' | 'tampered' | 'denied' | 'completed'

/** A call that left, or may have left: from here on "nothing happened" needs a proof. */
export interface SendMarker {
  readonly atMs: number
  readonly fence: number
}

/** The state by name; each has only its own fields, so an impossible row cannot be written. Times are the database's, in ms. */
export type State =
  /** Stored, no showing accepted, or the accepted one refused later: not decidable. `expiresAtMs` once it had been shown. */
  | { readonly name: 'draft'; readonly refusals: number; readonly expiresAtMs?: number }
  | { readonly name: 'pending'; readonly shownAtMs: number; readonly expiresAtMs: number; readonly refusals: number }
  | { readonly name: 'awaiting_second'; readonly expiresAtMs: number; readonly first: DecisionRecord }
  | {
      readonly name: 'approved'
      readonly decision: DecisionRecord
      readonly first?: DecisionRecord
      readonly executeByMs: number
      readonly fence: number
      readonly attempts: number
      readonly holdUntilMs?: number
    }
  | {
      readonly name: 'executing'
      readonly decision: DecisionRecord
      readonly first?: DecisionRecord
      readonly executeByMs: number
      readonly fence: number
      readonly attempts: number
      readonly leaseUntilMs: number
      readonly sent?: SendMarker
      readonly doubted: boolean
      readonly firstSentAtMs?: number
    }
  | {
      readonly name: 'in_doubt'
      readonly decision: DecisionRecord
      readonly fence: number
      readonly attempts: number
      readonly sinceMs: number
      readonly firstSentAtMs: number
      readonly retryAtMs?: number
      readonly quarantineUntilMs: number
    }
  | { readonly name: 'succeeded'; readonly result?: string; readonly verification: 'none' | 'passed' | 'failed' }
  | { readonly name: 'failed'; readonly reason: FailureReason; readonly detail?: string }
  | { readonly name: 'rejected'; readonly decision: DecisionRecord }
  /** `original_ended`: of an edited copy whose original was decided or ended before its card was there. */
  | { readonly name: 'discarded'; readonly reason: 'other_message' | 'withdrawn' | 'original_ended' }
  | { readonly name: 'expired'; readonly reason: 'undecided' | 'card_undeliverable' | 'approval_stale' }
  | { readonly name: 'superseded'; readonly by: string }
  | { readonly name: 'edited'; readonly by: string }
  /** `by`: the one that stands in its place. `detail`: the action's own words, where it is no more to be done. */
  | { readonly name: 'changed'; readonly reason: ChangeReason; readonly by?: string; readonly detail?: string }
  | { readonly name: 'halted'; readonly by: 'refusal' | 'switch'; readonly person?: string }

export type StateName = State['name']

/** A proposal: its frozen draft, where it stands, and `revision`, which each move raises by one. */
export interface Proposal<S extends State = State> extends Draft {
  readonly state: S
  readonly revision: number
  /** Which version of the card is the valid one; a control of an older one decides nothing. */
  readonly cardRevision: number
  /** When the role of `escalate` was asked too; absent until then. */
  readonly escalatedAtMs?: number
}

/** A proposal that is in the named state. */
export type ProposalIn<N extends StateName> = Proposal<Extract<State, { name: N }>>

/** States that wait for a person. */
export const decidable = ['pending', 'awaiting_second'] as const satisfies readonly StateName[]

/** States from which something may still happen. */
export const open = [
  'draft',
  'pending',
  'awaiting_second',
  'approved',
  'executing',
  'in_doubt',
] as const satisfies readonly StateName[]

/** States from which nothing happens any more. */
export const ended = [
  'succeeded',
  'failed',
  'rejected',
  'discarded',
  'expired',
  'superseded',
  'edited',
  'changed',
  'halted',
] as const satisfies readonly Exclude<StateName, (typeof open)[number]>[]

export const isSettled = (state: State): boolean => !(open as readonly StateName[]).includes(state.name)

export const isDecidable = (proposal: Proposal): proposal is ProposalIn<'pending' | 'awaiting_second'> =>
  (decidable as readonly StateName[]).includes(proposal.state.name)

/** Does it wait for people, or to be shown to them? */
export const isWaiting = (proposal: Proposal): boolean => proposal.state.name === 'draft' || isDecidable(proposal)

/** Was it approved, and has it not come to its end? */
export const isUnderWay = (proposal: Proposal): proposal is ProposalIn<'approved' | 'executing' | 'in_doubt'> =>
  !isWaiting(proposal) && !isSettled(proposal.state)
