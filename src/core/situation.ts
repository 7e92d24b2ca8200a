import type { Person } from './authority.ts'
import type { Conversation } from './conversation.ts'
import type { Moment } from './moment.ts'
import type { Proposal } from './proposal.ts'
import type { Question } from './question.ts'

/** One accepted sending of a card in one conversation. Taps, replies and codes on any showing of the current card count. */
export interface Showing {
  readonly proposalId: string
  readonly cardRevision: number
  readonly conversation: Conversation
  readonly messageIds: readonly string[]
  /** When the provider accepted its last part: on our clock, and on the provider's where it said. */
  readonly acceptedAtMs: number
  readonly moment?: Moment
  readonly deliveredAtMs?: number
}

/** One thing that the person may have read from the account, newest first in a `Situation`. */
export interface Said {
  readonly what:
    | { readonly kind: 'card'; readonly proposalId: string; readonly cardRevision: number }
    | { readonly kind: 'text'; readonly text: string }
    /** `asked` until it got its answer. */
    | { readonly kind: 'question'; readonly asked?: Question }
    | { readonly kind: 'list' }
    /** By a human or another tool through the same account. */
    | { readonly kind: 'outside' }
  /** When its sending began, on our clock. */
  readonly begunAtMs: number
  /** Once accepted: the provider's moment, or ours where it told none. Absent while the sending is under way. */
  readonly moment?: Moment
}

/** A proposal with where it was shown in the conversation at hand. */
export interface Shown {
  readonly proposal: Proposal
  readonly showings: readonly Showing[]
}

/** Everything that `target.ts` needs to judge one event, read in one go. `nowMs` is the database's clock at that read. */
export interface Situation {
  readonly nowMs: number
  readonly person: Person
  /** Is this a chat where a role's cards are shown? There bare phrases do not count (RULES 3, groups). */
  readonly operators: boolean
  /** `pending` and `awaiting_second` with an accepted showing in this conversation, oldest first. */
  readonly open: readonly Shown[]
  /** What the press, code or reply of the event names, in whatever state; with its showings here. */
  readonly named?: Shown
  /** Everything said here lately, newest first, up to fifty. */
  readonly said: readonly Said[]
  /** This person's latest earlier message here that goes to the agent. */
  readonly spoke?: { readonly moment: Moment; readonly receivedAtMs: number }
  /**
   * The proposal of this conversation that was decided or ended last, whether nothing was said by either side since, and whether its
   * state was repeated already to a stray phrase.
   */
  readonly lastEnded?: {
    readonly proposal: Proposal
    readonly atMs: number
    readonly quietSince: boolean
    readonly repeated: boolean
  }
  /** How often each open card was shown again because of a bare phrase that could not decide. */
  readonly shownAgain: Readonly<Record<string, number>>
  /** Open cards whose one hint about "this cannot decide" was given. */
  readonly hinted: readonly string[]
  /** The number of the account's active vocabulary; none before the first one was made active. */
  readonly vocabulary?: number
}
