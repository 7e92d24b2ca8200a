import { showValue } from '../core/show-value.ts'

/** The day on which something ends, with the name of the month; by UTC, which no reader is more than a day away from. */
export const lastDay = (endsAtMs: number, locale: string): string =>
  showValue({ kind: 'date', date: new Date(endsAtMs).toISOString().slice(0, 10) }, locale)
