import { fold } from './fold.ts'
import { bareWordsOf } from './match.ts'

/** Are the choices told with numbers? Where one of them reads like a number itself, a number would mean two things. */
export const isNumbered = (labels: readonly string[]): boolean => !labels.some((label) => /^\d/.test(fold(label)))

/**
 * Which of the choices a text names, by its number in the list or by its label: its place from 0 on, undefined for anything else. A label
 * that two of them have names neither.
 */
export function choose(text: string, labels: readonly string[]): number | undefined {
  const words = bareWordsOf(text)
  if (words === undefined) return undefined
  const named = labels.flatMap((label, place) => (fold(label) === words ? [place] : []))
  if (named.length > 0) return named.length === 1 ? named[0] : undefined
  const number = isNumbered(labels) && /^\d{1,3}$/.test(words) ? Number(words) : 0
  return number >= 1 && number <= labels.length ? number - 1 : undefined
}

/** The same where several may be chosen: one label, or numbers with commas or spaces between. Each once, in the order of the list. */
export function chooseSeveral(text: string, labels: readonly string[]): readonly number[] | undefined {
  const one = choose(text, labels)
  if (one !== undefined) return [one]
  const words = bareWordsOf(text)?.split(/[ ,]+/) ?? []
  if (words.length < 2) return undefined
  const places = words.map((word) => choose(word, labels))
  if (places.includes(undefined)) return undefined
  return [...new Set(places as readonly number[])].sort((a, b) => a - b)
}
