import { conversationOf } from '../core/conversation.ts'
import { deadlineOf } from '../core/lifecycle.ts'
import type { Moment } from '../core/moment.ts'
import { type Draft, isSettled, type Proposal, type State } from '../core/proposal.ts'
import type { Showing } from '../core/situation.ts'

/** A proposal as `routines/json.ts` selects it. */
export interface StoredProposal {
  readonly frozen: Omit<Draft, 'conversation' | 'canonicalArgs'>
  readonly args: string
  readonly conversation: string
  readonly state: State
  readonly revision: number
  readonly cardRevision: number
  readonly escalatedAt: number | null
}

export const proposalOf = ({
  frozen,
  args,
  conversation,
  state,
  revision,
  cardRevision,
  escalatedAt,
}: StoredProposal): Proposal => ({
  ...frozen,
  canonicalArgs: args,
  conversation: conversationOf(conversation),
  state,
  revision,
  cardRevision,
  ...(escalatedAt === null ? {} : { escalatedAtMs: escalatedAt }),
})

/** The part of a proposal that has no column of its own, and never changes. */
export function frozenOf(proposal: Proposal): StoredProposal['frozen'] {
  const {
    conversation: _conversation,
    canonicalArgs: _args,
    state: _state,
    revision: _revision,
    cardRevision: _card,
    escalatedAtMs: _escalated,
    ...frozen
  } = proposal
  return frozen
}

/** What the database must be able to ask about a state; the state itself is kept whole beside it. */
export interface StateColumns {
  readonly fence: number | undefined
  readonly sent: boolean
  readonly leaseUntil: number | undefined
  readonly expiresAt: number | undefined
  readonly executeBy: number | undefined
  readonly readyAt: number | undefined
  readonly ended: boolean
}

/** A moment as the database keeps it: whole milliseconds. */
export const whole = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : Math.ceil(ms))

export function stateColumnsOf(proposal: Proposal): StateColumns {
  const { state } = proposal
  const deadlineMs = deadlineOf(proposal)
  return {
    fence: 'fence' in state ? state.fence : undefined,
    sent: 'sent' in state && state.sent !== undefined,
    leaseUntil: 'leaseUntilMs' in state ? whole(state.leaseUntilMs) : undefined,
    expiresAt: Number.isFinite(deadlineMs) ? whole(deadlineMs) : undefined,
    executeBy: 'executeByMs' in state ? whole(state.executeByMs) : undefined,
    readyAt: whole(
      state.name === 'approved' ? (state.holdUntilMs ?? 0) : state.name === 'in_doubt' ? state.retryAtMs : undefined,
    ),
    ended: isSettled(state),
  }
}

/** A moment from its two columns; undefined where the provider told none. */
export function momentOf(atMs: number | null, order: number | null): Moment | undefined {
  if (atMs === null) return undefined
  return order === null ? { atMs } : { atMs, order }
}

/** A showing as `routines/json.ts` selects it. */
export interface StoredShowing {
  readonly proposal: string
  readonly cardRevision: number
  readonly conversation: string
  readonly messageIds: readonly string[]
  readonly acceptedAt: number
  readonly momentAt: number | null
  readonly momentOrder: number | null
  readonly deliveredAt: number | null
}

export function showingOf(stored: StoredShowing): Showing {
  const moment = momentOf(stored.momentAt, stored.momentOrder)
  return {
    proposalId: stored.proposal,
    cardRevision: stored.cardRevision,
    conversation: conversationOf(stored.conversation),
    messageIds: stored.messageIds,
    acceptedAtMs: stored.acceptedAt,
    ...(moment === undefined ? {} : { moment }),
    ...(stored.deliveredAt === null ? {} : { deliveredAtMs: stored.deliveredAt }),
  }
}
