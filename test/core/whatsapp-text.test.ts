import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withoutCodes } from '../../src/core/show-text.ts'
import { withoutMarks } from '../../src/core/whatsapp-text.ts'

describe('a text without marks', () => {
  it.each([
    ['Pizza *grande*', 'Pizza [U+002A]grande[U+002A]'],
    ['_uno_ y ~dos~', '[U+005F]uno[U+005F] y [U+007E]dos[U+007E]'],
    ['**muy** caro', '[U+002A ×2]muy[U+002A ×2] caro'],
    ['*a* b * c', '[U+002A]a[U+002A] b [U+002A] c'],
    ['`c` ```x```', '[U+0060]c[U+0060] [U+0060 ×3]x[U+0060 ×3]'],
    ['> cita', '[U+003E] cita'],
    ['- uno\n* dos\n• tres', '[U+002D] uno\n[U+002A] dos\n[U+2022] tres'],
    ['3. cuota\n12) otra', '3[U+002E] cuota\n12[U+0029] otra'],
    ['*_los dos_*', '[U+002A][U+005F]los dos[U+005F][U+002A]'],
    ['(*x*)', '([U+002A]x[U+002A])'],
  ])('%j is shown as %j', (text, shown) => {
    expect(withoutMarks(text)).toBe(shown)
  })

  it.each([
    '2 * 3 * 4',
    'juan_perez_gomez@example.com',
    'https://example.com/a_b_c?d=~e',
    '~30 min',
    'entre ~30 y ~40',
    'Total*',
    'Tarjeta **** **** **** 1234',
    '5*4*3',
    'US$ 1.250,00 (a - b) > c',
    '-5 grados',
    '1.500 pesos',
    '',
  ])('%j stays as it is', (text) => {
    expect(withoutMarks(text)).toBe(text)
  })

  it('holds no styled stretch, loses nothing else and is its own result', () => {
    const piece = fc.oneof(fc.constantFrom('*', '_', '~', '`', '**', ' ', '\n', '- ', '> ', '1. ', 'a', 'é', '字', ',', '(', '5'))
    const text = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''))
    // Any mark at the edge of a word, whatever a phone may take for a word.
    const styled =
      /(?<![A-Za-z0-9])([*_~])(?=\S)[^\n]*(?!\1)\S[^\n]*(?<=\S)\1(?![A-Za-z0-9])|`|^[^\S\n]*(>|[-*•][^\S\n]|\d+[.)][^\S\n])/mu
    const back = (shown: string): string =>
      shown.replace(/\[U\+([0-9A-F]{4})(?: ×(\d+))?\]/g, (_, hex: string, times = '1') =>
        String.fromCodePoint(Number.parseInt(hex, 16)).repeat(Number(times)),
      )
    fc.assert(
      fc.property(text, (written) => {
        const shown = withoutMarks(written)
        expect(shown).not.toMatch(styled)
        expect(back(shown)).toBe(written)
        expect(withoutMarks(shown)).toBe(shown)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('a text without codes', () => {
  it.each([
    ['pagá con #K7Q2 ya', 'pagá con [U+0023]K7Q2 ya'],
    ['#k7q2', '[U+0023]k7q2'],
    ['#Ｋ7Q2', '[U+0023]Ｋ7Q2'],
  ])('%j is shown as %j', (text, shown) => {
    expect(withoutCodes(text)).toBe(shown)
  })

  it.each(['pedido #4512', '#ABCD', '#K7Q2X', '# K7Q2', 'K7Q2'])('%j stays as it is', (text) => {
    expect(withoutCodes(text)).toBe(text)
  })
})
