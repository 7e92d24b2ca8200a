import { distance } from 'fastest-levenshtein'
import { bareWordsOf } from './match.ts'
import type { Vocabulary } from './vocabulary.ts'

/**
 * How a short message that decided nothing is like a phrase: a letter away from one, one with a word too many, an emoji that is listed
 * and switched off; or `other`, like none.
 */
export type Nearness = 'letter' | 'word' | 'emoji' | 'other'

/** What is kept of a short message: its folded words, never the message. */
export interface NearMiss {
  readonly folded: string
  readonly kind: Nearness
}

const mostWords = 4

/**
 * What may be kept of a text that decided nothing: undefined for more than four words, for anything with a digit (a number is
 * somebody's), an address or a line break. Pure.
 */
export function nearMissOf(text: string, vocabulary: Vocabulary): NearMiss | undefined {
  const folded = bareWordsOf(text)
  if (folded === undefined || folded === '' || /[\p{N}@/\\]/u.test(folded)) return undefined
  if (vocabulary.approve.has(folded) || vocabulary.reject.has(folded)) return undefined
  const words = folded.split(' ')
  return words.length > mostWords ? undefined : { folded, kind: nearnessOf(folded, words, vocabulary) }
}

/** Was it meant for the card, as far as one can tell? Then the words to type are worth saying again. It decides nothing. */
export const looksLikeAttempt = ({ kind }: NearMiss): boolean => kind !== 'other'

function nearnessOf(folded: string, words: readonly string[], vocabulary: Vocabulary): Nearness {
  if (vocabulary.off.has(folded) && !/[\p{L}\p{N}]/u.test(folded)) return 'emoji'
  const decides = (text: string): boolean => vocabulary.approve.has(text) || vocabulary.reject.has(text)
  if (words.length > 1 && words.some((_, place) => decides(words.filter((_word, at) => at !== place).join(' ')))) return 'word'
  for (const phrases of [vocabulary.approve, vocabulary.reject])
    for (const phrase of phrases.keys()) if (isLetterAway(folded, phrase)) return 'letter'
  return 'other'
}

/** Of two letters only a longer text is like one ("sii"): a changed letter makes another word of the language ("no", "yo"). */
function isLetterAway(text: string, phrase: string): boolean {
  const longer = text.length - phrase.length
  if (longer > 1 || longer < (phrase.length < 3 ? 1 : -1)) return false
  return distance(text, phrase) === 1
}
