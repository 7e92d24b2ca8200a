import { isAsker, isSamePerson } from './authority.ts'
import { type Decision, type DecisionRecord, deciderOf } from './decision.ts'
import { isGestureFor } from './gesture.ts'
import { type Grant, isGivenFor, isLasting, mayBeAlways } from './grant.ts'
import {
  asksTwo,
  type ChangeReason,
  type FailureReason,
  type Proposal,
  type ProposalIn,
  type State,
  type StateName,
} from './proposal.ts'

/** A draft whose card no channel accepted is given up after a day. */
export const draftLifeMs = 24 * 60 * 60_000
/** A shown card that the channel refuses later goes back to draft this often, then it is undeliverable. */
export const refusalsAllowed = 2
/** Claims that end before anything was sent; after these the proposal is given up as poison. */
export const attemptsAllowed = 3

/** How long after the first sending the same call may be made again: the last fifth of a key's life is for the call to end in. */
export const retryWithin = (keyValidForMs: number): number => 0.8 * keyValidForMs

/** What a claim or a person's evidence rests on when it settles a proposal. */
export type Proof = 'call' | 'look_up' | 'attested'

/** Everything that can happen to a proposal. What the caller had to find out first travels in the event, so the law stays pure. */
export type LifecycleEvent =
  /** A channel accepted the current card. */
  | { readonly name: 'show' }
  /** No channel will ever take the card. */
  | { readonly name: 'undeliverable' }
  /** The channel refused an accepted card afterwards. */
  | { readonly name: 'withhold' }
  | {
      readonly name: 'approve'
      readonly decision: Decision
      readonly permitted: boolean
      /** Is the first of two approvers still permitted? Always true where there is none. */
      readonly firstPermitted: boolean
      readonly cardRevision: number
      /** The fingerprint, recomputed from the stored arguments. */
      readonly fingerprint: string
      /** The digest of a preview made just now; the stored one where the action offers no new look. */
      readonly previewDigest: string
      readonly executeWithinMs: number
      readonly holdMs: number
    }
  /** A standing yes of its requester, in place of a card and an answer. */
  | { readonly name: 'grant'; readonly decision: Decision; readonly grant: Grant; readonly executeWithinMs: number }
  | { readonly name: 'reject'; readonly decision: Decision; readonly permitted: boolean }
  | { readonly name: 'discard'; readonly reason: 'other_message' | 'withdrawn' | 'original_ended' }
  | { readonly name: 'expire' }
  | { readonly name: 'supersede'; readonly by: string }
  | { readonly name: 'edit'; readonly by: string }
  | {
      readonly name: 'change'
      readonly reason: ChangeReason
      readonly by?: string
      readonly detail?: string
      readonly fence?: number
    }
  | { readonly name: 'stop'; readonly by: 'refusal' | 'switch'; readonly person?: string }
  | { readonly name: 'go_stale' }
  | { readonly name: 'claim'; readonly leaseMs: number; readonly halted: boolean }
  /** Nothing was sent: back into the line. By the worker itself, or by the sweep once the lease is over. */
  | { readonly name: 'release'; readonly fence?: number }
  /** The send marker, before the first byte of the call. */
  | { readonly name: 'send'; readonly fence: number; readonly fingerprint: string; readonly halted: boolean }
  | {
      readonly name: 'succeed'
      readonly fence?: number
      readonly proof: Proof
      readonly result?: string
      readonly verification: 'none' | 'passed' | 'failed'
    }
  | {
      readonly name: 'fail'
      readonly fence?: number
      readonly proof: Proof
      readonly reason: FailureReason
      readonly detail?: string
    }
  /** A call may have happened and its end is unknown. By the worker, or by the sweep once the lease is over. */
  | { readonly name: 'doubt'; readonly fence?: number; readonly retryInMs?: number; readonly quarantineMs: number }
  /** Runs the very same call again with the same key; the send marker is part of it. */
  | {
      readonly name: 'retry'
      readonly leaseMs: number
      readonly keyValidForMs: number
      readonly fingerprint: string
      readonly halted: boolean
    }

  /** A look-up told nothing, or the call may not run again: look again then, or leave it to a person. */
  | { readonly name: 'postpone'; readonly retryInMs?: number }

export type EventName = LifecycleEvent['name']
type EventOf<E extends EventName> = Extract<LifecycleEvent, { name: E }>
type StateOf<S extends StateName> = Extract<State, { name: S }>
type Guard = (proposal: Proposal, event: LifecycleEvent, nowMs: number) => boolean

/** When the waiting is over. A card that was shown once and taken back keeps the time of its first showing (RULES 6.2). */
export function deadlineOf({ state, createdAtMs }: Proposal): number {
  if (state.name === 'draft') return Math.min(state.expiresAtMs ?? Number.POSITIVE_INFINITY, createdAtMs + draftLifeMs)
  return 'expiresAtMs' in state ? state.expiresAtMs : Number.POSITIVE_INFINITY
}

const leaseIsOver = ({ state }: Proposal, nowMs: number): boolean => 'leaseUntilMs' in state && nowMs >= state.leaseUntilMs
const ownsFence = ({ state }: Proposal, event: LifecycleEvent): boolean =>
  'fence' in event && 'fence' in state && event.fence === state.fence
const wasSent = ({ state }: Proposal): boolean => 'sent' in state && state.sent !== undefined
const secondAsked = ({ approvers }: Proposal): boolean => asksTwo(approvers)

/**
 * What must hold for a move, by name: tests, logs and the exhaustive check (which takes each one away once and must notice) use
 * these names. `nowMs` is the database's clock.
 */
export const guards = {
  'before the deadline': (proposal, _event, nowMs) => nowMs < deadlineOf(proposal),
  'past the deadline': (proposal, _event, nowMs) => nowMs >= deadlineOf(proposal),
  'by a permitted person': (_proposal, event) => 'permitted' in event && event.permitted,
  'the first is still permitted': (_proposal, event) => 'firstPermitted' in event && event.firstPermitted,
  'by another person than the first': ({ state }, event) =>
    !('first' in state && 'decision' in event) || !isSamePerson(deciderOf(event.decision), state.first.person),
  'not by the requester where a second is asked': (proposal, event) =>
    !(secondAsked(proposal) && 'decision' in event) || !isAsker(proposal, deciderOf(event.decision)),
  'on the current card': (proposal, event) => 'cardRevision' in event && event.cardRevision === proposal.cardRevision,
  'on what was shown': (proposal, event) => 'fingerprint' in event && event.fingerprint === proposal.fingerprint,
  'while the world stands as shown': (proposal, event) =>
    'previewDigest' in event && event.previewDigest === proposal.previewDigest,
  'by the gesture that it asks for': (proposal, event) => !('decision' in event) || isGestureFor(proposal, event.decision.via),
  'never shown': ({ state }) => state.name === 'draft' && state.expiresAtMs === undefined,
  'where its requester’s own yes is all that is asked': (proposal) => mayBeAlways(proposal),
  'for what the grant was given': (proposal, event) =>
    event.name === 'grant' && event.decision.grant === event.grant.id && isGivenFor(event.grant, proposal),
  'while the grant lasts': (_proposal, event, nowMs) => event.name === 'grant' && isLasting(event.grant, nowMs),
  'refused less than twice before': ({ state }) => 'refusals' in state && state.refusals < refusalsAllowed,
  'while the approval is fresh': ({ state }, _event, nowMs) => 'executeByMs' in state && nowMs < state.executeByMs,
  'once the approval is stale': ({ state }, _event, nowMs) => 'executeByMs' in state && nowMs >= state.executeByMs,
  'off hold': ({ state }, _event, nowMs) =>
    !('holdUntilMs' in state) || state.holdUntilMs === undefined || nowMs >= state.holdUntilMs,
  'not halted': (_proposal, event) => 'halted' in event && !event.halted,
  'under its own fence': (proposal, event) => ownsFence(proposal, event),
  'under its own fence or once the lease is over': (proposal, event, nowMs) =>
    ownsFence(proposal, event) || leaseIsOver(proposal, nowMs),
  'while the lease lives': (proposal, _event, nowMs) => !leaseIsOver(proposal, nowMs),
  'never sent': (proposal) => !wasSent(proposal),
  'once it was sent': (proposal) => wasSent(proposal),
  'with attempts left': ({ state }) => 'attempts' in state && state.attempts < attemptsAllowed,
  'with a proof for this attempt': ({ state }, event) => {
    if (!('proof' in event && 'doubted' in state)) return false
    if (state.sent === undefined) return true
    return event.name === 'succeed' || !state.doubted
  },
  'by the call, while it owns the fence': (proposal, event, nowMs) =>
    wasSent(proposal) ? ownsFence(proposal, event) : ownsFence(proposal, event) || leaseIsOver(proposal, nowMs),
  'with evidence from outside': (_proposal, event) => 'proof' in event && event.proof !== 'call',
  'where the same call may run again': (proposal) => proposal.idempotency === 'key',
  'while the key is valid': ({ state }, event, nowMs) =>
    'firstSentAtMs' in state &&
    state.firstSentAtMs !== undefined &&
    event.name === 'retry' &&
    nowMs < state.firstSentAtMs + retryWithin(event.keyValidForMs),
  'when the retry is due': ({ state }, _event, nowMs) =>
    'retryAtMs' in state && state.retryAtMs !== undefined && nowMs >= state.retryAtMs,
  'once the quarantine is over': ({ state }, _event, nowMs) => 'quarantineUntilMs' in state && nowMs >= state.quarantineUntilMs,
} satisfies Record<string, Guard>

export type GuardName = keyof typeof guards

/** One move: where it may lead, what must hold, and the state it makes. `to` is what the diagram and the database's trigger read. */
export interface Cell<S extends StateName, E extends EventName> {
  readonly to: readonly StateName[]
  readonly guards: readonly GuardName[]
  readonly move: (proposal: ProposalIn<S>, event: EventOf<E>, nowMs: number) => State
}

type Table = { readonly [S in StateName]: { readonly [E in EventName]?: Cell<S, E> } }

const approvalGuards = [
  'before the deadline',
  'by a permitted person',
  'not by the requester where a second is asked',
  'on the current card',
  'on what was shown',
  'while the world stands as shown',
] as const satisfies readonly GuardName[]

const approved = (
  event: Pick<EventOf<'approve'>, 'decision' | 'executeWithinMs' | 'holdMs'>,
  nowMs: number,
  first?: DecisionRecord,
): StateOf<'approved'> => ({
  name: 'approved',
  decision: event.decision,
  ...(first === undefined ? {} : { first }),
  executeByMs: nowMs + event.executeWithinMs,
  fence: 0,
  attempts: 0,
  ...(event.holdMs > 0 ? { holdUntilMs: nowMs + event.holdMs } : {}),
})

const closeUndecided = {
  discard: {
    to: ['discarded'],
    guards: ['before the deadline'],
    move: (_p: Proposal, event: EventOf<'discard'>): State => ({ name: 'discarded', reason: event.reason }),
  },
  expire: { to: ['expired'], guards: ['past the deadline'], move: (): State => ({ name: 'expired', reason: 'undecided' }) },
  supersede: {
    to: ['superseded'],
    guards: ['before the deadline'],
    move: (_p: Proposal, event: EventOf<'supersede'>): State => ({ name: 'superseded', by: event.by }),
  },
} as const

const rejected = {
  to: ['rejected'],
  guards: ['before the deadline', 'by a permitted person'],
  move: (_p: Proposal, event: EventOf<'reject'>): State => ({ name: 'rejected', decision: event.decision }),
} as const

const edited = {
  to: ['edited'],
  guards: ['before the deadline'],
  move: (_p: Proposal, event: EventOf<'edit'>): State => ({ name: 'edited', by: event.by }),
} as const

const changed = (event: EventOf<'change'>): State => ({
  name: 'changed',
  reason: event.reason,
  ...(event.by === undefined ? {} : { by: event.by }),
  ...(event.detail === undefined ? {} : { detail: event.detail }),
})

const failed = (event: EventOf<'fail'>): State => ({
  name: 'failed',
  reason: event.reason,
  ...(event.detail === undefined ? {} : { detail: event.detail }),
})

const succeeded = (event: EventOf<'succeed'>): State => ({
  name: 'succeeded',
  verification: event.verification,
  ...(event.result === undefined ? {} : { result: event.result }),
})

/**
 * The whole law of a proposal's life (RULES 6): for each state the events that may move it. What is not here cannot happen.
 * `transition` reads it, the gateway applies it, the database's trigger and the diagram are made from it.
 */
export const lifecycle: Table = {
  draft: {
    ...closeUndecided,
    show: {
      to: ['pending'],
      guards: ['before the deadline'],
      move: ({ ttlMs, state }, _event, nowMs) => ({
        name: 'pending',
        shownAtMs: nowMs,
        expiresAtMs: state.expiresAtMs ?? nowMs + ttlMs,
        refusals: state.refusals,
      }),
    },
    undeliverable: {
      to: ['expired'],
      guards: ['before the deadline'],
      move: () => ({ name: 'expired', reason: 'card_undeliverable' }),
    },
    grant: {
      to: ['approved'],
      guards: [
        'before the deadline',
        'never shown',
        'where its requester’s own yes is all that is asked',
        'for what the grant was given',
        'while the grant lasts',
      ],
      move: (_p, event, nowMs) => approved({ ...event, holdMs: 0 }, nowMs),
    },
  },
  pending: {
    ...closeUndecided,
    reject: rejected,
    edit: edited,
    withhold: {
      to: ['draft'],
      guards: ['before the deadline', 'refused less than twice before'],
      move: ({ state }) => ({ name: 'draft', refusals: state.refusals + 1, expiresAtMs: state.expiresAtMs }),
    },
    undeliverable: {
      to: ['expired'],
      guards: ['before the deadline'],
      move: () => ({ name: 'expired', reason: 'card_undeliverable' }),
    },
    approve: {
      to: ['approved', 'awaiting_second'],
      guards: [...approvalGuards, 'by the gesture that it asks for'],
      move: (proposal, event, nowMs) =>
        secondAsked(proposal)
          ? { name: 'awaiting_second', expiresAtMs: proposal.state.expiresAtMs, first: event.decision }
          : approved(event, nowMs),
    },
    change: { to: ['changed'], guards: ['before the deadline'], move: (_p, event) => changed(event) },
  },
  awaiting_second: {
    ...closeUndecided,
    reject: rejected,
    edit: edited,
    approve: {
      to: ['approved'],
      guards: [...approvalGuards, 'by another person than the first', 'the first is still permitted'],
      move: ({ state }, event, nowMs) => approved(event, nowMs, state.first),
    },
    change: { to: ['changed'], guards: ['before the deadline'], move: (_p, event) => changed(event) },
  },
  approved: {
    reject: {
      to: ['halted'],
      guards: ['by a permitted person'],
      move: (_p, event) => ({ name: 'halted', by: 'refusal', person: event.decision.person }),
    },
    stop: {
      to: ['halted'],
      guards: [],
      move: (_p, event) => ({ name: 'halted', by: event.by, ...(event.person === undefined ? {} : { person: event.person }) }),
    },
    go_stale: {
      to: ['expired'],
      guards: ['once the approval is stale'],
      move: () => ({ name: 'expired', reason: 'approval_stale' }),
    },
    claim: {
      to: ['executing'],
      guards: ['while the approval is fresh', 'off hold', 'not halted'],
      move: ({ state }, event, nowMs) => ({
        name: 'executing',
        decision: state.decision,
        ...(state.first === undefined ? {} : { first: state.first }),
        executeByMs: state.executeByMs,
        fence: state.fence + 1,
        attempts: state.attempts + 1,
        leaseUntilMs: nowMs + event.leaseMs,
        doubted: false,
      }),
    },
  },
  executing: {
    release: {
      to: ['approved'],
      guards: ['never sent', 'under its own fence or once the lease is over', 'with attempts left'],
      move: ({ state }) => ({
        name: 'approved',
        decision: state.decision,
        ...(state.first === undefined ? {} : { first: state.first }),
        executeByMs: state.executeByMs,
        fence: state.fence,
        attempts: state.attempts,
      }),
    },
    change: { to: ['changed'], guards: ['never sent', 'under its own fence'], move: (_p, event) => changed(event) },
    send: {
      to: ['executing'],
      guards: ['under its own fence', 'while the lease lives', 'never sent', 'on what was shown', 'not halted'],
      move: ({ state }, _event, nowMs) => ({ ...state, sent: { atMs: nowMs, fence: state.fence }, firstSentAtMs: nowMs }),
    },
    succeed: { to: ['succeeded'], guards: ['once it was sent', 'under its own fence'], move: (_p, event) => succeeded(event) },
    fail: {
      to: ['failed'],
      guards: ['by the call, while it owns the fence', 'with a proof for this attempt'],
      move: (_p, event) => failed(event),
    },
    doubt: {
      to: ['in_doubt'],
      guards: ['once it was sent', 'under its own fence or once the lease is over'],
      move: ({ state }, event, nowMs) => ({
        name: 'in_doubt',
        decision: state.decision,
        fence: state.fence,
        attempts: state.attempts,
        sinceMs: nowMs,
        firstSentAtMs: state.firstSentAtMs ?? nowMs,
        quarantineUntilMs: nowMs + event.quarantineMs,
        ...(event.retryInMs === undefined ? {} : { retryAtMs: nowMs + event.retryInMs }),
      }),
    },
  },
  in_doubt: {
    retry: {
      to: ['executing'],
      guards: [
        'where the same call may run again',
        'while the key is valid',
        'when the retry is due',
        'on what was shown',
        'not halted',
      ],
      move: ({ state }, event, nowMs) => ({
        name: 'executing',
        decision: state.decision,
        executeByMs: nowMs,
        fence: state.fence + 1,
        attempts: state.attempts + 1,
        leaseUntilMs: nowMs + event.leaseMs,
        sent: { atMs: nowMs, fence: state.fence + 1 },
        firstSentAtMs: state.firstSentAtMs,
        doubted: true,
      }),
    },
    postpone: {
      to: ['in_doubt'],
      guards: ['when the retry is due'],
      move: ({ state: { retryAtMs: _due, ...state } }, event, nowMs) => ({
        ...state,
        ...(event.retryInMs === undefined ? {} : { retryAtMs: nowMs + event.retryInMs }),
      }),
    },
    succeed: { to: ['succeeded'], guards: ['with evidence from outside'], move: (_p, event) => succeeded(event) },
    fail: {
      to: ['failed'],
      guards: ['with evidence from outside', 'once the quarantine is over'],
      move: (_p, event) => failed(event),
    },
  },
  succeeded: {},
  failed: {},
  rejected: {},
  discarded: {},
  expired: {},
  superseded: {},
  edited: {},
  changed: {},
  halted: {},
}

/** A move that was made, or why it was not: the guard that did not hold, or that the table knows no such move from here. */
export type Moved =
  | { readonly kind: 'moved'; readonly proposal: Proposal }
  | { readonly kind: 'refused'; readonly because: GuardName | 'no such move' }

/**
 * Applies one event to a proposal by the table. Pure: the caller writes the result by compare-and-set on (state, revision).
 * A refusal is a value. `rules` exists for the exhaustive check, which takes guards away one at a time.
 */
export function transition(
  proposal: Proposal,
  event: LifecycleEvent,
  nowMs: number,
  rules: Readonly<Record<GuardName, Guard>> = guards,
): Moved {
  // The table's type ties each cell to its state and event; after the look-up both are known to fit, which TypeScript cannot follow.
  const cell = lifecycle[proposal.state.name][event.name] as Cell<StateName, EventName> | undefined
  if (cell === undefined) return { kind: 'refused', because: 'no such move' }
  const broken = cell.guards.find((name) => !rules[name](proposal, event, nowMs))
  if (broken !== undefined) return { kind: 'refused', because: broken }
  const state = cell.move(proposal as ProposalIn<StateName>, event, nowMs)
  return { kind: 'moved', proposal: { ...proposal, state, revision: proposal.revision + 1 } }
}
