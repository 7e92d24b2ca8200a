import type { Person } from '../core/authority.ts'
import type { Conversation } from '../core/conversation.ts'

/** A proposal of a person, as limits count it. */
export interface AskedBefore {
  readonly id: string
  readonly conversation: Conversation
  readonly action: string
  readonly canonicalArgs: string
  readonly fingerprint: string
  readonly replacementKey?: string
  /** It waits for people, or to be shown to them. */
  readonly waits: boolean
  /** When it succeeded; absent while it is open. */
  readonly doneAtMs?: number
}

/** That nobody has asked for more since: so many proposals of a person, of these actions, since then. */
export interface AskedUntil {
  readonly requester: string
  readonly actions: readonly string[]
  readonly sinceMs: number
  readonly times: number
}

/** What rules may want to know of a person before a proposal. */
export interface AskingQuery {
  readonly requester: string
  /** The actions that limits add up; none: nothing is counted. */
  readonly actions: readonly string[]
  /** How long back what was done is counted. */
  readonly withinMs: number
  /** Of which action earlier calls are wanted, for what is unusual. */
  readonly historyOf?: string
}

export interface AskingPast {
  readonly nowMs: number
  readonly person: Person
  /** Open, approved, or done within the time. */
  readonly counted: readonly AskedBefore[]
  /** To be held against at the commit: only while no other proposal has come between does the sum hold. */
  readonly until?: AskedUntil
  /** Canonical arguments of calls that were carried out, the latest first, a hundred at most. */
  readonly done: readonly string[]
}

/** What a person has asked for before. Part of the store. */
export interface AskingStore {
  /** One query, by index. */
  askingPast(query: AskingQuery): Promise<AskingPast>
}
