/** How long things take to be read, how late is too late, and what another message does (RULES 3). Milliseconds. */
export interface Timing {
  /** Default 3,000: a text sooner than this after the card does not count. */
  readonly minReviewTextMs: number
  /** Default 700: a press sooner than this does not count. */
  readonly minReviewPressMs: number
  /** Default 2,000: the same for a press on a card of high severity. */
  readonly minReviewHighPressMs: number
  /** Default 300,000: an approval delivered later than this after it was written does not count. */
  readonly lateAfterMs: number
  /** Default `disarm`. With `keep` a bare phrase stays good whatever else its person writes; only where every action is reversible. */
  readonly onOtherMessage: 'disarm' | 'discard' | 'keep'
}

/** The rules of consent that a configuration may read in another way (RULES 3, 6, 7), with leases and quotas. Milliseconds. */
export interface Limits extends Timing {
  /** Default 3: proposals of one requester that wait in one conversation. */
  readonly maxOpenPerConversation: number
  /** Default `many`. */
  readonly slots: 'many' | 'single'
  /** Default `tell`: the outcome is a fact of the agent's next turn. With `resume` it starts one. An action may say otherwise for itself. */
  readonly onOutcome: 'tell' | 'resume'
  /** Default 3: so many turns in a row may be started by an outcome; what the last of them proposes is told and starts none. */
  readonly resumeDepth: number
  /** Default 1,800,000: an approval that was not begun by then is stale. */
  readonly executeByMs: number
  /** Default 0: delays the claim after a bare phrase. */
  readonly holdMs: number
  /** Default 0, never: how long before its end a card that still waits is shown once more. */
  readonly remindBeforeMs: number
  /** Default 30: how many days the words of short messages that decided nothing are kept, for `dale vocabulary suggest`. 0 keeps none. */
  readonly nearMissDays: number
  /** Default 90, at least 30: how many days messages are kept, in and out, once they are done with. Proposals and decisions stay. */
  readonly keepDays: number
  /** Default half a minute over the longest timeout of an action: how long a claimed execution is one worker's. */
  readonly leaseMs: number
  /** Default a minute over lease and longest timeout together: after an unknown end, how long before "it did not happen" can be believed. */
  readonly quarantineMs: number
}
