import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { codeFrom, isCode } from '../../src/core/code.ts'
import { bytesOfUlid, ulidFrom, ulidOfBytes } from '../../src/core/ulid.ts'

/** Upper case Crockford base 32: the only spelling of a ULID that is compared. */
const asUlid = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/

/** Bytes that look random and are the same in every run. */
const bytesOf = (seed: number): Uint8Array => createHash('sha256').update(String(seed)).digest()

describe('a code', () => {
  test('is four unmistakable characters with a digit and a letter, from any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 8, maxLength: 32 }), (random) => {
        const code = codeFrom(random)
        expect(code).toMatch(/^[23456789ABCDEFGHJKMNPQRSTVWXYZ]{4}$/)
        expect(code).toMatch(/[2-9]/)
        expect(code).toMatch(/[A-Z]/)
        expect(isCode(code)).toBe(true)
      }),
    )
  })

  test.each(['4512', 'ABCD', 'K7Q', 'K7Q2X', 'k7q2', 'K7O2', 'K7L2', 'K1Q2', 'K7U2', 'K7Q2\n', ''])('is not %j', (text) => {
    expect(isCode(text)).toBe(false)
  })

  test('is the same for the same bytes', () => {
    expect(codeFrom(bytesOf(1))).toBe(codeFrom(bytesOf(1)))
  })

  test('is spread evenly: every character in every place, mixtures by their share, few clashes', () => {
    const drawn = Array.from({ length: 20_000 }, (_, seed) => codeFrom(bytesOf(seed)))
    for (const place of [0, 1, 2, 3]) expect(new Set(drawn.map((code) => code[place])).size).toBe(30)
    const withOneDigit = drawn.filter((code) => code.replace(/[^2-9]/g, '').length === 1).length
    // 4 places × 8 digits × 22³ letters, of the 571,648 codes there are.
    expect(withOneDigit / drawn.length).toBeCloseTo((4 * 8 * 22 ** 3) / 571_648, 1)
    expect(new Set(drawn).size).toBeGreaterThan(19_500)
  })
})

describe('a ULID', () => {
  test('sorts by its time and is valid', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2 ** 48 - 2 }),
        fc.uint8Array({ minLength: 16, maxLength: 16 }),
        fc.uint8Array({ minLength: 16, maxLength: 16 }),
        (timeMs, a, b) => {
          expect(ulidFrom(timeMs, a)).toMatch(asUlid)
          expect(ulidFrom(timeMs, a) < ulidFrom(timeMs + 1, b)).toBe(true)
        },
      ),
    )
  })

  test('is made of its arguments alone', () => {
    expect(ulidFrom(1_469_918_176_385, new Uint8Array(16))).toBe('01ARYZ6S410000000000000000')
    expect(ulidFrom(1_469_918_176_385, new Uint8Array(16).fill(255))).toBe('01ARYZ6S41ZZZZZZZZZZZZZZZZ')
  })

  test('goes into sixteen bytes and back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        expect(Array.from(bytesOfUlid(ulidOfBytes(bytes)))).toEqual(Array.from(bytes))
        expect(ulidOfBytes(bytes)).toMatch(asUlid)
      }),
    )
  })

  test('is not made from no time or from too few bytes', () => {
    expect(() => ulidFrom(0, new Uint8Array(16))).toThrow('positive time')
    expect(() => ulidFrom(Number.NaN, new Uint8Array(16))).toThrow('positive time')
    expect(() => ulidFrom(1, new Uint8Array(15))).toThrow('16 random bytes')
  })
})
