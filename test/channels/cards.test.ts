// What is on a card is what was frozen, on every channel, whatever it is; and nothing in it passes for a part of the card.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renderLines, partsOf as simulated } from '../../src/channels/simulator/render.ts'
import { render as onTelegram } from '../../src/channels/telegram/render.ts'
import { render as onBaileys } from '../../src/channels/whatsapp-baileys/render.ts'
import { render as onCloud } from '../../src/channels/whatsapp-cloud/render.ts'
import type { Card, CardLine, FieldValue } from '../../src/core/card.ts'
import { isCode } from '../../src/core/code.ts'
import { showText } from '../../src/core/show-text.ts'
import { type HostileCard, hostileCard, type ShippedLocale, texts, undone } from '../support/hostile-cards.ts'

/** The full number is 100,000. */
const runs = Number(process.env.DALE_TEST_CARDS ?? 1_000)

const always = (holds: (made: HostileCard) => void): void => {
  fc.assert(
    fc.property(hostileCard, (made) => {
      holds(made)
    }),
    { numRuns: runs },
  )
}

const isExplaining = ({ part }: CardLine): boolean => ['details', 'artefact', 'also', 'reason'].includes(part)
const needed = ({ lines }: Card): number =>
  lines.filter((line) => !isExplaining(line)).reduce((sum, { label = '', text }) => sum + label.length + text.length + 4, 0)
const fieldsOf = ({ lines }: Card): readonly CardLine[] => lines.filter(({ part }) => part === 'field')

const plain = (digits: string, locale: ShippedLocale): string =>
  locale === 'en' ? digits.replaceAll(',', '') : digits.replaceAll('.', '').replace(',', '.')

const monthsOf = (locale: ShippedLocale): readonly string[] =>
  Array.from({ length: 12 }, (_, month) =>
    new Intl.DateTimeFormat(locale, { month: 'long', timeZone: 'UTC' }).format(Date.UTC(2026, month, 15)).toLowerCase(),
  )
const months = { es: monthsOf('es'), 'pt-BR': monthsOf('pt-BR'), en: monthsOf('en') }

function dayIn(shown: string, locale: ShippedLocale): string {
  const month = months[locale].findIndex((name) => shown.toLowerCase().includes(name))
  const [day = '', year = ''] = shown.match(/\d+/g) ?? []
  return `${year.padStart(4, '0')}-${String(month + 1).padStart(2, '0')}-${day.padStart(2, '0')}`
}

function instantIn(shown: string, locale: ShippedLocale): number {
  const [, day = '', time = '', offset = ''] = /^(.*), (\d{2}:\d{2}) \(UTC([^,)]*)/.exec(shown) ?? []
  const [, sign = '+', hours = '0', minutes = '0'] = /^([+-])(\d+)(?::(\d+))?$/.exec(offset) ?? []
  const shift = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
  return Date.parse(`${dayIn(day, locale)}T${time}:00Z`) / 60_000 - shift
}

/** Does what is shown say the value, and no other? */
function expectSays(shown: string, value: FieldValue, locale: ShippedLocale): void {
  switch (value.kind) {
    case 'text':
      expect(shown).toBe(showText(value.text))
      // Where there is nothing to be shown otherwise, it stands as it was written.
      if (/^[\w.,@áéíóúñãç]+( [\w.,@áéíóúñãç]+)*$/.test(value.text)) expect(shown).toBe(value.text)
      return
    case 'number':
      // Beyond what is written out, in the notation of every locale.
      expect(Number(shown.includes('e') ? shown : plain(shown, locale))).toBe(value.number)
      return
    case 'money': {
      const [whole, fraction = ''] = value.amount.split('.')
      expect([shown.slice(0, 4), plain(shown.slice(4), locale)]).toEqual(['ARS ', `${whole}.${fraction.padEnd(2, '0')}`])
      return
    }
    case 'date':
      expect(dayIn(shown, locale)).toBe(value.date)
      return
    case 'instant':
      expect(instantIn(shown, locale)).toBe(Math.floor(Date.parse(value.instant) / 60_000))
  }
}

/** The values as the card's lines have them, without the reason why one is unusual. */
function expectTrue({ card, fields, locale }: HostileCard): void {
  const lines = fieldsOf(card)
  expect(lines).toHaveLength(fields.length)
  fields.forEach(({ label, value, unusual }, index) => {
    const line = lines[index]
    expect(line?.label).toBe(showText(label))
    const text = line?.text ?? ''
    const why = unusual === undefined ? '' : ` ${texts[locale]['card.unusual'].replace('{{why}}', () => showText(unusual))}`
    expect(text.endsWith(why)).toBe(true)
    expectSays(text.slice(0, text.length - why.length), value, locale)
  })
}

const codesIn = (text: string): readonly string[] =>
  [...text.matchAll(/[#＃﹟]([\p{L}\p{N}]{4})(?![\p{L}\p{N}])/gu)].flatMap(([, code = '']) =>
    isCode(code.normalize('NFKC').toUpperCase()) ? [code] : [],
  )

describe('a card of whatever arguments', () => {
  it('has every key field, from which the value can be read back', () => {
    always(expectTrue)
  })

  it('on Telegram has its values in order as styled stretches, its own buttons, and no code but its own; or is not sent', () => {
    always(({ card }) => {
      const rendering = onTelegram({ kind: 'card', card })
      if (rendering.kind === 'refused') return expect([rendering.why, needed(card) > 3_900]).toEqual(['does_not_fit', true])
      const last = rendering.parts.at(-1)
      expect(rendering.parts.slice(0, -1).flatMap((part) => [...part.entities, part.reply_markup ?? []].flat())).toEqual([])
      expect(last?.reply_markup?.inline_keyboard.flat()).toMatchObject([
        { text: 'Confirmar', callback_data: 'yes' },
        { text: 'Cancelar', callback_data: 'no' },
      ])
      const styled = (last?.entities ?? []).map(({ type, offset, length }) => [type, last?.text.slice(offset, offset + length)])
      expect(styled.filter(([type]) => type === 'code').slice(0, fieldsOf(card).length)).toEqual(
        fieldsOf(card).map(({ text }) => ['code', text.toWellFormed()]),
      )
      expect(styled.filter(([type]) => type === 'bold').map(([, text]) => text)).toEqual(
        card.lines.filter(({ part }) => part === 'head' || part === 'summary').map(({ text }) => text.toWellFormed()),
      )
      expect(new Set(codesIn(last?.text ?? ''))).toEqual(new Set(['K7Q2']))
    })
  })

  /** A mark of WhatsApp's that something stands between, at the edges of words; or one that begins a line. */
  const styles =
    /(?<![A-Za-z0-9])([*_~])(?=\S)[^\n]*(?!\1)\S[^\n]*(?<=\S)\1(?![A-Za-z0-9])|`|^[^\S\n]*(>|[-*•][^\S\n]|\d+[.)][^\S\n])/u

  function expectOnWhatsApp(card: Card, face: string): void {
    const lines = face.split('\n')
    const shown = fieldsOf(card).map(({ label, text }) => undone(`${label}: ${text}`.toWellFormed()))
    const found = lines.map((line) => undone(line.replace(/^⚠️ /, '')))
    // In their order, each whole on a line of its own.
    let from = 0
    for (const line of shown) {
      const at = found.indexOf(line, from)
      expect(at, line).toBeGreaterThanOrEqual(from)
      expect(lines[at]).not.toMatch(styles)
      from = at + 1
    }
    expect(new Set(codesIn(face))).toEqual(new Set(['K7Q2']))
  }

  it('on the Cloud API has its values on lines of their own without a mark, and its own buttons; or is not sent', () => {
    always(({ card }) => {
      const rendering = onCloud({ kind: 'card', card })
      if (rendering.kind === 'refused') return expect([rendering.why, needed(card) > 700]).toEqual(['does_not_fit', true])
      const last = rendering.parts.at(-1)
      if (last?.type !== 'interactive') return expect.unreachable()
      expect(rendering.parts.slice(0, -1).every(({ type }) => type === 'text')).toBe(true)
      expect(last.interactive.action.buttons.map(({ reply }) => reply)).toEqual([
        { id: 'yes', title: 'Confirmar' },
        { id: 'no', title: 'Cancelar' },
      ])
      return expectOnWhatsApp(card, last.interactive.body.text)
    })
  })

  it('on a linked number has its values on lines of their own without a mark, and its own poll; or is not sent', () => {
    always(({ card }) => {
      const rendering = onBaileys({ kind: 'card', card }, { polls: true })
      if (rendering.kind === 'refused') return expect([rendering.why, needed(card) > 3_000]).toEqual(['does_not_fit', true])
      const [face, poll] = rendering.parts.slice(-2)
      expect(poll).toMatchObject({ kind: 'poll', name: '#K7Q2', options: [{ name: 'Confirmar' }, { name: 'Cancelar' }] })
      return face?.kind === 'text' ? expectOnWhatsApp(card, face.text) : expect.unreachable()
    })
  })

  it('in a terminal has its values on lines of their own, moves no cursor, and has one line that can be tapped', () => {
    always(({ card }) => {
      const last = simulated({ kind: 'card', card }).at(-1)
      if (last === undefined) return expect.unreachable()
      const lines = renderLines(last)
      for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e]/u)
      const tapped = lines.filter((line) => /^\s*\[(?!U\+)/.test(line))
      expect(tapped).toEqual(['[Confirmar] [Cancelar]  #K7Q2'])
      const found = lines.map((line) => undone(line.replace(/^⚠ /, '')))
      for (const { label, text } of fieldsOf(card)) expect(found).toContain(undone(`${label}: ${text}`))
      return expect(new Set(codesIn(lines.join('\n')))).toEqual(new Set(['K7Q2']))
    })
  })
})
