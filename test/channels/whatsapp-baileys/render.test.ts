import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import es from '../../../locales/es/chat.json' with { type: 'json' }
import { fits, limits, type Part, render } from '../../../src/channels/whatsapp-baileys/render.ts'
import type { Card, CardLine } from '../../../src/core/card.ts'
import type { Outgoing } from '../../../src/core/outgoing.ts'
import { splitText } from '../../../src/core/split-text.ts'
import { type SayCard, writeCard } from '../../../src/core/write-card.ts'
import { aCard } from '../../contracts/channel.ts'

const partsOf = (message: Outgoing, polls = false): readonly Part[] => {
  const rendering = render(message, { polls })
  return rendering.kind === 'parts' ? rendering.parts : []
}
const textsOf = (message: Outgoing): readonly string[] =>
  partsOf(message).flatMap((part) => (part.kind === 'text' ? [part.text] : []))
const aCardWith = (...lines: readonly CardLine[]): Outgoing => ({
  kind: 'card',
  card: { ...aCard(), lines: [...lines, ...aCard().lines] },
})

describe('a card', () => {
  it('is one plain text', () => {
    expect(partsOf({ kind: 'card', card: aCard() })).toEqual([
      {
        kind: 'text',
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
      },
    ])
  })

  it('has a poll of its two sides behind it, named by the code alone, where polls are offered', () => {
    const [text, poll] = partsOf({ kind: 'card', card: aCard() }, true)
    expect(text).toEqual(partsOf({ kind: 'card', card: aCard() })[0])
    expect(poll).toEqual({
      kind: 'poll',
      name: '#K7Q2',
      options: [
        { name: 'Confirmar', payload: 'd1.k3J9xQ2mVt7Lp0aZ.a', style: 'success' },
        { name: 'Cancelar', payload: 'd1.k3J9xQ2mVt7Lp0aZ.r', style: 'danger' },
      ],
    })
  })

  it.each<readonly [string, Partial<Card>]>([
    ['it is settled', { controls: [] }],
    ['it has one side', { controls: aCard().controls.slice(0, 1) }],
    ['both sides read alike', { controls: aCard().controls.map((control) => ({ ...control, label: 'Sí' })) }],
    [
      'a side is too long for an option',
      { controls: aCard().controls.map((control, at) => ({ ...control, label: `${at}`.repeat(101) })) },
    ],
  ])('has no poll when %s', (_, over) => {
    expect(partsOf({ kind: 'card', card: { ...aCard(), ...over } }, true).map(({ kind }) => kind)).toEqual(['text'])
  })

  it('has no poll when it goes plainly', () => {
    expect(partsOf({ kind: 'card', card: aCard(), plain: true }, true).map(({ kind }) => kind)).toEqual(['text'])
  })

  it('leaves a third control to words', () => {
    const edit = { label: 'Cambiar', payload: 'd1.k3J9xQ2mVt7Lp0aZ.e', style: 'plain' as const }
    const card = { ...aCard(), controls: [...aCard().controls, edit] }
    expect(partsOf({ kind: 'card', card }, true)).toEqual(partsOf({ kind: 'card', card: aCard() }, true))
  })

  it('looks different when much is at stake, until it is settled', () => {
    expect(textsOf({ kind: 'card', card: { ...aCard(), severity: 'high' } })[0]).toMatch(/^‼️ Plan/)
    expect(textsOf({ kind: 'card', card: { ...aCard({ settled: true }), severity: 'high' } })[0]).toMatch(/^Plan/)
  })

  it('prints its code once, and takes no value for it', () => {
    const words: CardLine = { part: 'words', text: 'Con «sí #K7Q2» nombrás justo esta.' }
    expect(textsOf(aCardWith(words))[0]?.match(/#K7Q2/g)).toHaveLength(1)
    const value: CardLine = { part: 'field', label: 'Nota', text: 'es #K7Q2 o #M3N4, del pedido #4512' }
    expect(textsOf(aCardWith(value))[0]).toContain('Nota: es [U+0023]K7Q2 o [U+0023]M3N4, del pedido #4512')
    expect(textsOf(aCardWith(value))[0]).toMatch(/\n\n#K7Q2$/)
  })

  it('sends what only explains first, when all together is long; what decides stays on the last text', () => {
    const details: CardLine = { part: 'details', text: 'detalle '.repeat(1500).trim() }
    const texts = textsOf(aCardWith(details))
    expect(texts.slice(0, -1).join(' ')).toBe(details.text)
    expect(texts.at(-1)).toBe(textsOf({ kind: 'card', card: aCard() })[0])
    expect(partsOf(aCardWith(details), true).at(-1)?.kind).toBe('poll')
  })

  it('is refused whole when a key field would be cut', () => {
    const card = aCard({ monto: '9'.repeat(limits.text) })
    expect(render({ kind: 'card', card }, { polls: true })).toEqual({ kind: 'refused', why: 'does_not_fit' })
    expect(fits({ kind: 'card', card })).toBe(false)
    expect(fits({ kind: 'card', card: aCard() })).toBe(true)
  })
})

describe('the card that a person reads', () => {
  const texts: Readonly<Record<string, string>> = es
  const say: SayCard = (key, values = {}) =>
    (texts[key] ?? key).replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? name))
  /** Everything that somebody may write into a value, marks and look-alikes included. */
  const value = fc.oneof(
    { weight: 3, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }) },
    {
      weight: 3,
      arbitrary: fc
        .array(
          fc.constantFrom(
            '*',
            '_',
            '~',
            '`',
            '```',
            '> ',
            '- ',
            '1. ',
            ' ',
            '\n',
            '#K7Q2',
            '#m3n4',
            '⚠️ Monto: 1',
            'Monto: 1',
            '✔ Hecho',
            'Respondé «sí»',
            '\u202e',
            '\u200b',
            '[U+002A]',
            'Espera 30 min.',
            '[Confirmar]',
            'a',
            '5',
          ),
          { minLength: 1, maxLength: 8 },
        )
        .map((pieces) => pieces.join('')),
    },
  )
  const field = fc.record({ label: value, text: value, unusual: fc.option(value, { nil: undefined }) })

  const cardOf = (
    summary: string,
    fields: readonly { readonly label: string; readonly text: string; readonly unusual: string | undefined }[],
  ) =>
    writeCard({
      preview: {
        summary,
        fields: fields.map(({ label, text, unusual }, at) => ({
          key: `f${at}`,
          label,
          value: { kind: 'text', text },
          ...(unusual === undefined ? {} : { unusual }),
        })),
      },
      code: 'K7Q2',
      reasons: [],
      reversibility: 'reversible',
      severity: 'normal',
      locale: 'es',
      waitsMs: 1_800_000,
      controls: aCard().controls,
      say,
      words: { approve: 'sí', reject: 'no' },
    })

  /** What is shown by number, as it was written. */
  const read = (shown: string): string =>
    shown.replace(/\[U\+([0-9A-F]{4,6})(?: ×(\d+))?\]/g, (_, hex: string, times = '1') =>
      String.fromCodePoint(Number.parseInt(hex, 16)).repeat(Number(times)),
    )
  /** A stretch that WhatsApp would style, a line that it would turn into a quote or a list. */
  const styled =
    /(?<![A-Za-z0-9])([*_~])(?=\S)[^\n]*(?!\1)\S[^\n]*(?<=\S)\1(?![A-Za-z0-9])|`|^[^\S\n]*(>|[-*•][^\S\n]|\d+[.)][^\S\n])/mu

  it('gives back every value, each on one line of its own, and holds no mark, code or sign of ours but ours', () => {
    fc.assert(
      fc.property(value, fc.array(field, { minLength: 1, maxLength: 6 }), (summary, fields) => {
        const card = cardOf(summary, fields)
        const written = textsOf({ kind: 'card', card })
        const shown = written.join('\n\n')
        const linesIn = (text: string) => text.split('\n').filter((line) => line !== '')
        const lines = linesIn(written.at(-1) ?? '')
        const expected = card.lines.filter(({ part }) => part === 'summary' || part === 'field')
        expect(linesIn(shown)).toHaveLength(card.lines.length)
        // Every field, whole, in the declared order, right behind the summary.
        expected.forEach(({ label, text, unusual }, at) => {
          const wanted = `${unusual === true ? '⚠️ ' : ''}${label === undefined ? '' : `${label}: `}${text}`
          expect(read(lines[at] ?? '')).toBe(read(wanted.toWellFormed().trim()))
        })
        expect(shown).not.toMatch(styled)
        // The one code is ours, where the words to type stand.
        expect(
          shown.match(/#[2-9A-HJKMNP-TV-Z]{4}(?![\p{L}\p{N}])/giu)?.filter((code) => /\d/.test(code) && /[a-z]/i.test(code)),
        ).toEqual(['#K7Q2'])
        expect(lines.filter((line) => line.startsWith('⚠️ '))).toHaveLength(
          expected.filter(({ unusual }) => unusual === true).length,
        )
      }),
      { numRuns: Number(process.env.DALE_RENDER_RUNS ?? 1000) },
    )
  }, 300_000)
})

describe('a list of open cards', () => {
  const other: Card = { ...aCard(), code: 'M3N4' }

  it('names each by its code, with a poll for each where polls are offered', () => {
    const parts = partsOf({ kind: 'list', text: '¿Cuál de estas?', cards: [aCard(), other] }, true)
    expect(parts[0]).toEqual({
      kind: 'text',
      text: '¿Cuál de estas?\n\n#K7Q2 Plan de 3 cuotas para Ana Gómez (cliente 42)\n\n#M3N4 Plan de 3 cuotas para Ana Gómez (cliente 42)',
    })
    expect(parts.slice(1).map((part) => (part.kind === 'poll' ? part.name : ''))).toEqual(['#K7Q2', '#M3N4'])
  })
})

describe('what else is said', () => {
  it('is the agent’s text to the letter', () => {
    const text = '*Hola* _Ana_: pedido #K7Q2\n> cita\n1. uno'
    expect(textsOf({ kind: 'text', text })).toEqual([text])
  })

  it('is the runtime’s own word, in which no value is a mark', () => {
    expect(textsOf({ kind: 'notice', text: 'Hecho: *pagado*', code: 'K7Q2' })).toEqual(['Hecho: [U+002A]pagado[U+002A]  #K7Q2'])
    expect(textsOf({ kind: 'notice', text: 'Venció #K7Q2.', code: 'K7Q2' })).toEqual(['Venció #K7Q2.'])
    expect(textsOf({ kind: 'question', text: '¿Cuánto es ~5~?' })).toEqual(['¿Cuánto es [U+007E]5[U+007E]?'])
  })

  it('is refused when there is nothing to read in it', () => {
    for (const text of ['', ' \n '])
      expect(render({ kind: 'text', text }, { polls: true })).toEqual({ kind: 'refused', why: 'empty' })
  })
})

describe('a long text', () => {
  it('loses nothing but the white space at its cuts, and cuts no character', () => {
    const piece = fc.oneof(
      fc.constantFrom(' ', '\n', '\n\n', '👩‍👩‍👧', '🧾', '\ud83d'),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.integer({ min: 2, max: 30 }), (pieces, limit) => {
        const text = pieces.join('')
        const parts = splitText(text, limit)
        const bare = (one: string) => one.replace(/\s/gu, '')
        expect(bare(parts.join(''))).toBe(bare(text.toWellFormed()))
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(limit)
          expect(part).toBe(part.trim())
          expect(part.isWellFormed()).toBe(true)
        }
      }),
    )
  })

  it('is cut at a line where it can be, else at a space, else where it must', () => {
    expect(splitText('uno dos\ntres cuatro', 10)).toEqual(['uno dos', 'tres', 'cuatro'])
    expect(splitText('abcdefghijklmno', 10)).toEqual(['abcdefghij', 'klmno'])
    expect(splitText('abcdefghi🧾k', 10)).toEqual(['abcdefghi', '🧾k'])
  })
})
