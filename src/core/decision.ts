import type { HumanEvent } from './human-event.ts'
import type { Moment } from './moment.ts'
import type { Verdict } from './vocabulary.ts'

/** How a person decided: a tap on a control, a bare phrase, a phrase with a code, a phrase in reply to the card. */
export type Via = 'press' | 'phrase' | 'code' | 'reply'

/** One person's verdict on one proposal, as it is kept. */
export interface DecisionRecord {
  readonly person: string
  readonly verdict: Verdict
  readonly via: Via
  readonly atMs: number
  /** The provider's moment; a press has none of its own. */
  readonly moment?: Moment
  readonly phrase?: string
  readonly vocabularyVersion?: string
}

declare const decided: unique symbol

/** A decision that a person just made. Only `decisionOf` makes one, and it asks for a human event. */
export type Decision = DecisionRecord & { readonly [decided]: true }

/** Binds a verdict to the human event that carries it. `person` is the person behind the sender's identity. */
export const decisionOf = (
  event: HumanEvent,
  made: {
    readonly person: string
    readonly verdict: Verdict
    readonly via: Via
    readonly atMs: number
    readonly phrase?: string
    readonly vocabularyVersion?: string
  },
): Decision => ({ ...made, ...(event.kind === 'message' ? { moment: event.moment } : {}) }) as Decision
