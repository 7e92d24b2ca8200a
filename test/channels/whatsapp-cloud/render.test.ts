import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Content, fits, limits, render } from '../../../src/channels/whatsapp-cloud/render.ts'
import { templated } from '../../../src/channels/whatsapp-cloud/template.ts'
import { partsOf } from '../../../src/channels/whatsapp-cloud/text.ts'
import type { Card, CardLine } from '../../../src/core/card.ts'
import type { Outgoing } from '../../../src/core/outgoing.ts'
import { aCard } from '../../contracts/channel.ts'
import { lookOf } from '../../support/graph-look.ts'

const contents = (message: Outgoing, plain = false): readonly Content[] => {
  const rendering = render(message, plain)
  return rendering.kind === 'parts' ? rendering.parts : []
}
const bodyOf = (content: Content | undefined): string => {
  if (content?.type === 'text') return content.text.body
  return content?.type === 'interactive' ? content.interactive.body.text : ''
}
const titlesOf = (content: Content | undefined): readonly string[] =>
  content?.type === 'interactive' ? content.interactive.action.buttons.map(({ reply }) => reply.title) : []

/** What a value may hold once core has made one line of it, mark-up and look-alikes included. */
const value = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    fc
      .array(fc.constantFrom('*', '_', '~', '`', '```', ' ', 'a', '#K7Q2', '>', '- ', '1. ', '·'), {
        minLength: 1,
        maxLength: 12,
      })
      .map((a) => a.join('')),
    fc.constantFrom(
      '*b*',
      '_i_',
      '~s~',
      '`c`',
      '```m```',
      '*_bi_*',
      '> cita',
      '- punto',
      '2 * 3 * 4',
      'a_b_c@d.e',
      '⚠️ Monto: 1',
      '\ud83d',
    ),
  )
  .filter((text) => text.trim() !== '' && !/[\n\r\v\f\u0085\u2028\u2029]/u.test(text))

describe('a card', () => {
  it('is one message with its buttons, its key fields on it and only its head in bold', () => {
    expect(contents({ kind: 'card', card: aCard() })).toEqual([
      {
        type: 'interactive',
        interactive: {
          type: 'button',
          body: {
            text: [
              '*Plan de 3 cuotas para Ana Gómez (cliente 42)*',
              '',
              'Cliente: 42',
              '⚠️ Monto: $ 184.000,00 ARS',
              '',
              'Para confirmar escribí: sí, confirmo. Para cancelar: no.',
              '',
              '#K7Q2',
            ].join('\n'),
          },
          action: {
            buttons: [
              { type: 'reply', reply: { id: 'd1.k3J9xQ2mVt7Lp0aZ.a', title: 'Confirmar' } },
              { type: 'reply', reply: { id: 'd1.k3J9xQ2mVt7Lp0aZ.r', title: 'Cancelar' } },
            ],
          },
        },
      },
    ])
  })

  it('is a text with the words to type where it is plain, in a group, or settled', () => {
    const [plain] = contents({ kind: 'card', card: aCard(), plain: true })
    expect([plain?.type, bodyOf(plain)]).toEqual(['text', bodyOf(contents({ kind: 'card', card: aCard() })[0])])
    expect(contents({ kind: 'card', card: aCard() }, true)).toEqual([plain])
    expect(contents({ kind: 'card', card: aCard({ settled: true }) })[0]?.type).toBe('text')
  })

  it('has labels that WhatsApp takes, and that differ', () => {
    const labelled = (...labels: readonly string[]): Card => ({
      ...aCard(),
      controls: labels.map((label, index) => ({ label, payload: `p${index}`, style: 'plain' })),
    })
    const titles = (...labels: readonly string[]) => titlesOf(contents({ kind: 'card', card: labelled(...labels) }).at(-1))
    expect(titles('Confirmar y enviar ahora mismo', 'Cancelar')).toEqual(['Confirmar y enviar…', 'Cancelar'])
    expect(titles('Confirmar y enviar ahora mismo', 'Confirmar y enviar ahora no')).toEqual([
      '1 Confirmar y envia…',
      '2 Confirmar y envia…',
    ])
    expect(fits({ kind: 'card', card: labelled('a', 'b', 'c', 'd') })).toBe(false)
    expect(fits({ kind: 'card', card: labelled('a', ' ') })).toBe(false)
  })

  it('sends long details first, and keeps everything that decides on the message with the buttons', () => {
    const details: CardLine = { part: 'details', text: 'detalle '.repeat(1500).trim() }
    const parts = contents({ kind: 'card', card: { ...aCard(), lines: [details, ...aCard().lines] } })
    expect(parts.map(({ type }) => type)).toEqual(['text', 'text', 'text', 'interactive'])
    expect(parts.slice(0, -1).map(bodyOf).join(' ')).toBe(details.text)
    expect(parts.at(-1)).toEqual(contents({ kind: 'card', card: aCard() })[0])
  })

  it('moves what explains before the card where the message with buttons is too short for it', () => {
    const artefact: CardLine = { part: 'artefact', label: 'Documento', text: 'x'.repeat(1000) }
    const parts = contents({ kind: 'card', card: { ...aCard(), lines: [...aCard().lines, artefact] } })
    expect(parts.map(bodyOf)).toEqual([`Documento: ${artefact.text}`, bodyOf(contents({ kind: 'card', card: aCard() })[0])])
  })

  it('is refused whole when a key field would be cut, and fits to the last character', () => {
    const room = limits.body - bodyOf(contents({ kind: 'card', card: aCard({ monto: '' }) })[0]).length
    expect(fits({ kind: 'card', card: aCard({ monto: '9'.repeat(room) }) })).toBe(true)
    expect(render({ kind: 'card', card: aCard({ monto: '9'.repeat(room + 1) }) })).toEqual({
      kind: 'refused',
      why: 'does_not_fit',
    })
  })

  it('styles what the card styles and nothing else, names no code but its own, and shows every value, whatever it holds', () => {
    const aField = fc.record({ label: value, text: value }).map((field): CardLine => ({ part: 'field', ...field }))
    fc.assert(
      fc.property(value, fc.array(aField, { maxLength: 5 }), value, (summary, fields, also) => {
        const card: Card = {
          ...aCard(),
          lines: [
            { part: 'summary', text: summary },
            ...fields,
            { part: 'also', text: also },
            { part: 'words', text: 'sí #K7Q2' },
          ],
        }
        const body = bodyOf(contents({ kind: 'card', card }).at(-1))
        const { text, styled } = lookOf(body)
        expect(styled.filter(({ style }) => style !== 'bold')).toEqual([])
        expect(styled.length).toBeLessThanOrEqual(1)
        // Read back: what a mark was shown by number for is the mark.
        const back = (shown: string) =>
          shown.replace(/\[U\+([0-9A-F]{4,6})(?: ×(\d+))?\]/gu, (_, code: string, times = '1') =>
            String.fromCodePoint(Number.parseInt(code, 16)).repeat(Number(times)),
          )
        for (const { label = '', text: said } of fields) expect(back(text)).toContain(back(`${label}: ${said}`.toWellFormed()))
        expect(back(text)).toContain(back(summary.toWellFormed()))
        expect(text.match(/#K7Q2(?![\p{L}\p{N}])/gu)).toHaveLength(1)
      }),
      { numRuns: 1000 },
    )
  })

  it('never makes a button that WhatsApp would refuse', () => {
    const control = fc.record({
      label: fc.string({ unit: 'grapheme', maxLength: 40 }),
      payload: fc.string({ unit: 'grapheme', maxLength: 300 }),
      style: fc.constantFrom('success', 'danger', 'plain'),
    })
    fc.assert(
      fc.property(fc.array(control, { maxLength: 4 }), fc.constantFrom('card', 'list'), (controls, kind) => {
        const card: Card = { ...aCard(), controls }
        const parts = contents(kind === 'card' ? { kind: 'card', card } : { kind: 'list', text: '¿Cuál?', cards: [card] })
        for (const part of parts) {
          const buttons = part.type === 'interactive' ? part.interactive.action.buttons.map(({ reply }) => reply) : []
          expect(new Set(buttons.map(({ id }) => id)).size).toBe(buttons.length)
          expect(new Set(buttons.map(({ title }) => title)).size).toBe(buttons.length)
          for (const { id, title } of buttons)
            expect([id.length >= 1 && id.length <= 256, title.trim() !== '' && title.length <= 20]).toEqual([true, true])
        }
      }),
      { numRuns: 1000 },
    )
  })
})

describe('a list of open cards', () => {
  it('gives each card a message with its code, its summary and its own buttons', () => {
    const other: Card = { ...aCard(), code: 'M3N4', controls: [{ label: 'Confirmar', payload: 'd1.other.a', style: 'success' }] }
    const parts = contents({ kind: 'list', text: '¿Cuál de estas?', cards: [aCard(), other] })
    expect(parts.map((part) => [bodyOf(part), titlesOf(part)])).toEqual([
      ['¿Cuál de estas?', []],
      ['#K7Q2 Plan de 3 cuotas para Ana Gómez (cliente 42)', ['Confirmar #K7Q2', 'Cancelar #K7Q2']],
      ['#M3N4 Plan de 3 cuotas para Ana Gómez (cliente 42)', ['Confirmar #M3N4']],
    ])
  })
})

describe('a notice', () => {
  it('names its proposal, once', () => {
    expect(bodyOf(contents({ kind: 'notice', text: 'Venció sin respuesta.', code: 'K7Q2' })[0])).toBe(
      'Venció sin respuesta.  #K7Q2',
    )
    expect(bodyOf(contents({ kind: 'notice', text: 'Venció #K7Q2.', code: 'K7Q2' })[0])).toBe('Venció #K7Q2.')
  })
})

describe('a text', () => {
  it('stands as it was written: a line that would be styled goes between backticks', () => {
    expect(partsOf('Total: *5*\n- uno\n1. dos\n2 * 3 * 4\na_b_c', 4096)).toEqual([
      '```Total: *5*```\n- uno\n1. dos\n2 * 3 * 4\na_b_c',
    ])
  })

  it('looks on a phone as it was written, whatever it holds', () => {
    const line = fc.oneof(value, fc.constantFrom('', '> cita', '* punto *b*', '`a` y `b`', '``', '``` x'))
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 5 }), (lines) => {
        const text = lines.join('\n')
        const { text: shown, styled } = lookOf(partsOf(text, 4096).join('\n'))
        expect(styled.filter(({ style }) => style !== 'mono' && style !== 'list')).toEqual([])
        const bare = (words: string) => words.replaceAll('[U+0060]', '`').replace(/\s/gu, '')
        expect(bare(shown)).toBe(bare(text.toWellFormed()))
      }),
      { numRuns: 2000 },
    )
  })

  it('loses nothing at its cuts, cuts no character, and keeps within the limit', () => {
    const piece = fc.oneof(fc.constantFrom(' ', '\n', '*b*', '👩‍👩‍👧', '🧾', '`'), fc.string({ unit: 'grapheme', maxLength: 12 }))
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.integer({ min: 40, max: 80 }), (pieces, limit) => {
        const text = pieces.join('').replaceAll('\0', '')
        const parts = partsOf(text, limit)
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(limit)
          expect(part.trim()).not.toBe('')
          expect(part.isWellFormed()).toBe(true)
        }
        const bare = (words: string) => words.replaceAll('[U+0060]', '`').replace(/\s/gu, '')
        expect(bare(parts.map((part) => lookOf(part).text).join(''))).toBe(bare(text.toWellFormed()))
      }),
      { numRuns: 2000 },
    )
  })

  it('is refused when there is nothing to read in it', () => {
    for (const text of ['', ' \n ']) expect(render({ kind: 'text', text })).toEqual({ kind: 'refused', why: 'empty' })
  })
})

describe('a template', () => {
  const template = { name: 'confirmar', language: 'es_AR' }
  const card = (about: Partial<Card> = {}): Outgoing => ({ kind: 'card', card: { ...aCard(), ...about } })

  it('carries what it is about, every key field and the rest, and the payloads of its two quick replies', () => {
    expect(templated(card(), template)).toEqual({
      type: 'template',
      template: {
        name: 'confirmar',
        language: { code: 'es_AR' },
        components: [
          {
            type: 'body',
            parameters: [
              { type: 'text', text: '*Plan de 3 cuotas para Ana Gómez (cliente 42)*' },
              { type: 'text', text: 'Cliente: 42 · ⚠️ Monto: $ 184.000,00 ARS' },
              { type: 'text', text: 'Para confirmar escribí: sí, confirmo. Para cancelar: no. · #K7Q2' },
            ],
          },
          {
            type: 'button',
            sub_type: 'quick_reply',
            index: '0',
            parameters: [{ type: 'payload', payload: 'd1.k3J9xQ2mVt7Lp0aZ.a' }],
          },
          {
            type: 'button',
            sub_type: 'quick_reply',
            index: '1',
            parameters: [{ type: 'payload', payload: 'd1.k3J9xQ2mVt7Lp0aZ.r' }],
          },
        ],
      },
    })
  })

  it('leaves out the control that edits, whose word does the same', () => {
    const [approve, reject] = aCard().controls
    const edit = { label: 'Editar', payload: 'd1.e', style: 'plain' } as const
    if (approve === undefined || reject === undefined) throw new Error('a card has two controls')
    const without = templated(card({ controls: [approve, reject] }), template)
    expect(without).toBeDefined()
    expect(templated(card({ controls: [approve, edit, reject] }), template)).toEqual(without)
  })

  it('is not used where the card would lose anything', () => {
    const [approve, reject] = aCard().controls
    const other = { label: 'Otra', payload: 'd1.o', style: 'danger' } as const
    if (approve === undefined || reject === undefined) throw new Error('a card has two controls')
    expect(templated(card({ controls: [approve, other, reject] }), template)).toBeUndefined()
    expect(templated(card({ controls: [approve] }), template)).toBeUndefined()
    expect(templated(card({ lines: [...aCard().lines, { part: 'details', text: 'detalle' }] }), template)).toBeUndefined()
    expect(templated(card({ lines: aCard({ monto: '9'.repeat(900) }).lines }), template)).toBeUndefined()
    expect(templated({ kind: 'card', card: aCard(), plain: true }, template)).toBeUndefined()
    expect(templated({ kind: 'text', text: 'hola' }, template)).toBeUndefined()
  })
})
