import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fits, limits, type Rendered, render } from '../../../src/channels/telegram/render.ts'
import { join, split } from '../../../src/channels/telegram/rich-text.ts'
import type { Card, CardLine } from '../../../src/core/card.ts'
import type { Outgoing } from '../../../src/core/outgoing.ts'
import { aCard } from '../../contracts/channel.ts'

const partsOf = (message: Outgoing): readonly Rendered[] => {
  const rendering = render(message)
  return rendering.kind === 'parts' ? rendering.parts : []
}
const styled = ({ text, entities }: Rendered) =>
  entities.map(({ type, offset, length }) => [type, text.slice(offset, offset + length)])
/** Everything that a value may hold once core has made one line of it, mark-up and look-alikes included. */
const value = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
    fc.constantFrom(
      '*b*',
      '_i_',
      '<b>x</b>',
      '[a](http://e.vil)',
      '`c`',
      '@gateway_example_bot',
      '#K7Q2',
      '/approve',
      '⚠️ Monto: 1',
      'Confirmado por Ana.',
      '👩‍👩‍👧',
      '\ud83d',
    ),
  )
  .filter((text) => text.trim() !== '')
const aField = fc
  .record({ label: value, text: value, unusual: fc.boolean() })
  .map(({ label, text, unusual }): CardLine => ({ part: 'field', label, text, ...(unusual ? { unusual: true as const } : {}) }))

describe('a card', () => {
  it('is one text with its styles beside it, its values as code and its controls in two colours', () => {
    expect(partsOf({ kind: 'card', card: aCard() })).toEqual([
      {
        text: [
          'Plan de 3 cuotas para Ana Gómez (cliente 42)',
          '',
          'Cliente: 42',
          '⚠️ Monto: $ 184.000,00 ARS',
          '',
          'Para confirmar escribí: sí, confirmo. Para cancelar: no.',
          '',
          '#K7Q2',
        ].join('\n'),
        entities: [
          { type: 'bold', offset: 0, length: 44 },
          { type: 'code', offset: 55, length: 2 },
          { type: 'code', offset: 68, length: 16 },
          { type: 'code', offset: 144, length: 5 },
        ],
        reply_markup: {
          inline_keyboard: [
            [
              { text: 'Confirmar', callback_data: 'd1.k3J9xQ2mVt7Lp0aZ.a', style: 'success' },
              { text: 'Cancelar', callback_data: 'd1.k3J9xQ2mVt7Lp0aZ.r', style: 'danger' },
            ],
          ],
        },
      },
    ])
  })

  it('has no keyboard once it is settled, and no mark of severity', () => {
    const [part] = partsOf({ kind: 'card', card: { ...aCard({ settled: true }), severity: 'high' } })
    expect(part).not.toHaveProperty('reply_markup')
    expect(part?.text).toMatch(/^Plan de 3 cuotas/)
  })

  it('looks different when much is at stake', () => {
    expect(partsOf({ kind: 'card', card: { ...aCard(), severity: 'high' } })[0]?.text).toMatch(/^‼️ Plan/)
  })

  it('prints its code once', () => {
    const words: CardLine = { part: 'words', text: 'Con «sí #K7Q2» nombrás justo esta.' }
    const [part] = partsOf({ kind: 'card', card: { ...aCard(), lines: [...aCard().lines, words] } })
    expect(part?.text.match(/#K7Q2/g)).toHaveLength(1)
  })

  it('gives long labels a row each', () => {
    const controls = aCard().controls.map((control) => ({ ...control, label: `${control.label} este acuerdo ahora` }))
    expect(partsOf({ kind: 'card', card: { ...aCard(), controls } })[0]?.reply_markup?.inline_keyboard).toHaveLength(2)
  })

  it('sends long details first, and keeps everything that decides on the message with the controls', () => {
    const details: CardLine = { part: 'details', text: 'detalle '.repeat(1500).trim() }
    const parts = partsOf({ kind: 'card', card: { ...aCard(), lines: [details, ...aCard().lines] } })
    expect(parts).toHaveLength(4)
    expect(
      parts
        .slice(0, -1)
        .map(({ text }) => text)
        .join(' '),
    ).toBe(details.text)
    expect(parts.slice(0, -1).some((part) => part.reply_markup !== undefined)).toBe(false)
    expect(parts.at(-1)).toEqual(partsOf({ kind: 'card', card: aCard() })[0])
  })

  it('moves a long document before the card rather than refuse it', () => {
    const artefact: CardLine = { part: 'artefact', label: 'Documento', text: 'x'.repeat(4000) }
    const parts = partsOf({ kind: 'card', card: { ...aCard(), lines: [...aCard().lines, artefact] } })
    expect(parts.map(({ text }) => text.slice(0, 10))).toEqual(['Documento:', 'Plan de 3 '])
    expect(parts[0]?.text).toBe(`Documento: ${artefact.text}`)
  })

  it('is refused whole when a key field would be cut', () => {
    const card = aCard({ monto: '9'.repeat(limits.text) })
    expect(render({ kind: 'card', card })).toEqual({ kind: 'refused', why: 'does_not_fit' })
    expect(fits({ kind: 'card', card })).toBe(false)
  })

  it('styles what the card styles and nothing else, whatever its values hold', () => {
    fc.assert(
      fc.property(value, fc.array(aField, { maxLength: 8 }), value, (summary, fields, words) => {
        const card: Card = { ...aCard(), lines: [{ part: 'summary', text: summary }, ...fields, { part: 'words', text: words }] }
        const parts = partsOf({ kind: 'card', card })
        const expected = [
          ['bold', summary.toWellFormed()],
          ...fields.map(({ text }) => ['code', text.toWellFormed()]),
          ...([summary, words].some((text) => text.includes('#K7Q2')) ? [] : [['code', '#K7Q2']]),
        ]
        expect(parts).toHaveLength(1)
        expect(parts.flatMap(styled)).toEqual(expected)
        for (const { label = '', text } of fields) expect(parts[0]?.text).toContain(`${label}: ${text}`.toWellFormed())
      }),
      { numRuns: 1000 },
    )
  })

  it('never makes a button that Telegram would refuse', () => {
    const control = fc.record({
      label: fc.string({ unit: 'grapheme', maxLength: 60 }),
      payload: fc.string({ unit: 'grapheme', maxLength: 80 }),
      style: fc.constantFrom('success', 'danger', 'plain'),
    })
    fc.assert(
      fc.property(fc.array(control, { maxLength: 10 }), fc.constantFrom('card', 'list'), (controls, kind) => {
        const card: Card = { ...aCard(), controls }
        const parts = partsOf(kind === 'card' ? { kind: 'card', card } : { kind: 'list', text: '¿Cuál?', cards: [card, card] })
        for (const button of parts.flatMap((part) => part.reply_markup?.inline_keyboard.flat() ?? [])) {
          const bytes = Buffer.byteLength('callback_data' in button ? button.callback_data : '')
          expect([bytes >= 1 && bytes <= 64, button.text.trim() !== '']).toEqual([true, true])
        }
      }),
      { numRuns: 1000 },
    )
  })
})

describe('a list of open cards', () => {
  it('gives each card its code, its summary and a row of controls that says which', () => {
    const other: Card = { ...aCard(), code: 'M3N4', controls: [{ label: 'Confirmar', payload: 'd1.other.a', style: 'success' }] }
    const [part] = partsOf({ kind: 'list', text: '¿Cuál de estas?', cards: [aCard(), other] })
    expect(part?.text).toBe(
      '¿Cuál de estas?\n\n#K7Q2 Plan de 3 cuotas para Ana Gómez (cliente 42)\n\n#M3N4 Plan de 3 cuotas para Ana Gómez (cliente 42)',
    )
    expect(part === undefined ? [] : styled(part)).toEqual([
      ['code', '#K7Q2'],
      ['code', '#M3N4'],
    ])
    expect(part?.reply_markup?.inline_keyboard.map((row) => row.map(({ text }) => text))).toEqual([
      ['Confirmar #K7Q2', 'Cancelar #K7Q2'],
      ['Confirmar #M3N4'],
    ])
  })
})

describe('a notice', () => {
  it('names its proposal, once', () => {
    expect(partsOf({ kind: 'notice', text: 'Venció sin respuesta.', code: 'K7Q2' })[0]?.text).toBe('Venció sin respuesta.  #K7Q2')
    expect(partsOf({ kind: 'notice', text: 'Venció #K7Q2.', code: 'K7Q2' })[0]?.text).toBe('Venció #K7Q2.')
  })
})

describe('a long text', () => {
  it('loses nothing but the white space at its cuts, cuts no character, and keeps its styles in place', () => {
    const piece = fc.oneof(fc.constantFrom(' ', '\n', '\n\n', '👩‍👩‍👧', '🧾'), fc.string({ unit: 'grapheme', maxLength: 12 }))
    const spans = fc.array(fc.record({ text: piece, as: fc.constantFrom('bold' as const, 'code' as const, undefined) }), {
      maxLength: 40,
    })
    fc.assert(
      fc.property(spans, fc.integer({ min: 2, max: 30 }), (pieces, limit) => {
        const rich = join(pieces.map(({ text, as }) => (as === undefined ? { text } : { text, as })))
        const parts = split(rich, limit)
        const bare = (text: string) => text.replace(/\s/gu, '')
        expect(bare(parts.map(({ text }) => text).join(''))).toBe(bare(rich.text))
        for (const { text, entities } of parts) {
          expect(text.length).toBeLessThanOrEqual(limit)
          expect(text).toBe(text.trim())
          expect(text.isWellFormed()).toBe(true)
          for (const { offset, length } of entities)
            expect(offset >= 0 && length > 0 && offset + length <= text.length).toBe(true)
        }
        const styledText = ({ text, entities }: { text: string; entities: readonly { offset: number; length: number }[] }) =>
          entities.map(({ offset, length }) => bare(text.slice(offset, offset + length))).join('')
        expect(parts.map(styledText).join('')).toBe(styledText(rich))
      }),
      { numRuns: 1000 },
    )
  })

  it('is cut at a line where it can be, else at a space, else where it must', () => {
    const texts = (text: string) => split(join([{ text }]), 10).map((part) => part.text)
    expect(texts('uno dos\ntres cuatro')).toEqual(['uno dos', 'tres', 'cuatro'])
    expect(texts('abcdefghijklmno')).toEqual(['abcdefghij', 'klmno'])
    expect(texts('abcdefghi🧾k')).toEqual(['abcdefghi', '🧾k'])
  })

  it('is refused when there is nothing to read in it', () => {
    for (const text of ['', ' \n ']) expect(render({ kind: 'text', text })).toEqual({ kind: 'refused', why: 'empty' })
  })
})
