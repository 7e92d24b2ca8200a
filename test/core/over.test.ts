import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isOver, over } from '../../src/core/over.ts'
import type { Counted } from '../../src/core/past.ts'

const day = 24 * 3_600_000
const nowMs = 10 * day
const hundred = over({ field: 'monto', perRole: { ventas: '100', jefe: '1000' }, withinMs: day })

const paid = (monto: unknown, doneAtMs?: number, action = 'pagar'): Counted => ({
  action,
  args: { monto },
  ...(doneAtMs === undefined ? {} : { doneAtMs }),
})
const judge = (monto: unknown, counted: readonly Counted[] = [], roles: readonly string[] = ['ventas'], limit = hundred) =>
  isOver(limit, ['pagar'], { monto }, roles, { nowMs, counted, done: [] })

describe('over', () => {
  it('lets pass what is at the limit, and nothing above it, to the last digit', () => {
    expect([judge('100'), judge('100.00'), judge('100.0000000000000000001'), judge(100), judge(100.01)]).toEqual([
      false,
      false,
      true,
      false,
      true,
    ])
  })

  it('adds what is open, and what was done in the time', () => {
    expect(judge('10', [paid('90')])).toBe(false)
    expect(judge('10.01', [paid('90')])).toBe(true)
    expect(judge('90', [paid('90', nowMs - day + 1)])).toBe(true)
    expect(judge('90', [paid('90', nowMs - day - 1)])).toBe(false)
    expect(judge('90', [paid('90', nowMs, 'otra')])).toBe(false)
  })

  it('adds up where floats would not: 0.1 ten times is 1', () => {
    const limit = over({ field: 'monto', perRole: { ventas: '1' }, withinMs: day })
    const nine = Array.from({ length: 9 }, () => paid('0.1'))
    expect(judge('0.1', nine, ['ventas'], limit)).toBe(false)
    expect(judge('0.1000000000000000000000000000001', nine, ['ventas'], limit)).toBe(true)
  })

  it('takes no sign for less: what goes out and what comes back adds up', () => {
    expect(judge('-101')).toBe(true)
    expect(judge('90', [paid('-90')])).toBe(true)
  })

  it('takes the most of several roles, and nothing from whoever has none of them', () => {
    expect(judge('1000', [], ['ventas', 'jefe'])).toBe(false)
    expect(judge('0.01', [], [])).toBe(true)
    expect(judge('0.01', [], ['toString'])).toBe(true)
  })

  it('speaks from a share of the limit on, where it says so', () => {
    const near = over({ ...hundred, fromPercent: 90 })
    expect([judge('89.99', [], ['ventas'], near), judge('90', [], ['ventas'], near)]).toEqual([false, true])
  })

  it('keeps currencies apart, and lets nothing pass in one that has no limit', () => {
    const limit = over({ field: 'monto', currency: 'moneda', perRole: { ventas: { ARS: '100', USD: '1' } }, withinMs: day })
    const call = (moneda: unknown, monto: string, counted: readonly Counted[] = []) =>
      isOver(limit, ['pagar'], { moneda, monto }, ['ventas'], { nowMs, counted, done: [] })
    const ars = { action: 'pagar', args: { moneda: 'ARS', monto: '90' } }
    expect([call('ARS', '90', [ars]), call('USD', '1', [ars]), call('USD', '1.01'), call('EUR', '0.01')]).toEqual([
      true,
      false,
      true,
      true,
    ])
    expect(() => call(undefined, '1')).toThrow('moneda names no currency')
  })

  it.each([undefined, null, '1e3', '1.000,50', ' 1', 'NaN', {}, true])('cannot judge %j', (monto) => {
    expect(() => judge(monto)).toThrow('monto is no amount that a limit can count')
  })

  it('takes an earlier amount that cannot be read for more than any limit', () => {
    expect(judge('1', [paid('mucho')])).toBe(true)
  })

  it('lets no way of splitting an amount pass what the whole does not', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 1n, max: 9_999n }), { minLength: 1, maxLength: 12 }), (cents) => {
        const text = (c: bigint) => `${c / 100n}.${String(c % 100n).padStart(2, '0')}`
        let sum = 0n
        const counted: Counted[] = []
        for (const part of cents) {
          const isOverNow = judge(text(part), counted)
          expect(isOverNow).toBe(sum + part > 10_000n)
          if (isOverNow) continue
          sum += part
          counted.push(paid(text(part)))
        }
        expect(sum).toBeLessThanOrEqual(10_000n)
      }),
      { numRuns: Number(process.env.DALE_POLICY_RUNS ?? 300) },
    )
  })
})
