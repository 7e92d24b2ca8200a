import type { Limits } from '../core/limits.ts'

/** The rules as they are when the configuration says nothing. `longestTimeoutMs` is the longest of its actions. */
export const defaultLimits = (longestTimeoutMs: number): Limits => ({
  maxOpenPerConversation: 3,
  minReviewTextMs: 3_000,
  minReviewPressMs: 700,
  minReviewHighPressMs: 2_000,
  lateAfterMs: 300_000,
  slots: 'many',
  onOtherMessage: 'disarm',
  onOutcome: 'tell',
  resumeDepth: 3,
  executeByMs: 1_800_000,
  holdMs: 0,
  remindBeforeMs: 0,
  nearMissDays: 30,
  keepDays: 90,
  leaseMs: longestTimeoutMs + 30_000,
  quarantineMs: 2 * longestTimeoutMs + 90_000,
})
