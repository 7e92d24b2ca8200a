import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import en from '../../locales/en/chat.json' with { type: 'json' }
import es from '../../locales/es/chat.json' with { type: 'json' }
import ptBR from '../../locales/pt-BR/chat.json' with { type: 'json' }
import type { Preview } from '../../src/core/card.ts'
import { hasMixedLetters, ownGlyphs, showText } from '../../src/core/show-text.ts'
import { showValue } from '../../src/core/show-value.ts'
import { type CardParts, type SayCard, stateCard, writeCard } from '../../src/core/write-card.ts'

const sayIn =
  (texts: Readonly<Record<string, string>>): SayCard =>
  (key, values = {}) =>
    (texts[key] ?? `no ${key}`).replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? `no ${name}`))

const preview: Preview = {
  summary: 'Plan de 3 cuotas para Ana Gómez (cliente 42)',
  fields: [
    { key: 'cliente', label: 'Cliente', value: { kind: 'text', text: 'Ana Gómez (42)' } },
    {
      key: 'monto',
      label: 'Monto',
      value: { kind: 'money', amount: '184000.00', currency: 'ARS' },
      unusual: 'más del doble de lo normal',
    },
    { key: 'primera', label: 'Primera cuota', value: { kind: 'date', date: '2026-04-10' } },
  ],
}

const parts: CardParts = {
  preview,
  code: 'K7Q2',
  reasons: [{ code: 'HIGH_COST' }],
  reversibility: 'reversible',
  severity: 'normal',
  locale: 'es',
  waitsMs: 30 * 60_000,
  controls: [{ label: 'Confirmar', payload: 'p', style: 'success' }],
  say: sayIn(es),
  words: { approve: 'dale', reject: 'no' },
}

const linesOf = (over: Partial<CardParts>): readonly string[] =>
  writeCard({ ...parts, ...over }).lines.map(
    ({ part, label, text }) => `${part}: ${label === undefined ? '' : `${label}: `}${text}`,
  )

describe('a card', () => {
  test('says what, every key field, why, how long and with which words', () => {
    expect(writeCard(parts)).toEqual({
      code: 'K7Q2',
      severity: 'normal',
      controls: parts.controls,
      lines: [
        { part: 'summary', text: 'Plan de 3 cuotas para Ana Gómez (cliente 42)' },
        { part: 'field', label: 'Cliente', text: 'Ana Gómez (42)' },
        {
          part: 'field',
          label: 'Monto',
          text: 'ARS 184.000,00 ⚠ fuera de lo habitual: más del doble de lo normal',
          unusual: true,
        },
        { part: 'field', label: 'Primera cuota', text: '10 de abril de 2026' },
        { part: 'reason', text: 'Pregunto por el monto.' },
        { part: 'deadline', text: 'Espera 30 min.' },
        { part: 'words', text: 'Respondé «dale» o «no». Con «dale #K7Q2» nombrás justo esta.' },
      ],
    })
  })

  test('says which value a yes will have to type, and with which words to say why not', () => {
    expect(
      linesOf({ severity: 'high', reversibility: 'irreversible', typed: 'Cliente', reasonBy: 'cancelar con motivo' }),
    ).toEqual([
      'head: Mirá dos veces: esto pesa.',
      'summary: Plan de 3 cuotas para Ana Gómez (cliente 42)',
      'field: Cliente: Ana Gómez (42)',
      'field: Monto: ARS 184.000,00 ⚠ fuera de lo habitual: más del doble de lo normal',
      'field: Primera cuota: 10 de abril de 2026',
      'reason: Pregunto por el monto.',
      'reason: Una vez hecho, no se puede deshacer.',
      'deadline: Espera 30 min.',
      'words: Respondé «dale» o «no». Con «dale #K7Q2» nombrás justo esta.',
      'words: Para decir por qué no, respondé «cancelar con motivo #K7Q2».',
      'words: Después de tu sí te pido que escribas «Cliente» tal como figura acá.',
    ])
  })

  test('says it in English and Portuguese with their numbers and months', () => {
    expect(linesOf({ locale: 'en', say: sayIn(en), words: { approve: 'yes', reject: 'no' } }).slice(2)).toEqual([
      'field: Monto: ARS 184,000.00 ⚠ unusual: más del doble de lo normal',
      'field: Primera cuota: April 10, 2026',
      'reason: I ask because of the amount.',
      'deadline: Waits 30 min.',
      'words: Answer “yes” or “no”. “yes #K7Q2” always names this one.',
    ])
    expect(linesOf({ locale: 'pt-BR', say: sayIn(ptBR), words: { approve: 'sim', reject: 'não' } }).slice(2)).toEqual([
      'field: Monto: ARS 184.000,00 ⚠ fora do habitual: más del doble de lo normal',
      'field: Primera cuota: 10 de abril de 2026',
      'reason: Pergunto por causa do valor.',
      'deadline: Espera 30 min.',
      'words: Responda “sim” ou “não”. Com “sim #K7Q2” você indica exatamente esta.',
    ])
  })

  test('shows what to look at and what else happens, after the key fields', () => {
    const full: Preview = {
      ...preview,
      artefact: { label: 'Contrato', url: 'https://tienda.example/c/42' },
      alsoWill: ['Mandar un correo', 'Cerrar el reclamo'],
      details: 'Uno.\nDos.',
    }
    expect(linesOf({ preview: full }).slice(4, 8)).toEqual([
      'artefact: Para revisar: Contrato · https://tienda.example/c/42',
      'also: Además: Mandar un correo',
      'also: Además: Cerrar el reclamo',
      'details: Uno. ⏎ Dos.',
    ])
  })

  test('that cannot be undone says so, and one that weighs opens with it', () => {
    const lines = linesOf({ reversibility: 'irreversible', severity: 'high', reasons: [] })
    expect(lines[0]).toBe('head: Mirá dos veces: esto pesa.')
    expect(lines).toContain('reason: Una vez hecho, no se puede deshacer.')
    expect(linesOf({ reversibility: 'observed' })).toContain('reason: Una vez hecho, es difícil de deshacer.')
  })

  test('beside one that is under way says so in its first line', () => {
    const lines = linesOf({ heads: [{ kind: 'again' }, { kind: 'sibling', code: 'P3RT', state: 'in_doubt' }] })
    expect(lines.slice(0, 2)).toEqual([
      'head: Atención: todavía no se sabe si #P3RT, del mismo tipo, se hizo.',
      'head: Todavía no se hizo nada.',
    ])
  })

  test('that replaces a changed one tells the difference, field by field', () => {
    const from: Preview = {
      ...preview,
      fields: [
        { key: 'cliente', label: 'Cliente', value: { kind: 'text', text: 'Ana Gómez (42)' } },
        { key: 'monto', label: 'Monto', value: { kind: 'money', amount: '180000', currency: 'ARS' } },
        { key: 'tasa', label: 'Tasa', value: { kind: 'number', number: 2.5 } },
      ],
    }
    expect(linesOf({ heads: [{ kind: 'changed', from }] }).slice(0, 4)).toEqual([
      'head: Algo cambió desde la tarjeta anterior, así que no se hizo nada. Ahora está así:',
      'head: Monto: ARS 180.000,00 → ARS 184.000,00',
      'head: Tasa: 2,5 → —',
      'head: Primera cuota: — → 10 de abril de 2026',
    ])
  })

  test('tells several reasons once each, a policy in its own words', () => {
    const reasons = [
      { code: 'HIGH_COST' },
      { code: 'HIGH_COST' },
      { code: 'CUSTOM', message: 'Pasa tu\nlímite.' },
      { code: 'NOT_KNOWN' },
    ]
    expect(linesOf({ reasons }).filter((line) => line.startsWith('reason'))).toEqual([
      'reason: Pregunto por el monto.',
      'reason: Pasa tu ⏎ límite.',
      'reason: Pregunto porque una regla de esta cuenta lo pide.',
    ])
  })

  test('never promises more time than there is', () => {
    expect(linesOf({ waitsMs: 119.9 * 60_000 }).at(-2)).toBe('deadline: Espera 119 min.')
    expect(linesOf({ waitsMs: 179 * 60_000 }).at(-2)).toBe('deadline: Espera 2 h.')
    expect(linesOf({ waitsMs: 61_000 }).at(-2)).toBe('deadline: Espera 1 min.')
  })

  test('whose values mix alphabets says what the sign means', () => {
    const mixed: Preview = { ...preview, summary: 'Pago a H\u0435nderson' }
    const lines = linesOf({ preview: mixed })
    expect(lines[0]).toBe('summary: Pago a H\u0435nderson ⚠')
    expect(lines).toContain(`reason: ${es['card.mixed_scripts']}`)
  })

  test('keeps every key field whole and in order, whatever the values are', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('#K7Q2', '✅ Confirmado', 'Monto: 1\nCliente: 2', 'a'.repeat(3_000)),
    )
    fc.assert(
      fc.property(fc.array(fc.record({ label: text, text }), { maxLength: 8 }), text, (values, summary) => {
        const fields = values.map(({ label, text: value }, index) => ({
          key: String(index),
          label,
          value: { kind: 'text', text: value } as const,
        }))
        const { lines } = writeCard({ ...parts, preview: { summary, fields } })
        expect(lines.filter(({ part }) => part === 'field')).toEqual(
          values.map((value) => ({ part: 'field', label: showText(value.label), text: showText(value.text) })),
        )
        expect(lines.findIndex(({ part }) => part === 'summary')).toBe(0)
        for (const line of lines) expect(`${line.label ?? ''}${line.text}`).not.toMatch(/[\n\r\v\f\u0085\u2028\u2029]/)
        expect(lines.at(-1)?.part).toBe('words')
      }),
      { numRuns: 2_000 },
    )
  })

  test('has words for every reason in every locale', () => {
    const keys = Object.keys(en)
      .filter((key) => key.startsWith('card.'))
      .sort()
    for (const texts of [es, ptBR]) {
      expect(
        Object.keys(texts)
          .filter((key) => key.startsWith('card.'))
          .sort(),
      ).toEqual(keys)
      for (const key of keys) {
        const values = (of: Readonly<Record<string, string>>): string[] =>
          [...new Set((of[key] ?? '').match(/\{\{\w+\}\}/g))].sort()
        expect(values(texts)).toEqual(values(en))
      }
    }
  })
})

describe('a card after its life', () => {
  test('says what became of it first, keeps what it was about, and offers nothing', () => {
    const ended = stateCard(writeCard({ ...parts, heads: [{ kind: 'again' }] }), 'Venció sin respuesta: no se hizo nada.')
    expect(ended.controls).toEqual([])
    expect(ended.lines.map(({ part }) => part)).toEqual(['state', 'summary', 'field', 'field', 'field'])
    expect(ended.lines[0]).toEqual({ part: 'state', text: 'Venció sin respuesta: no se hizo nada.' })
    expect(
      stateCard(ended, 'Listo.')
        .lines.map(({ text }) => text)
        .slice(0, 2),
    ).toEqual(['Listo.', preview.summary])
  })
})

describe('a value', () => {
  test.each([
    ['184000.5', 'ARS', 'es', 'ARS 184.000,50'],
    ['184000.5', 'ARS', 'en', 'ARS 184,000.50'],
    ['1234', 'BRL', 'pt-BR', 'BRL 1.234,00'],
    ['1234', 'JPY', 'en', 'JPY 1,234'],
    ['-0.5', 'USD', 'en', 'USD -0.50'],
    ['90071992547409931.01', 'ARS', 'es', 'ARS 90.071.992.547.409.931,01'],
    ['0.1234567890123456789', 'USD', 'en', 'USD 0.1234567890123456789'],
    ['1.005', 'USD', 'en', 'USD 1.005'],
    ['12e3', 'USD', 'en', 'USD 12e3'],
    ['1,000', 'USD', 'es', 'USD 1,000'],
    ['10', 'U$S', 'es', 'U$S 10'],
    ['10', 'usd', 'es', 'usd 10'],
    ['NaN', 'USD', 'en', 'USD NaN'],
    ['', 'USD', 'en', 'USD'],
  ])('of %s %s in %s is shown as %s', (amount, currency, locale, shown) => {
    expect(showValue({ kind: 'money', amount, currency }, locale)).toBe(shown)
  })

  test('of money reads back to exactly the digits that were given', () => {
    const amount = fc
      .tuple(fc.bigInt({ min: -(10n ** 29n), max: 10n ** 29n }), fc.array(fc.nat({ max: 9 }), { maxLength: 12 }))
      .map(([whole, decimals]) => `${whole}${decimals.length > 0 ? `.${decimals.join('')}` : ''}`)
    fc.assert(
      fc.property(amount, fc.constantFrom('es', 'pt-BR', 'en'), (given, locale) => {
        const shown = showValue({ kind: 'money', amount: given, currency: 'ARS' }, locale)
        const [, digits = ''] = shown.split(' ')
        const back = locale === 'en' ? digits.replaceAll(',', '') : digits.replaceAll('.', '').replace(',', '.')
        const [whole, fraction = ''] = given.split('.')
        expect(back).toBe(`${whole}.${fraction.padEnd(2, '0')}`)
      }),
    )
  })

  test.each([
    [1234.5, 'es', '1.234,5'],
    [1234, 'es', '1.234'],
    [0.1, 'en', '0.1'],
    [1e-7, 'en', '0.0000001'],
    [-3, 'pt-BR', '-3'],
    [1e21, 'en', '1,000,000,000,000,000,000,000'],
    [Number.NaN, 'en', 'NaN'],
    [Number.NEGATIVE_INFINITY, 'en', '-Infinity'],
    [5e-324, 'en', '5e-324'],
  ])('of the number %d in %s is shown as %s', (number, locale, shown) => {
    expect(showValue({ kind: 'number', number }, locale)).toBe(shown)
  })

  test.each([
    ['es', '9 de marzo de 2026, 12:04 (UTC-3, Buenos Aires)'],
    ['pt-BR', '9 de março de 2026, 12:04 (UTC-3, Buenos Aires)'],
    ['en', 'March 9, 2026, 12:04 (UTC-3, Buenos Aires)'],
  ])('of an instant in %s names month and zone', (locale, shown) => {
    expect(
      showValue({ kind: 'instant', instant: '2026-03-09T15:04:00Z', timeZone: 'America/Argentina/Buenos_Aires' }, locale),
    ).toBe(shown)
  })

  test.each([
    ['2026-12-31T23:30:00-03:00', 'Europe/Madrid', '1 de enero de 2027, 03:30 (UTC+1, Madrid)'],
    ['2026-03-09T00:00Z', 'UTC', '9 de marzo de 2026, 00:00 (UTC)'],
    ['2026-03-09T00:00Z', 'Asia/Kolkata', '9 de marzo de 2026, 05:30 (UTC+5:30, Kolkata)'],
    ['2026-03-09T00:00Z', 'Pacific/Kiritimati', '9 de marzo de 2026, 14:00 (UTC+14, Kiritimati)'],
    ['2026-03-09T00:00', 'UTC', '2026-03-09T00:00 (UTC)'],
    ['2026-03-09T25:00Z', 'UTC', '2026-03-09T25:00Z (UTC)'],
    ['2026-03-09T00:00Z', 'Marte/Base', '2026-03-09T00:00Z (Marte/Base)'],
    ['mañana', 'UTC', 'mañana (UTC)'],
  ])('of the instant %s in %s is shown as %s', (instant, timeZone, shown) => {
    expect(showValue({ kind: 'instant', instant, timeZone }, 'es')).toBe(shown)
  })

  test.each([
    ['2026-02-28', '28 de febrero de 2026'],
    ['2028-02-29', '29 de febrero de 2028'],
    ['2026-02-30', '2026-02-30'],
    ['03/04/2026', '03/04/2026'],
    ['2026-3-4', '2026-3-4'],
  ])('of the date %s is shown as %s', (date, shown) => {
    expect(showValue({ kind: 'date', date }, 'es')).toBe(shown)
  })
})

describe('a text on a card', () => {
  test.each([
    ['turned around by an override', 'fac\u202Etura', 'fac[U+202E]tura'],
    ['with isolates of its own', '\u2067x\u2069', '[U+2067]x[U+2069]'],
    ['with letters of no width', 'A\u200Bna\u200D', 'A[U+200B]na[U+200D]'],
    ['with a soft hyphen', 'a\u00ADb', 'a[U+00AD]b'],
    ['with tags', 'a\u{E0061}b', 'a[U+E0061]b'],
    ['with a variation selector on a letter', 'a\uFE0F', 'a[U+FE0F]'],
    ['with control characters', 'a\u0000b\u001B[0m', 'a[U+0000]b[U+001B][0m'],
    ['with half of a pair', 'a\ud800', 'a[U+D800]'],
    ['with blanks that are no spaces', 'a\u2800\u115Fb', 'a[U+2800][U+115F]b ⚠'],
    ['with private letters', 'a\uE000', 'a[U+E000]'],
    ['of several lines', 'a\r\n\u2028b\u0085c', 'a ⏎ b ⏎ c'],
    ['that pushes the rest out of sight', ' a \u00A0\t  b\u3000', 'a b'],
    ['with a flood of accents', `a${'\u0301'.repeat(50)}b`, 'a\u0301\u0301\u0301\u0301[U+0301 ×46]b'],
    ['that begins with an accent', '\u0301a', '[U+0301]a'],
    ['with an enclosing mark', 'a\u20E0', 'a[U+20E0]'],
    ['that wears the marks of the card', '✅ Hecho ⚠️ ⚠ ⏎', '[U+2705] Hecho [U+26A0][U+FE0F] [U+26A0] [U+23CE]'],
    ['that is empty', ' \t', '—'],
  ])('%s is shown as it is', (_name, text, shown) => {
    expect(showText(text)).toBe(shown)
  })

  test.each([
    'Ñandú, ação, über',
    'Cra. 7 #4512-3',
    '<b>x</b> *y* _z_ `w` @ana',
    'Tiệm phở',
    '❤️ 👨‍👩‍👧 👍🏽 🇦🇷 🏴󠁧󠁢󠁥󠁮󠁧󠁿',
    '東京タワー',
    'Пётр Ильич',
    'e\u0301',
  ])('%s stays as it is', (text) => {
    expect(showText(text)).toBe(text)
  })

  test('that reads from right to left cannot reorder what stands beside it', () => {
    expect(showText('שלום')).toBe('\u2068שלום\u2069')
  })

  test.each([
    'H\u0435nderson',
    'Банк Ltd',
    '\u0441\u043E\u0441\u043E',
    'Ana \u0441\u043E',
    '\u03A1\u0391\u039D \u03A1',
    '\uFF21na',
    '\u{1D400}na',
  ])('%s is marked, for its letters are not what they look like', (text) => {
    expect(hasMixedLetters(text)).toBe(true)
    expect(showText(text)).toMatch(/ ⚠$/)
  })

  test.each(['Henderson', 'Ñandú 42', 'Пётр', 'Ελλάδα', '東京 タワー とうきょう', '한국', '1.000', ''])(
    '%s is not marked',
    (text) => {
      expect(hasMixedLetters(text)).toBe(false)
    },
  )

  test('holds nothing hidden, whatever it was', () => {
    const nasty = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('\u202E', '\u200D', '\n', '\u0301', 'a', '⚠', '\uFE0F', 'א', '❤', '\ud800', ' ') }),
    )
    fc.assert(
      fc.property(nasty, (text) => {
        const shown = showText(text)
          .replace(/^\u2068(.*)\u2069( ⚠)?$/su, '$1')
          .replace(/ ⚠$/, '')
        const withoutPictures = shown.replace(/\p{RGI_Emoji}/gv, '')
        expect(withoutPictures).not.toMatch(/[\p{Default_Ignorable_Code_Point}\p{C}\p{Zl}\p{Zp}]/u)
        expect(withoutPictures.replaceAll(' ⏎', '').replace(/^⏎/, '')).not.toMatch(new RegExp(`[${ownGlyphs}]`, 'u'))
        expect(shown).not.toMatch(/\p{M}{5}/u)
        expect(shown).not.toBe('')
      }),
      { numRuns: 5_000 },
    )
  })

  test('is shown in time that its length bounds', () => {
    const started = performance.now()
    for (const unit of ['a', '\u0301', '\u202E', 'a\u0301', '\n', 'א', '👨‍👩‍👧', ' ']) showText(unit.repeat(60_000 / unit.length))
    expect(performance.now() - started).toBeLessThan(2_000)
  })
})
