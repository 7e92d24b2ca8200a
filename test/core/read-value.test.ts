import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { Kind } from '../../src/core/editable.ts'
import { readDate } from '../../src/core/read-date.ts'
import { readNumber } from '../../src/core/read-number.ts'
import { readValue, withValue } from '../../src/core/read-value.ts'
import { showNumber, showValue } from '../../src/core/show-value.ts'

const locales = ['es', 'pt-BR', 'en', 'en-GB', 'fr', 'de', 'hi', 'sv', 'fa'] as const
/** Noon of 30 November 2026. */
const nowMs = Date.UTC(2026, 10, 30, 12)

describe('a number', () => {
  test.each([
    ['es', '1.234,56', '1234.56'],
    ['es', '1,5', '1.5'],
    ['es', '184000', '184000'],
    ['es', '184.000', '184000'],
    ['es', '-1.000', '-1000'],
    ['es', '−3', '-3'],
    ['es', ' 007 ', '7'],
    ['es', '-0', '0'],
    ['pt-BR', '1.234,50', '1234.50'],
    ['en', '1,234.56', '1234.56'],
    ['en', '1.5', '1.5'],
    ['en', '90071992547409931.01', '90071992547409931.01'],
  ])('in %s: %s is %s', (locale, text, number) => {
    expect(readNumber(text, locale)).toBe(number)
  })

  test.each([
    ['es', '1.5'],
    ['es', '1,234.56'],
    ['es', '1.23.456'],
    ['es', '12.34'],
    ['es', '1,2,3'],
    ['en', '1.234,56'],
    ['en', '1,5'],
    ['en', '12,34'],
    ['en', '1e6'],
    ['en', '0x10'],
    ['en', 'NaN'],
    ['en', 'Infinity'],
    ['en', ''],
    ['en', '.'],
    ['en', '.5'],
    ['en', '5.'],
    ['en', '--5'],
    ['en', '4 instalments'],
    ['en', 'four'],
    ['en', '1'.repeat(65)],
  ])('in %s: %s is none', (locale, text) => {
    expect(readNumber(text, locale)).toBeUndefined()
  })

  it('is read back from what a card shows, to the last digit', () => {
    const decimals = fc
      .tuple(
        fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
        fc.integer({ min: 0, max: 999_999 }),
        fc.integer({ min: 0, max: 6 }),
      )
      .map(([whole, fraction, places]) =>
        places === 0 ? String(whole) : `${whole}.${String(fraction).padStart(6, '0').slice(0, places)}`,
      )
    fc.assert(
      fc.property(fc.constantFrom(...locales), decimals, (locale, decimal) => {
        expect(readNumber(showNumber(decimal, 0, locale) ?? '', locale)).toBe(decimal)
      }),
    )
  })

  it('of a double too', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...locales),
        fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
        (locale, number) => {
          fc.pre(!Object.is(number, -0) && (number === 0 || Math.abs(number) > 1e-15))
          const shown = showValue({ kind: 'number', number }, locale)
          expect(readValue(shown, { kind: 'number', as: 'number' }, { locale, nowMs, truth: ['yes', 'no'] })).toBe(number)
        },
      ),
    )
  })

  it('is what it says or nothing, whatever was written', () => {
    fc.assert(
      fc.property(fc.constantFrom('es', 'en'), fc.string({ unit: fc.constantFrom(...'0123456789.,- ') }), (locale, text) => {
        const read = readNumber(text, locale)
        if (read === undefined) return
        expect(read).toMatch(/^-?(0|[1-9]\d*)(\.\d+)?$/)
        expect(read.replace(/\D/g, '')).toBe(text.replace(/\D/g, '').slice(-read.replace(/\D/g, '').length))
      }),
    )
  })
})

describe('a day', () => {
  test.each([
    ['es', '15 de diciembre de 2026', '2026-12-15'],
    ['es', '15 de diciembre', '2026-12-15'],
    ['es', '1 de enero', '2027-01-01'],
    ['es', '30/11', '2026-11-30'],
    ['es', '29/11', '2027-11-29'],
    ['es', '15/12/2026', '2026-12-15'],
    ['es', '15-12-2026', '2026-12-15'],
    ['es', '15 dic 2026', '2026-12-15'],
    ['es', '15 DICIEMBRE 2026', '2026-12-15'],
    ['es', '2026-12-15', '2026-12-15'],
    ['pt-BR', '1º de março de 2027', '2027-03-01'],
    ['pt-BR', '05/01/2027', '2027-01-05'],
    ['en', 'December 15, 2026', '2026-12-15'],
    ['en', '15 Dec 2026', '2026-12-15'],
    ['en', 'december 15th', '2026-12-15'],
    ['en', '12/15/2026', '2026-12-15'],
    ['en-GB', '15/12/2026', '2026-12-15'],
    ['en', '29 February 2028', '2028-02-29'],
  ])('in %s: %s is %s', (locale, text, date) => {
    expect(readDate(text, locale, nowMs)).toBe(date)
  })

  test.each([
    ['es', 'mañana'],
    ['es', 'el viernes'],
    ['es', '15/12/26'],
    ['es', '15/12-2026'],
    ['es', '30 de febrero de 2027'],
    ['es', 'diciembre'],
    ['es', '2026'],
    ['es', '15'],
    ['es', '15 y 16 de diciembre'],
    ['es', '15 de diciembre o enero'],
    ['en', '15/12/2026'],
    ['en', '2026-13-01'],
    ['en', '2026-12-15T10:00:00Z'],
    ['en', ''],
    ['en', 'x'.repeat(10_000)],
  ])('in %s: %s is none', (locale, text) => {
    expect(readDate(text, locale, nowMs)).toBeUndefined()
  })

  it('is read back from what a card shows', () => {
    const dates = fc
      .date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10))
    fc.assert(
      fc.property(fc.constantFrom('es', 'pt-BR', 'en', 'en-GB', 'fr', 'de'), dates, (locale, date) => {
        expect(readDate(showValue({ kind: 'date', date }, locale), locale, nowMs)).toBe(date)
      }),
    )
  })
})

describe('a value', () => {
  const read = (text: string, is: Kind, locale = 'es') => readValue(text, is, { locale, nowMs, truth: ['sí', 'no'] })
  const money: Kind = { kind: 'number', as: 'text', currency: 'ARS' }
  const medium: Kind = {
    kind: 'choice',
    options: [
      { value: 'cash', label: 'Efectivo' },
      { value: 'transfer', label: 'Transferencia' },
    ],
  }
  const months: Kind = { kind: 'choice', options: [3, 6, 12].map((value) => ({ value, label: String(value) })) }

  test.each<[string, Kind, unknown]>([
    ['184.000,50', money, '184000.50'],
    ['ARS 184.000,50', money, '184000.50'],
    ['$ 184.000', money, '184000'],
    ['184.000 ars', money, '184000'],
    ['4', { kind: 'number', as: 'number' }, 4],
    ['4,0', { kind: 'number', as: 'number', whole: true }, 4],
    ['transferencia', medium, 'transfer'],
    ['TRANSFERÉNCIA', medium, 'transfer'],
    ['1', medium, 'cash'],
    ['3', months, 3],
    ['sí', { kind: 'truth' }, true],
    ['2', { kind: 'truth' }, false],
    ['  Av. Siempreviva 742 ', { kind: 'text' }, 'Av. Siempreviva 742'],
    ['no', { kind: 'text' }, 'no'],
  ])('%s', (text, is, value) => {
    expect(read(text, is)).toBe(value)
  })

  test.each<[string, Kind]>([
    ['US$ 100', money],
    ['EUR 100', money],
    ['100 EUR', money],
    ['0,1000000000000000055', { kind: 'number', as: 'number' }],
    ['4,5', { kind: 'number', as: 'number', whole: true }],
    ['3', medium],
    ['transfer', medium],
    ['1', months],
    ['true', { kind: 'truth' }],
    ['   ', { kind: 'text' }],
  ])('is none: %s', (text, is) => {
    expect(read(text, is)).toBeUndefined()
  })

  it('takes the place of the one that was there, and of nothing else', () => {
    const args = { pago: { monto: 100, moneda: 'ARS' }, nota: 'x' }
    expect(withValue(args, 'pago.monto', 90)).toEqual({ pago: { monto: 90, moneda: 'ARS' }, nota: 'x' })
    expect(withValue(args, 'nota', 'y')).toEqual({ pago: { monto: 100, moneda: 'ARS' }, nota: 'y' })
    expect(args).toEqual({ pago: { monto: 100, moneda: 'ARS' }, nota: 'x' })
  })
})
