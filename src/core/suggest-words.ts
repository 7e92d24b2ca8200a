import type { Entry } from './decision-file.ts'
import type { Nearness } from './near-miss.ts'
import { phraseFaultOf } from './phrase-fault.ts'
import { didNext, type KeptMiss } from './replay-words.ts'
import type { Verdict, Vocabulary } from './vocabulary.ts'

/** A short message that came again and again and decided nothing, with what came next. */
export interface Suggestion {
  readonly locale: string
  readonly text: string
  readonly kind: Nearness
  readonly times: number
  readonly people: number
  /** How often each thing came next, in words. */
  readonly next: Readonly<Record<string, number>>
  /** What all who decided meant by it; absent where nobody decided, or where they did not agree. */
  readonly means?: Verdict
  /** Why it may be no phrase, whatever people mean by it. */
  readonly fault?: string
}

/** Folded and counted per locale, the most frequent first. */
export function suggestionsOf(misses: readonly KeptMiss[]): readonly Suggestion[] {
  const groups = Map.groupBy(misses, ({ locale, folded }) => JSON.stringify([locale, folded]))
  return [...groups.values()].map(suggestionOf).sort((one, other) => other.times - one.times || (one.text < other.text ? -1 : 1))
}

function suggestionOf(group: readonly KeptMiss[]): Suggestion {
  const [{ locale, folded, kind }] = group as readonly [KeptMiss, ...KeptMiss[]]
  const verdicts = new Set(group.flatMap(({ next }) => ('verdict' in next ? [next.verdict] : [])))
  const [means, another] = [...verdicts]
  const fault = means === undefined ? undefined : phraseFaultOf(means, folded)
  const next: Record<string, number> = {}
  for (const miss of group) next[didNext(miss.next)] = (next[didNext(miss.next)] ?? 0) + 1
  return {
    locale,
    text: folded,
    kind,
    times: group.length,
    people: new Set(group.map(({ person }) => person)).size,
    next,
    ...(means === undefined || another !== undefined ? {} : { means }),
    ...(fault === undefined ? {} : { fault }),
  }
}

/** An override: the phrases to add or to switch on, by locale and list. */
export type Patch = Readonly<Record<string, { readonly [V in Verdict]?: readonly Entry[] }>>

/**
 * The override that would make the suggestions phrases: those that came at least `min` times, whose people agreed and that may be phrases.
 * Approvals come as `ack`, so that they decide only what can be undone until somebody who speaks the language makes them full.
 */
export function patchOf(suggestions: readonly Suggestion[], min: number, vocabularyOf: (locale: string) => Vocabulary): Patch {
  const patch: Record<string, { [V in Verdict]?: Entry[] }> = {}
  for (const { locale, text, times, people, means, fault, next } of suggestions) {
    if (means === undefined || fault !== undefined || times < min) continue
    const { approve, reject, off } = vocabularyOf(locale)
    if (approve.has(text) || reject.has(text)) continue
    const evidence = Object.entries(next).map(([what, often]) => `${often} ${what}`)
    const comment = `Written ${times} times by ${people} ${people === 1 ? 'person' : 'people'}: ${evidence.join(', ')}.`
    const weight = means === 'approve' && off.get(text) !== means ? ({ weight: 'ack' } as const) : {}
    const file = patch[locale] ?? {}
    patch[locale] = { ...file, [means]: [...(file[means] ?? []), { text, on: true, ...weight, comment }] }
  }
  return patch
}
