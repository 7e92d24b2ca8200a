import type { InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types'
import { blockOf, type Card, type CardLine, type Control } from '../../core/card.ts'
import type { Outgoing } from '../../core/outgoing.ts'
import { join, type RichText, type Span, split } from './rich-text.ts'

/** Telegram's limits. A label has none that is documented; what is longer than this is cut on a phone. */
export const limits = { text: 4096, entities: 100, label: 40, payloadBytes: 64, buttons: 8 } as const

/** One message to send: a plain text, its styles by offset, and the keyboard under it. Never with a `parse_mode`. */
export interface Rendered extends RichText {
  readonly reply_markup?: InlineKeyboardMarkup
}

/** The parts of one outgoing message, controls on the last; or why it cannot be sent whole. */
export type Rendering =
  | { readonly kind: 'parts'; readonly parts: readonly Rendered[] }
  | { readonly kind: 'refused'; readonly why: 'empty' | 'does_not_fit' }

const refused = (why: 'empty' | 'does_not_fit'): Rendering => ({ kind: 'refused', why })

const partsOf = (before: readonly RichText[], last: Rendered | undefined): Rendering => {
  const parts = last === undefined ? before : [...before, last]
  return parts.length === 0 ? refused('empty') : { kind: 'parts', parts }
}

const isSound = ({ label, payload }: Control): boolean =>
  label.trim() !== '' && label.length <= limits.label && payload !== '' && Buffer.byteLength(payload) <= limits.payloadBytes

const buttonOf = ({ label, payload, style }: Control, suffix = ''): InlineKeyboardButton => ({
  text: label + suffix,
  callback_data: payload,
  ...(style === 'plain' ? {} : { style }),
})

/** Two short labels stand side by side on a phone; longer ones get a row each. */
function keyboardOf(controls: readonly Control[]): InlineKeyboardMarkup {
  const perRow = controls.every(({ label }) => label.length <= 16) ? 2 : 1
  const rows: InlineKeyboardButton[][] = []
  for (let at = 0; at < controls.length; at += perRow)
    rows.push(controls.slice(at, at + perRow).map((control) => buttonOf(control)))
  return { inline_keyboard: rows }
}

/**
 * A field's value is `code`: inside it Telegram's apps make no link, mention, command or telephone number of what they find, so a
 * value can neither notify somebody nor offer something to tap.
 */
function spansOf({ part, label, text, unusual }: CardLine): readonly Span[] {
  const named = label === undefined ? '' : `${label}: `
  if (part === 'field') return [{ text: unusual === true ? `⚠️ ${named}` : named }, { text, as: 'code' }]
  if (part === 'head' || part === 'summary' || part === 'state') return [{ text: named + text, as: 'bold' }]
  return [{ text: named + text }]
}

const isCoded = (card: Card): boolean => card.lines.some(({ part, text }) => part !== 'field' && text.includes(`#${card.code}`))

/** What stands on the message that carries the controls: these lines in their order, and the code, which a tap copies. */
function faceOf(card: Card, lines: readonly CardLine[]): RichText {
  const spans: Span[] = card.severity === 'high' && card.controls.length > 0 ? [{ text: '‼️ ' }] : []
  lines.forEach((line, index) => {
    const before = lines[index - 1]
    if (before !== undefined) spans.push({ text: blockOf[before.part] === blockOf[line.part] ? '\n' : '\n\n' })
    spans.push(...spansOf(line))
  })
  if (!isCoded(card)) spans.push({ text: lines.length === 0 ? '' : '\n\n' }, { text: `#${card.code}`, as: 'code' })
  return join(spans)
}

const isShort = ({ text, entities }: RichText): boolean => text.length <= limits.text && entities.length <= limits.entities

const plainly = (lines: readonly CardLine[]): readonly RichText[] =>
  lines.flatMap(({ label, text }) => split(join([{ text: label === undefined ? text : `${label}: ${text}` }]), limits.text))

function cardParts(card: Card): Rendering {
  if (card.controls.length > limits.buttons || !card.controls.every(isSound)) return refused('does_not_fit')
  const withControls = (face: RichText): Rendered =>
    card.controls.length === 0 ? face : { ...face, reply_markup: keyboardOf(card.controls) }
  const details = card.lines.filter(({ part }) => part === 'details')
  const rest = card.lines.filter(({ part }) => part !== 'details')
  const face = faceOf(card, rest)
  if (isShort(face)) return partsOf(plainly(details), withControls(face))
  // Too long: what explains goes first, as text of its own. Key fields, the words to type and the deadline stay with the controls.
  const explains = (line: CardLine) => line.part === 'artefact' || line.part === 'also' || line.part === 'reason'
  const core = faceOf(
    card,
    rest.filter((line) => !explains(line)),
  )
  if (!isShort(core)) return refused('does_not_fit')
  return partsOf(plainly([...details, ...rest.filter(explains)]), withControls(core))
}

/** Several open cards, to be told apart: a row of controls for each, with its code, so that what a button says can also be typed. */
function listParts(text: string, cards: readonly Card[]): Rendering {
  const controls = cards.flatMap((card) => card.controls)
  if (!controls.every(isSound)) return refused('does_not_fit')
  const spans = cards.flatMap((card): readonly Span[] => {
    const summary = card.lines.find(({ part }) => part === 'summary')
    return [{ text: '\n\n' }, { text: `#${card.code}`, as: 'code' }, { text: summary === undefined ? '' : ` ${summary.text}` }]
  })
  const parts = split(join([{ text }, ...spans]), limits.text)
  const last = parts.at(-1)
  if (last === undefined) return refused('empty')
  const rows = cards
    .filter((card) => card.controls.length > 0)
    .map((card) => card.controls.map((control) => buttonOf(control, ` #${card.code}`)))
  return partsOf(parts.slice(0, -1), rows.length === 0 ? last : { ...last, reply_markup: { inline_keyboard: rows } })
}

function noticeParts(text: string, code: string | undefined): Rendering {
  const isNamed = code === undefined || text.includes(`#${code}`)
  return partsOf(
    split(join(isNamed ? [{ text }] : [{ text: `${text}  ` }, { text: `#${code}`, as: 'code' }]), limits.text),
    undefined,
  )
}

/** Writes an outgoing message as Telegram messages. Pure; a key field is never cut: what does not fit is refused as a whole. */
export function render(message: Outgoing): Rendering {
  switch (message.kind) {
    case 'text':
    case 'question':
      return partsOf(split(join([{ text: message.text }]), limits.text), undefined)
    case 'notice':
      return noticeParts(message.text, message.code)
    case 'card':
      return cardParts(message.card)
    case 'list':
      return listParts(message.text, message.cards)
  }
}

/** Would this message stand on Telegram with every key field whole and every control usable? */
export const fits = (message: Outgoing): boolean => render(message).kind === 'parts'
