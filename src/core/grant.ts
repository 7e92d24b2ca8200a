import { isSamePerson, type Person } from './authority.ts'
import { type Conversation, conversationKeyOf } from './conversation.ts'
import { type DecisionRecord, deciderOf } from './decision.ts'
import { gestureOf } from './gesture.ts'
import type { Proposal, Reversibility } from './proposal.ts'

/** How far an "always" may reach: so many further calls, for so many days from the first success. */
export interface AlwaysTerms {
  readonly times: number
  readonly days: number
}

/** A standing yes of one person, for one action in one conversation: born of a person's "always", once what it was said to has succeeded. */
export interface Grant {
  /** The proposal that "always" was said to. */
  readonly id: string
  /** The code of that proposal. */
  readonly code: string
  readonly person: string
  readonly conversation: Conversation
  readonly action: string
  readonly actionVersion: string
  /** What is harder to undo than that was is asked for again. */
  readonly reversibility: Reversibility
  readonly times: number
  /** Calls that were approved under it. */
  readonly uses: number
  readonly bornAtMs: number
  readonly endsAtMs: number
  /** The person's own yes. */
  readonly decision: DecisionRecord
  /** Ended before its time, by its person or by `dale grants revoke`. */
  readonly ended?: { readonly atMs: number; readonly by: string }
}

/** Is nothing asked of this proposal but its requester's own consent? Then "always" may be said to it, and only then may a grant stand for it. */
export function mayBeAlways(proposal: Proposal): boolean {
  const { always, approvers, requester, reasons, preview, changedFrom, editedFrom } = proposal
  return (
    always !== undefined &&
    approvers.kind === 'requester' &&
    requester !== undefined &&
    gestureOf(proposal) === 'word' &&
    reasons.length === 0 &&
    preview.fields.every(({ unusual }) => unusual === undefined) &&
    // These take the place of a card that a person is reading.
    changedFrom === undefined &&
    editedFrom === undefined
  )
}

const weights: readonly Reversibility[] = ['reversible', 'observed', 'irreversible']

/** Was it given for this: by its requester, here, for this action as it is, and for nothing lighter? */
export const isGivenFor = (grant: Grant, { requester, conversation, action, actionVersion, reversibility }: Proposal): boolean =>
  isSamePerson(granterOf(grant), requester) &&
  conversationKeyOf(grant.conversation) === conversationKeyOf(conversation) &&
  grant.action === action &&
  grant.actionVersion === actionVersion &&
  weights.indexOf(reversibility) <= weights.indexOf(grant.reversibility)

/** Does it still hold? The store asks once more when it counts the use. */
export const isLasting = ({ ended, uses, times, endsAtMs }: Grant, nowMs: number): boolean =>
  ended === undefined && uses < times && nowMs < endsAtMs

const granterOf = ({ decision }: Grant): Pick<Person, 'id' | 'formerly'> => deciderOf(decision)
