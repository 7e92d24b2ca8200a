/** How much longer than its action's calls a worker holds a proposal: for the reading and writing around them. */
const marginMs = 15_000

/** What of an action sets how long it is held: each of these parts may take a whole timeout. */
export interface Timed {
  readonly timeoutMs: number
  readonly preflight?: unknown
  readonly execute: unknown
  readonly verify?: unknown
}

/**
 * How long a claim lasts: the call, a look before and after it where the action has them, and the writing; at least `leaseMs`. An
 * action that is not there any more is only to be put away.
 */
export function claimTimeMs(leaseMs: number, action: Timed | undefined): number {
  const parts = [action?.preflight, action?.execute, action?.verify].filter((part) => part !== undefined)
  return Math.max(leaseMs, parts.length * (action?.timeoutMs ?? 0) + marginMs)
}
