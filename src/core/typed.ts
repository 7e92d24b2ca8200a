import type { Preview } from './card.ts'
import { fold } from './fold.ts'
import { showValue } from './show-value.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Shorter than that, a value is typed by accident. */
const leastCharacters = 3

/** So often a wrong value is told; then the question is over, and the card still waits. */
export const typingsAllowed = 5

/** The field that is to be typed, as the card prints it in this locale; undefined where the card has none of that key. */
export function toType(
  { fields }: Preview,
  key: string | undefined,
  locale: string,
): { readonly label: string; readonly text: string } | undefined {
  const field = fields.find((one) => one.key === key)
  return field === undefined ? undefined : { label: field.label, text: showValue(field.value, locale) }
}

/** Is it what the card prints? Case, accents and invisible characters do not matter, as in every word that decides. */
export const isTyped = (printed: string, text: string): boolean => fold(printed) === fold(text)

/** Can a person show by typing it that they read it? Three characters or more, on one line, and nothing that people say anyway. */
export function isTypeable(printed: string, { approve, reject, always, edit, leave, reason = none }: Vocabulary): boolean {
  const folded = fold(printed)
  const isPhrase =
    [approve, reject].some((phrases) => phrases.has(folded)) ||
    [always, edit, leave, reason].some((phrases) => phrases.has(folded))
  return [...folded].length >= leastCharacters && !isPhrase
}

const none: ReadonlySet<string> = new Set()
