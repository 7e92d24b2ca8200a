import type { Committed } from '../ports/store.ts'

/** So many draws are no chance any more. */
const drawsAllowed = 5

/**
 * Is what was lost to be prepared anew and written under another code? A code that somebody just took, sums that grew meanwhile and a grant
 * that was used up are: nothing was written. A proposal that somebody moved or a lease that went is not, unless the caller reads it anew:
 * `alsoRead`.
 */
export const drawAgain = (
  committed: Committed,
  draws: number,
  alsoRead: readonly Extract<Committed, { kind: 'lost' }>['what'][] = [],
): boolean =>
  committed.kind === 'lost' && ['code', 'asked', 'grant', ...alsoRead].includes(committed.what) && draws < drawsAllowed
