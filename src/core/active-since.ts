import type { Vocabulary } from './vocabulary.ts'

/** Since when approve phrases count, folded, in ms; a phrase that is not here always did. */
export type ActiveSince = Readonly<Record<string, number>>

/** A vocabulary that was active until now, with its own times. */
export interface Former {
  readonly vocabulary: Vocabulary
  readonly activeSinceMs: ActiveSince
}

/**
 * The times of a vocabulary that becomes active at `atMs`: a phrase that approved before, and at least as strongly, keeps its own; one
 * that is new, or that was an `ack` word and is a full one now, counts from now on. The first vocabulary has no times.
 */
export function activeSinceOf(next: Vocabulary, atMs: number, former: Former | undefined): ActiveSince {
  if (former === undefined) return {}
  const times = [...next.approve].flatMap(([folded, { weight }]): readonly (readonly [string, number])[] => {
    const before = former.vocabulary.approve.get(folded)
    if (before === undefined || (before.weight === 'ack' && weight === 'full')) return [[folded, atMs]]
    const since = Object.hasOwn(former.activeSinceMs, folded) ? former.activeSinceMs[folded] : undefined
    return since === undefined ? [] : [[folded, since]]
  })
  return Object.fromEntries(times)
}
