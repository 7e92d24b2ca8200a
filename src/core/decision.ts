import type { Person } from './authority.ts'
import type { HumanEvent } from './human-event.ts'
import type { Moment } from './moment.ts'
import type { Verdict } from './vocabulary.ts'

/** How a person decided: a tap on a button, a vote on the card's own poll, a bare phrase, a phrase with a code, a phrase in reply to the card, a value of the card that was typed; or before, by a grant. */
export type Via = 'button' | 'poll' | 'phrase' | 'code' | 'reply' | 'typed' | 'grant'

/** One person's verdict on one proposal, as it is kept. */
export interface DecisionRecord {
  readonly person: string
  /** The other names that the person had when they decided, where there were any. */
  readonly formerly?: readonly string[]
  /** The id they decided with, where a person has several or another name than it: whose it is is asked again before the call (RULES 6.8). */
  readonly identity?: string
  readonly verdict: Verdict
  readonly via: Via
  readonly atMs: number
  /** The provider's moment, where it tells one: not of a tap on Telegram. */
  readonly moment?: Moment
  readonly phrase?: string
  readonly vocabularyVersion?: string
  /** Why it was refused, in the person's own words: for people and for whoever proposed, never for a log. */
  readonly reason?: string
  /** Said with "always": a grant comes of it once the call has succeeded. */
  readonly always?: true
  /** Of a decision via `grant`: which. The grant keeps the person's own yes. */
  readonly grant?: string
}

declare const decided: unique symbol

/**
 * A decision that a person made: just now (`decisionOf` asks for the human event), or by the yes that a grant keeps (`decisionUnder` asks
 * for that one). Nothing else makes one.
 */
export type Decision = DecisionRecord & { readonly [decided]: true }

/** Binds a verdict to the human event that carries it. `person` is the person behind the sender's identity. */
export const decisionOf = (
  event: HumanEvent,
  {
    person: { id, formerly },
    ...made
  }: {
    readonly person: Person
    readonly verdict: Verdict
    readonly via: Via
    readonly atMs: number
    readonly phrase?: string
    readonly vocabularyVersion?: string
    readonly reason?: string
    readonly always?: true
  },
): Decision =>
  ({
    person: id,
    ...(formerly.length === 0 ? {} : { formerly }),
    ...(event.sender.also === undefined && event.sender.id === id ? {} : { identity: event.sender.id }),
    ...made,
    ...(event.moment === undefined ? {} : { moment: event.moment }),
  }) as Decision

/** What a person's standing yes decides now: theirs, under the names and the id that they gave it with. */
export const decisionUnder = (grant: { readonly id: string; readonly decision: DecisionRecord }, atMs: number): Decision => {
  const { person, formerly, identity } = grant.decision
  return {
    person,
    ...(formerly === undefined ? {} : { formerly }),
    ...(identity === undefined ? {} : { identity }),
    verdict: 'approve',
    via: 'grant',
    grant: grant.id,
    atMs,
  } satisfies DecisionRecord as DecisionRecord as Decision
}

/** Whoever decided, by every name they had then. */
export const deciderOf = ({ person, formerly = [] }: DecisionRecord): Pick<Person, 'id' | 'formerly'> => ({
  id: person,
  formerly,
})
