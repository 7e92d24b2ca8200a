import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type QuietHours, remindWithin } from '../../src/core/quiet-hours.ts'

const minutes = (n: number) => n * 60_000
const hours = (n: number) => n * 3_600_000
const at = (iso: string) => Date.parse(iso)

const buenosAires: QuietHours = { from: '22:00', to: '08:00', timeZone: 'America/Argentina/Buenos_Aires' }
const berlin = (from: string, to: string): QuietHours => ({ from, to, timeZone: 'Europe/Berlin' })
const within = (iso: string, quiet: QuietHours | undefined) => remindWithin(at(iso), minutes(5), quiet)

describe('quiet hours', () => {
  it('change nothing by day, and nothing where there are none', () => {
    expect(within('2026-11-30T15:00:00-03:00', buenosAires)).toBe(minutes(5))
    expect(within('2026-11-30T23:00:00-03:00', undefined)).toBe(minutes(5))
  })

  it('are silent from their first moment to the one before their end, over midnight', () => {
    expect(within('2026-11-30T22:00:00-03:00', buenosAires)).toBeUndefined()
    expect(within('2026-12-01T00:00:00-03:00', buenosAires)).toBeUndefined()
    expect(within('2026-12-01T07:59:59.999-03:00', buenosAires)).toBeUndefined()
    expect(within('2026-12-01T08:00:00-03:00', buenosAires)).toBe(minutes(5))
  })

  it('have what would fall into them said in the minute before', () => {
    expect(within('2026-11-30T21:58:59-03:00', buenosAires)).toBe(minutes(5))
    expect(within('2026-11-30T21:59:00-03:00', buenosAires)).toBe(minutes(5) + hours(10) + minutes(1))
  })

  it('can lie within one day', () => {
    const siesta: QuietHours = { ...buenosAires, from: '13:00', to: '16:30' }
    expect(within('2026-11-30T13:00:00-03:00', siesta)).toBeUndefined()
    expect(within('2026-11-30T12:59:30-03:00', siesta)).toBe(minutes(5) + hours(3.5) + 30_000)
    expect(within('2026-11-30T16:30:00-03:00', siesta)).toBe(minutes(5))
    expect(within('2026-11-30T22:00:00-03:00', siesta)).toBe(minutes(5))
  })

  it('follow the wall clock over the night in which it jumps forward', () => {
    // 2026-03-29, 02:00 is 03:00: the night is an hour shorter.
    const night = berlin('22:00', '08:00')
    expect(within('2026-03-28T21:59:00+01:00', night)).toBe(minutes(5) + hours(9) + minutes(1))
    expect(within('2026-03-29T07:59:59+02:00', night)).toBeUndefined()
    expect(within('2026-03-29T08:00:00+02:00', night)).toBe(minutes(5))
  })

  it('follow it over the night in which it jumps back', () => {
    // 2026-10-25, 03:00 is 02:00 again: the night is an hour longer.
    const night = berlin('22:00', '08:00')
    expect(within('2026-10-24T21:59:00+02:00', night)).toBe(minutes(5) + hours(11) + minutes(1))
    expect(within('2026-10-25T07:59:59+01:00', night)).toBeUndefined()
    expect(within('2026-10-25T08:00:00+01:00', night)).toBe(minutes(5))
  })

  it('are longer rather than shorter where they begin or end in an hour that is not there', () => {
    expect(within('2026-03-29T01:30:00+01:00', berlin('02:30', '06:00'))).toBeUndefined()
    expect(within('2026-03-29T01:29:00+01:00', berlin('02:30', '06:00'))).toBe(minutes(6) + hours(3.5))
    expect(within('2026-03-29T03:29:59+02:00', berlin('22:00', '02:30'))).toBeUndefined()
    expect(within('2026-03-29T03:30:00+02:00', berlin('22:00', '02:30'))).toBe(minutes(5))
  })

  it('are longer rather than shorter where they begin or end in an hour that comes twice', () => {
    expect(within('2026-10-25T02:30:00+02:00', berlin('02:30', '06:00'))).toBeUndefined()
    expect(within('2026-10-25T02:15:00+01:00', berlin('02:30', '06:00'))).toBeUndefined()
    expect(within('2026-10-25T02:45:00+02:00', berlin('22:00', '02:30'))).toBeUndefined()
    expect(within('2026-10-25T02:29:59+01:00', berlin('22:00', '02:30'))).toBeUndefined()
    expect(within('2026-10-25T02:30:00+01:00', berlin('22:00', '02:30'))).toBe(minutes(5))
  })

  it('never have less said than usual, and never more than a day with its jump ahead', () => {
    const time = fc.record({ hour: fc.integer({ min: 0, max: 23 }), minute: fc.integer({ min: 0, max: 59 }) })
    const text = ({ hour, minute }: { hour: number; minute: number }) =>
      `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
    fc.assert(
      fc.property(
        time,
        time,
        fc.constantFrom('Europe/Berlin', 'America/Sao_Paulo', 'America/New_York', 'Australia/Lord_Howe', 'UTC'),
        fc.integer({ min: at('2026-01-01T00:00:00Z'), max: at('2027-01-01T00:00:00Z') }),
        (from, to, timeZone, nowMs) => {
          fc.pre(text(from) !== text(to))
          const found = remindWithin(nowMs, minutes(5), { from: text(from), to: text(to), timeZone })
          if (found !== undefined) expect(found).toBeGreaterThanOrEqual(minutes(5))
          if (found !== undefined) expect(found).toBeLessThanOrEqual(minutes(5) + hours(26))
        },
      ),
    )
  })
})
