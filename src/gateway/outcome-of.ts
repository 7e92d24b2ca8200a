import { type Conversation, isNowhere } from '../core/conversation.ts'
import type { DecisionRecord, Via } from '../core/decision.ts'
import { type Origin, originOf } from '../core/origin.ts'
import { isSettled, type Proposal, type StateName } from '../core/proposal.ts'
import type { Verdict } from '../core/vocabulary.ts'
import type { House } from './house.ts'

/** A proposal as programs see it. Times are ISO 8601 in UTC, by the database's clock. */
export interface Outcome {
  readonly id: string
  readonly code: string
  readonly action: string
  readonly args: unknown
  readonly summary: string
  readonly origin: Origin
  /** Absent where it was asked for in no chat. */
  readonly conversation?: Conversation
  readonly requester?: string
  readonly state: StateName
  /** Nothing more happens to it. */
  readonly final: boolean
  /** Only once it is known to be done. */
  readonly executed: boolean
  /** Why it ended so, where the state alone does not say. */
  readonly reason?: string
  /** What the far side said of it: data of others, capped. */
  readonly result?: string
  /** What was done was looked at again: `failed` says that it does not look done. */
  readonly verification?: 'none' | 'passed' | 'failed'
  /** The proposal in whose favour it ended. */
  readonly replacedBy?: string
  readonly createdAt: string
  /** Until when people may decide, once it was shown. */
  readonly expiresAt?: string
}

/** One person's word on it. */
export interface OutcomeDecision {
  readonly person: string
  readonly verdict: Verdict
  readonly via: Via
  readonly at: string
}

/** With who decided, and when it was shown and settled. */
export interface OutcomeInFull extends Outcome {
  readonly decisions: readonly OutcomeDecision[]
  readonly shownAt?: string
  readonly settledAt?: string
}

const resultCap = 2_000

/** What programs may see of a proposal. */
export function outcomeOf(proposal: Proposal): Outcome {
  const { state, conversation, requester } = proposal
  return {
    id: proposal.id,
    code: proposal.code,
    action: proposal.action,
    args: JSON.parse(proposal.canonicalArgs),
    summary: proposal.preview.summary,
    origin: originOf(proposal),
    ...(isNowhere(conversation) ? {} : { conversation }),
    ...(requester === undefined ? {} : { requester }),
    state: state.name,
    final: isSettled(state),
    executed: state.name === 'succeeded',
    ...reasonOf(state),
    ...resultOf(state),
    ...(state.name === 'succeeded' ? { verification: state.verification } : {}),
    ...('by' in state && state.name !== 'halted' && state.by !== undefined ? { replacedBy: state.by } : {}),
    createdAt: isoOf(proposal.createdAtMs),
    ...('expiresAtMs' in state && state.expiresAtMs !== undefined ? { expiresAt: isoOf(state.expiresAtMs) } : {}),
  }
}

/** The same with everything that happened to it; undefined where there is none of that id for this tenant. */
export async function outcomeInFull(house: House, proposalId: string): Promise<OutcomeInFull | undefined> {
  const read = await house.store.proposal(proposalId)
  if (read === undefined || read.proposal.tenant !== house.tenant) return undefined
  const [decisions, history] = await Promise.all([house.store.decisions(proposalId), house.store.history(proposalId)])
  const shown = history.find(({ event }) => event === 'show')
  const settled = isSettled(read.proposal.state) ? history.findLast(({ from, to }) => from !== to) : undefined
  return {
    ...outcomeOf(read.proposal),
    decisions: decisions.map(decisionOf),
    ...(shown === undefined ? {} : { shownAt: isoOf(shown.atMs) }),
    ...(settled === undefined ? {} : { settledAt: isoOf(settled.atMs) }),
  }
}

function reasonOf(state: Proposal['state']): { readonly reason?: string } {
  if ('reason' in state) return { reason: state.reason }
  return state.name === 'halted' ? { reason: state.by } : {}
}

function resultOf(state: Proposal['state']): { readonly result?: string } {
  const text = 'detail' in state ? state.detail : 'result' in state ? state.result : undefined
  return text === undefined ? {} : { result: text.slice(0, resultCap).toWellFormed() }
}

const decisionOf = ({ person, verdict, via, atMs }: DecisionRecord): OutcomeDecision => ({
  person,
  verdict,
  via,
  at: isoOf(atMs),
})

const isoOf = (ms: number): string => new Date(ms).toISOString()
