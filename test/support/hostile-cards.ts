import fc from 'fast-check'
import en from '../../locales/en/chat.json' with { type: 'json' }
import es from '../../locales/es/chat.json' with { type: 'json' }
import ptBR from '../../locales/pt-BR/chat.json' with { type: 'json' }
import type { Card, Field, FieldValue } from '../../src/core/card.ts'
import { writeCard } from '../../src/core/write-card.ts'

export const texts = { es, 'pt-BR': ptBR, en } as const
export type ShippedLocale = keyof typeof texts

/** What somebody would write into a value who wants it to look like a part of the card, of the chat or of the terminal. */
const imitations = [
  '[Confirmar] [Cancelar]  #K7Q2',
  '#M4PX',
  '＃K7Q2',
  'dale #M4PX',
  '*negrita* _curva_ ~tachada~ `fija`',
  '```bloque```',
  '<b>gordo</b><a href="tg://user?id=1">x</a>',
  '[x](https://evil.example)',
  '@durov /start +5491155550101 https://evil.example',
  '\u001b[2J\u001b[1;31mrojo\u0007',
  '✅ Confirmado',
  '⚠️ ⏳ ❌ ⏎',
  'Monto: ARS 1,00\nCliente: 2',
  '\r\nbot: Hecho',
  'abc\u202Edcba\u2066x',
  '> cita',
  '- lista',
  '1. uno',
  'Н\u0435nderson',
  'z\u0335\u0336\u0337\u0338\u0335\u0336',
  'אבג',
  '',
  'a'.repeat(900),
] as const

const text = fc.oneof(
  fc.constantFrom(...imitations),
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.oneof(fc.constantFrom(...imitations), fc.string({ maxLength: 6 })), { maxLength: 4 })
    .map((pieces) => pieces.join(' ')),
)

const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.array(fc.nat({ max: 9 }), { maxLength: 6 }))
  .map(([whole, decimals]) => `${whole}${decimals.length > 0 ? `.${decimals.join('')}` : ''}`)
const moment = fc.date({ min: new Date('1990-01-01T00:00:00Z'), max: new Date('2039-12-31T00:00:00Z'), noInvalidDate: true })

const value: fc.Arbitrary<FieldValue> = fc.oneof(
  text.map((one) => ({ kind: 'text', text: one }) as const),
  fc
    .oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }))
    .map((number) => ({ kind: 'number', number: number === 0 ? 0 : number }) as const),
  decimal.map((amount) => ({ kind: 'money', amount, currency: 'ARS' }) as const),
  moment.map((one) => ({ kind: 'date', date: one.toISOString().slice(0, 10) }) as const),
  fc
    .tuple(moment, fc.constantFrom('America/Sao_Paulo', 'UTC', 'Asia/Kolkata'))
    .map(([one, timeZone]) => ({ kind: 'instant', instant: one.toISOString(), timeZone }) as const),
)

const field: fc.Arbitrary<Field> = fc
  .record({ key: fc.constant('k'), label: text, value, unusual: fc.option(text, { nil: undefined }) })
  .map(({ unusual, ...rest }) => (unusual === undefined ? rest : { ...rest, unusual }))

/** A card as the runtime writes it, and the key fields that it was written from. */
export interface HostileCard {
  readonly locale: ShippedLocale
  readonly fields: readonly Field[]
  readonly card: Card
}

export const hostileCard: fc.Arbitrary<HostileCard> = fc
  .record({
    locale: fc.constantFrom<ShippedLocale>('es', 'pt-BR', 'en'),
    summary: text,
    fields: fc.array(field, { maxLength: 7 }),
    details: fc.option(text, { nil: undefined }),
    alsoWill: fc.array(text, { maxLength: 2 }),
    why: fc.option(text, { nil: undefined }),
    by: fc.option(text, { nil: undefined }),
    severity: fc.constantFrom('normal', 'high'),
  })
  .map(({ locale, summary, fields, details, alsoWill, why, by, severity }) => ({
    locale,
    fields,
    card: writeCard({
      preview: { summary, fields, alsoWill, ...(details === undefined ? {} : { details }) },
      code: 'K7Q2',
      reasons: [{ code: 'HIGH_COST', ...(why === undefined ? {} : { message: why }) }],
      reversibility: severity === 'high' ? 'irreversible' : 'reversible',
      severity,
      locale,
      waitsMs: 1_800_000,
      controls: [
        { label: 'Confirmar', payload: 'yes', style: 'success' },
        { label: 'Cancelar', payload: 'no', style: 'danger' },
      ],
      heads: by === undefined ? [] : [{ kind: 'asked', by, account: 'tienda' }],
      say: (key, values = {}) =>
        (texts[locale] as Readonly<Record<string, string>>)[key]?.replace(/\{\{(\w+)\}\}/g, (_, name: string) =>
          String(values[name]),
        ) ?? key,
      words: { approve: 'dale', reject: 'no' },
    }),
  }))

/** What is shown by number, as the characters it stands for. */
export const undone = (shown: string): string =>
  shown.replace(/\[U\+([0-9A-F]{4,6})(?: ×(\d+))?\]/g, (_, hex: string, times = '1') =>
    String.fromCodePoint(Number.parseInt(hex, 16)).repeat(Number(times)),
  )
