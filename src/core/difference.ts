import type { Preview } from './card.ts'
import { showText } from './show-text.ts'
import { showValue } from './show-value.ts'

/** The texts of a difference, by their key in `locales/<locale>/chat.json`. */
export type DifferenceKey = 'card.head.changed_field' | 'card.also'

/**
 * What two previews of one call differ in, a line each: before and after of every key field, in the reader's locale, and what else would
 * happen. What only one of them has stands against a dash. Empty where a person would read the same.
 */
export function differenceOf(
  before: Preview,
  after: Preview,
  locale: string,
  say: (key: DifferenceKey, values?: Readonly<Record<string, string>>) => string,
): readonly string[] {
  const line = (label: string, was: string, is: string): readonly string[] =>
    was === is ? [] : [say('card.head.changed_field', { label, before: was, after: is })]
  const labels = new Map([...before.fields, ...after.fields].map(({ key, label }) => [key, label]))
  return [
    ...[...labels].flatMap(([key, label]) => line(showText(label), shownIn(before, key, locale), shownIn(after, key, locale))),
    ...line(say('card.also'), alsoIn(before), alsoIn(after)),
  ]
}

const nothing = '—'

function shownIn({ fields }: Preview, key: string, locale: string): string {
  const field = fields.find((candidate) => candidate.key === key)
  return field === undefined ? nothing : showValue(field.value, locale)
}

const alsoIn = ({ alsoWill = [] }: Preview): string => alsoWill.map(showText).join(', ') || nothing
