import type { Via } from './decision.ts'
import type { HumanEvent } from './human-event.ts'
import type { Timing } from './limits.ts'
import type { Press } from './press.ts'
import type { Proposal } from './proposal.ts'
import type { Question } from './question.ts'
import type { Situation } from './situation.ts'
import { targetOfMessage } from './target-of-message.ts'
import { targetOfPress } from './target-of-press.ts'
import type { Matched, Verdict } from './vocabulary.ts'

/** How a verdict was given, for the decision's record. */
export interface Given {
  readonly verdict: Verdict
  readonly via: Via
  readonly phrase?: string
  /** The version of the vocabulary that the phrase was found in. */
  readonly vocabularyVersion?: string
  /** It was said with "always". */
  readonly always?: true
  /** Why not, in the person's own words. */
  readonly reason?: string
}

/**
 * Every road that a message or press can take, by name. Logs, metrics and tests use these names. Only `decide` can change a
 * proposal's state; only `converse` and an `attempt` that goes to the agent reach one.
 */
export type Target =
  | { readonly road: 'decide'; readonly proposal: Proposal; readonly given: Given }
  /** The card again, headed "nothing has been done yet". */
  | { readonly road: 'show_again'; readonly proposal: Proposal }
  /** Delivered too long after it was written: the card again. */
  | { readonly road: 'late'; readonly proposal: Proposal }
  | { readonly road: 'too_fast'; readonly proposal: Proposal }
  /** A bare approval without a report that its card got there: it is waited for, and then the card comes again. */
  | { readonly road: 'undelivered'; readonly proposal: Proposal }
  /** An approval weaker than the action asks for: say what is still asked. */
  | { readonly road: 'too_weak'; readonly proposal: Proposal }
  /** A yes that takes a value of the card, typed: it is asked for. */
  | { readonly road: 'type_it'; readonly proposal: Proposal }
  /** It is to be refused with a reason, which is asked for; `via` is how that was said. */
  | { readonly road: 'reason'; readonly proposal: Proposal; readonly via: Via }
  /** Bare words do not help here: name press, reply and code. */
  | { readonly road: 'name_it'; readonly proposals: readonly Proposal[]; readonly by?: 'edit' | 'reason' }
  | { readonly road: 'which'; readonly proposals: readonly Proposal[] }
  /** It is to be changed: which field, and to what, is asked of whoever may. */
  | { readonly road: 'edit'; readonly proposal: Proposal }
  /** It answers what the runtime asked of this person; whatever it says, it decides no other card. */
  | { readonly road: 'answer'; readonly question: Question }
  /** What became of it; nothing is decided. `stray`: the phrase named nothing, and gets this once. */
  | { readonly road: 'state'; readonly proposal: Proposal; readonly stray?: true }
  /** A code alone. */
  | { readonly road: 'show_card'; readonly proposal: Proposal }
  | { readonly road: 'no_such'; readonly code?: string }
  | { readonly road: 'not_yours'; readonly proposal: Proposal }
  | { readonly road: 'old_card'; readonly proposal: Proposal }
  /** The reply and the code name different cards. */
  | { readonly road: 'contradiction'; readonly code: string }
  /** A no to what is over or under way: the standing yes behind it ends. */
  | { readonly road: 'end_grant'; readonly proposal: Proposal; readonly stray?: true }
  /** An always phrase where nothing may be always. */
  | { readonly road: 'always_not_allowed'; readonly proposal: Proposal }
  /** It cannot decide, by its kind: the words to type are told, and it goes on to the agent or nowhere. */
  | { readonly road: 'attempt'; readonly proposal: Proposal; readonly toAgent: boolean }
  | { readonly road: 'converse' }
  | { readonly road: 'ignore'; readonly reason: string }

/** What the adapter's raw event says once the pure readers have been over it. */
export interface Reading {
  readonly event: HumanEvent
  readonly receivedAtMs: number
  /** What the words say, if they are a phrase. Absent for everything that is not plain text. */
  readonly matched?: Matched
  /** The words are a phrase of `edit`, with a code or without. */
  readonly editing?: { readonly code?: string }
  /** The words are a phrase of `reason`, with a code or without. */
  readonly refusing?: { readonly code?: string }
  /** The version of the vocabulary that was asked. */
  readonly vocabularyVersion?: string
  /** Since when the phrase approves, by the database's clock; absent for one that always did. Cards shown before do not know it. */
  readonly activeSinceMs?: number
  /** The channel reports what was delivered: then a bare approval needs that of its card. */
  readonly reportsDelivery?: true
  /** What a press carries, if it is one of ours and unforged. */
  readonly press?: Press
}

/** Judges one event of a person: which road it takes. Pure. The time is in the situation and in the reading. */
export function targetOf(reading: Reading, situation: Situation, timing: Timing): Target {
  if (reading.event.kind === 'press') return targetOfPress(reading.event, reading, situation, timing)
  const target = targetOfMessage(reading.event, reading, situation, timing)
  const { vocabularyVersion } = reading
  return target.road === 'decide' && vocabularyVersion !== undefined
    ? { ...target, given: { ...target.given, vocabularyVersion } }
    : target
}
