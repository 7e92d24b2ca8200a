import { fold } from './fold.ts'

/** A day as it was written; a year that was left out is the coming one's. */
interface Day {
  readonly year?: number
  readonly month: number
  readonly day: number
}

const longest = 64
const numeric = /^(\d{1,2})([/.-])(\d{1,2})(?:\2(\d{4}))?$/
const iso = /^(\d{4})-(\d{2})-(\d{2})$/
const ordinal = /^(\d{1,2})(?:st|nd|rd|th|o|a)?$/

/**
 * Reads one day as a person of the locale writes it, as ISO 8601 (`2026-12-15`): `15 de diciembre de 2026`, `15/12/2026` in the locale's
 * order, ISO itself. Without a year it is the next such day from `nowMs` on, in UTC. Undefined for a day that there is not, and for whatever
 * is no single day: `mañana`, two digits for a year, a month alone.
 */
export function readDate(text: string, locale: string, nowMs: number): string | undefined {
  if (text.length > longest) return undefined
  const written = fold(text)
  const [, year, month, day] = iso.exec(written) ?? []
  const read = year === undefined ? (inNumbers(written, locale) ?? inWords(written, locale)) : dayOf(year, month, day)
  return read === undefined ? undefined : isoOf(read, nowMs)
}

const dayOf = (year: string | undefined, month = '', day = ''): Day => ({
  month: Number(month),
  day: Number(day),
  ...(year === undefined ? {} : { year: Number(year) }),
})

function inNumbers(written: string, locale: string): Day | undefined {
  const [, first, , second, year] = numeric.exec(written) ?? []
  if (first === undefined) return undefined
  const order = new Intl.DateTimeFormat(locale, { dateStyle: 'short', timeZone: 'UTC' }).formatToParts(0).map(({ type }) => type)
  return order.indexOf('day') < order.indexOf('month') ? dayOf(year, second, first) : dayOf(year, first, second)
}

/** By the name of the month, and a day and a year in any order beside it. */
function inWords(written: string, locale: string): Day | undefined {
  const { months, between } = namesOf(locale)
  const words = wordsOf(written).filter((word) => !between.has(word))
  const named = words.flatMap((word) => months.get(word) ?? [])
  const days = words.flatMap((word) => ordinal.exec(word)?.[1] ?? [])
  const years = words.filter((word) => /^\d{4}$/.test(word))
  const [month] = named
  const [day] = days
  const isWhole = named.length === 1 && days.length === 1 && years.length <= 1
  if (!isWhole || named.length + days.length + years.length !== words.length) return undefined
  return dayOf(years[0], String(month), day)
}

const wordsOf = (text: string): readonly string[] => text.split(/[\s,.]+/u).filter((word) => word !== '')

/** The locale's names of the months, as they stand in a date and by themselves, and the small words of a date. */
function namesOf(locale: string): { readonly months: ReadonlyMap<string, number>; readonly between: ReadonlySet<string> } {
  const months = new Map<string, number>()
  const between = new Set<string>()
  for (const options of [{ dateStyle: 'long' }, { dateStyle: 'medium' }, { month: 'long' }, { month: 'short' }] as const) {
    const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
    for (let month = 1; month <= 12; month += 1)
      for (const { type, value } of format.formatToParts(Date.UTC(2026, month - 1, 15))) {
        if (type === 'month' && !/\d/.test(value)) for (const word of wordsOf(fold(value))) months.set(word, month)
        if (type === 'literal') for (const word of wordsOf(fold(value))) between.add(word)
      }
  }
  return { months, between }
}

function isoOf({ year, month, day }: Day, nowMs: number): string | undefined {
  if (year !== undefined) return calendar(year, month, day)
  const today = new Date(nowMs).toISOString().slice(0, 10)
  const thisYear = Number(today.slice(0, 4))
  const coming = calendar(thisYear, month, day)
  return coming !== undefined && coming >= today ? coming : calendar(thisYear + 1, month, day)
}

/** Undefined for a day that no calendar has. */
function calendar(year: number, month: number, day: number): string | undefined {
  const date = [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-')
  const midnight = new Date(`${date}T00:00:00Z`)
  return Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== date ? undefined : date
}
