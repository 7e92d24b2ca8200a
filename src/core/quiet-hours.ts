import { Temporal } from 'temporal-polyfill'

/** When nobody is to be reminded: from one time of the wall clock to the next other one there, like 22:00 to 08:00. */
export interface QuietHours {
  /** `22:00`. */
  readonly from: string
  readonly to: string
  /** An IANA name, like `America/Argentina/Buenos_Aires`. */
  readonly timeZone: string
}

/** So long before quiet hours begin, what would fall into them is said. A sweep comes every second. */
const eveMs = 60_000

/**
 * A card that may be reminded of now is one whose time ends within so many milliseconds; undefined while it is quiet. `beforeMs` is how long
 * before its end a card is usually reminded of: right before quiet hours it is all that would fall into them.
 */
export function remindWithin(nowMs: number, beforeMs: number, quiet: QuietHours | undefined): number | undefined {
  if (quiet === undefined) return beforeMs
  for (const { startMs, endMs } of periodsAround(nowMs, quiet)) {
    if (nowMs >= startMs && nowMs < endMs) return undefined
    if (nowMs < startMs && startMs - nowMs <= eveMs) return beforeMs + endMs - nowMs
  }
  return beforeMs
}

/** Yesterday's, today's and tomorrow's, by the calendar of the zone. Where the clock jumps they are longer rather than shorter. */
function periodsAround(nowMs: number, { from, to, timeZone }: QuietHours): readonly { startMs: number; endMs: number }[] {
  const today = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(timeZone).toPlainDate()
  const at = (date: Temporal.PlainDate, time: string, disambiguation: 'earlier' | 'later') =>
    date.toPlainDateTime(Temporal.PlainTime.from(time)).toZonedDateTime(timeZone, { disambiguation }).epochMilliseconds
  return [-1, 0, 1].map((days) => {
    const begins = today.add({ days })
    return { startMs: at(begins, from, 'earlier'), endMs: at(from < to ? begins : begins.add({ days: 1 }), to, 'later') }
  })
}
