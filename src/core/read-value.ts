import Big from 'big.js'
import { choose } from './choose.ts'
import type { Kind } from './editable.ts'
import { fold } from './fold.ts'
import { readDate } from './read-date.ts'
import { readNumber } from './read-number.ts'

/** What is needed to read what a person of a locale writes. */
export interface ReadBy {
  readonly locale: string
  readonly nowMs: number
  /** What yes and no are called in a list, in this order. */
  readonly truth: readonly [string, string]
}

/** The value that a text gives a field, for its arguments; undefined where it gives none, or might give two. Nothing is coerced. */
export function readValue(text: string, is: Kind, { locale, nowMs, truth }: ReadBy): string | number | boolean | undefined {
  switch (is.kind) {
    case 'number': {
      const decimal = readNumber(is.currency === undefined ? text : withoutCurrency(text, is.currency, locale), locale)
      if (decimal === undefined || (is.whole === true && !new Big(decimal).eq(new Big(decimal).round(0)))) return undefined
      return is.as === 'text' ? decimal : exactly(decimal)
    }
    case 'date':
      return readDate(text, locale, nowMs)
    case 'choice': {
      const place = choose(
        text,
        is.options.map(({ label }) => label),
      )
      return place === undefined ? undefined : is.options[place]?.value
    }
    case 'truth': {
      const place = choose(text, truth)
      return place === undefined ? undefined : place === 0
    }
    case 'text': {
      const written = text.trim()
      return written === '' ? undefined : written
    }
  }
}

/** A decimal that a number cannot hold to the last digit is no number. */
function exactly(decimal: string): number | undefined {
  const number = Number(decimal)
  return Number.isFinite(number) && new Big(String(number)).eq(new Big(decimal)) ? number : undefined
}

/** An amount with its own currency's code or sign at either end; with another's it stays what it is, and is no number. */
function withoutCurrency(text: string, currency: string, locale: string): string {
  const written = text.normalize('NFKC').trim()
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay: 'narrowSymbol' })
  const sign = format.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? currency
  for (const mark of [currency, sign].map(fold)) {
    const folded = fold(written)
    if (folded.length !== written.length) continue
    if (folded.startsWith(mark)) return written.slice(mark.length).trim()
    if (folded.endsWith(mark)) return written.slice(0, -mark.length).trim()
  }
  return written
}

/** Arguments with another value at a place. What was there stays as it was. */
export function withValue(args: unknown, path: string, value: string | number | boolean): unknown {
  const [key = '', ...rest] = path.split('.')
  const record = typeof args === 'object' && args !== null ? (args as Readonly<Record<string, unknown>>) : {}
  const inner = rest.length === 0 ? value : withValue(record[key], rest.join('.'), value)
  return { ...record, [key]: inner }
}
