import type { FieldValue } from './card.ts'
import { showText } from './show-text.ts'

/**
 * A value as a card shows it, in the reader's locale: money with its ISO code and every decimal that was given, dates with the name
 * of the month, times with their zone. What is not what it says it is (an impossible date, a currency without a code) is shown as
 * the text it came as. Never throws.
 */
export function showValue(value: FieldValue, locale: string): string {
  switch (value.kind) {
    case 'text':
      return showText(value.text)
    case 'number':
      return showNumber(String(value.number), 0, locale) ?? String(value.number)
    case 'money':
      return showMoney(value, locale) ?? showText(`${value.currency} ${value.amount}`)
    case 'instant':
      return showInstant(value, locale) ?? showText(`${value.instant} (${value.timeZone})`)
    case 'date':
      return showDate(value.date, locale) ?? showText(value.date)
  }
}

/** As many digits behind the point as `Intl` writes without rounding. */
const mostDecimals = 100

/** Formats from the digits themselves: through a float, 90071992547409931.01 would become another amount. */
export function showNumber(digits: string, leastDecimals: number, locale: string): string | undefined {
  const [, fraction = '', exponent = '0'] = /^-?\d+(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(digits) ?? []
  if (!/^-?\d/.test(digits)) return undefined
  const decimals = Math.max(leastDecimals, fraction.length - Number(exponent))
  if (decimals > mostDecimals) return undefined
  const format = new Intl.NumberFormat(locale, {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
    useGrouping: 'always',
  })
  return plainSpaces(format.format(digits as Intl.StringNumericLiteral))
}

function showMoney(
  { amount, currency }: { readonly amount: string; readonly currency: string },
  locale: string,
): string | undefined {
  if (!/^[A-Z]{3}$/.test(currency) || !/^-?\d{1,30}(\.\d+)?$/.test(amount)) return undefined
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
  const number = showNumber(amount, maximumFractionDigits, locale)
  // The code stands in front in every locale: where `Intl` puts it changes from one edition of its data to the next.
  return number === undefined ? undefined : `${currency} ${number}`
}

const isoDate = /^(\d{4})-(\d{2})-(\d{2})$/
/** With an offset: without one, the same text would be another time on another machine. */
const isoInstant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/

function showDate(date: string, locale: string): string | undefined {
  const midnight = new Date(`${date}T00:00:00Z`)
  // The parser rolls 30 February over into March: what comes back must be what went in.
  if (!isoDate.test(date) || Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== date) return undefined
  return dayOf(midnight, locale, 'UTC')
}

function showInstant(
  { instant, timeZone }: { readonly instant: string; readonly timeZone: string },
  locale: string,
): string | undefined {
  const moment = new Date(instant)
  if (!isoInstant.test(instant) || Number.isNaN(moment.getTime()) || !isTimeZone(timeZone)) return undefined
  const parts = new Intl.DateTimeFormat('en', {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
    timeZone,
  }).formatToParts(moment)
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.find((found) => found.type === type)?.value ?? ''
  const place = timeZone.split('/').at(-1)?.replaceAll('_', ' ')
  // From `GMT-03:00`; no offset is `GMT` or `GMT+00:00`, as the edition of the locale data has it.
  const offset = part('timeZoneName')
    .replace(/^GMT/, 'UTC')
    .replace('+00:00', '')
    .replace(/(?<=[+-])0/, '')
    .replace(/:00$/, '')
  const zone = timeZone.includes('/') ? `${offset}, ${place}` : offset
  return `${dayOf(moment, locale, timeZone)}, ${part('hour')}:${part('minute')} (${zone})`
}

const dayOf = (moment: Date, locale: string, timeZone: string): string =>
  plainSpaces(new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone }).format(moment))

/** Is this the name of a time zone (IANA)? */
export function isTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
    return true
  } catch {
    return false
  }
}

/** Some editions of the locale data write narrow or unbreakable spaces, some plain ones. */
const plainSpaces = (text: string): string => text.replace(/[\u00a0\u202f]/gu, ' ')
