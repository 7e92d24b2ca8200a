import type { Card, CardLine } from '../../core/card.ts'
import type { Outgoing } from '../../core/outgoing.ts'
import type { Author, Content, Entry } from '../../ports/simulation.ts'

/** The most that one message holds, in UTF-16 units, as on Telegram. */
export const textLength = 4096

/** As many controls as a card or a list may carry, and how long a label may be. */
export const limits = { buttons: 24, labelLength: 64 }

/**
 * A message in plain text, line by line, for the terminal and for `.chat` files: a card is its lines in order, then
 * `[Confirmar] [Cancelar]  #K7Q2`. Control characters and line breaks inside a value are spelt out, so no text can draw
 * another message, a control or a colour.
 */
export function renderLines(content: Content): readonly string[] {
  switch (content.kind) {
    case 'text':
    case 'question':
      return linesOf(content.text)
    case 'notice':
      return withCode(linesOf(content.text), content.code)
    case 'card':
      return cardLines(content.card)
    case 'list':
      return [...linesOf(content.text), ...content.cards.flatMap(cardLines)]
    case 'other':
      return linesOf(content.text === undefined ? `(${content.form})` : `(${content.form}) ${content.text}`)
  }
}

/** An entry as a `.chat` file has it: `ana: hola`, further lines indented. `account` is what Dale is called there. */
export function plainLines(entry: Entry, account = 'bot'): readonly string[] {
  const [first = '', ...more] = renderLines(entry.content)
  return [`${nameOf(entry.by, account)}: ${first}`, ...more.map((line) => `  ${line}`)]
}

/** What an author is called in plain text: a person by the id that `.chat` files use, the owner and tools by what they are. */
export function nameOf(by: Author, account = 'bot'): string {
  switch (by.kind) {
    case 'person':
      return by.person
    case 'account':
      return account
    default:
      return by.kind
  }
}

/** A message as the parts in which it is sent: long texts cut between words, a card's details before the card where they do not fit. */
export function partsOf(message: Outgoing): readonly Content[] {
  switch (message.kind) {
    case 'text':
      return piecesOf(message.text).map((text) => ({ kind: 'text', text }))
    case 'question':
      return piecesOf(message.text).map((text) => ({ kind: 'question', text }))
    case 'notice':
      return piecesOf(message.text, textLength - 8).map((text, index, all) => ({
        kind: 'notice',
        text,
        ...(message.code !== undefined && index === all.length - 1 ? { code: message.code } : {}),
      }))
    case 'list':
      return [message]
    case 'card': {
      if (message.plain) return partsOf({ kind: 'card', card: { ...message.card, controls: [] } })
      if (lengthOf(message) <= textLength) return [message]
      const details = message.card.lines.filter(({ part }) => part === 'details')
      return [
        ...details.flatMap(({ text }) => piecesOf(text).map((piece): Content => ({ kind: 'text', text: piece }))),
        { kind: 'card', card: withoutDetails(message.card) },
      ]
    }
  }
}

/** Does the part that carries the key fields and the controls stand whole on one message? */
export function fits(message: Outgoing): boolean {
  const cards = message.kind === 'card' ? [message.card] : message.kind === 'list' ? message.cards : []
  const controls = cards.flatMap((card) => card.controls)
  if (controls.length > limits.buttons || controls.some(({ label }) => label.length > limits.labelLength)) return false
  return partsOf(message).every((part) => lengthOf(part) <= textLength)
}

/** A card as an edit leaves it: without the details that would not fit. */
export const standing = (card: Card): Card => (lengthOf({ kind: 'card', card }) <= textLength ? card : withoutDetails(card))

/** The controls that stand on a message, each with the label by which it is tapped: with its code where a label stands several times. */
export function controlsOf(
  content: Content,
): readonly { readonly label: string; readonly code: string; readonly payload: string }[] {
  const cards = content.kind === 'card' ? [content.card] : content.kind === 'list' ? content.cards : []
  return cards.flatMap(({ code, controls }) => controls.map(({ label, payload }) => ({ label, code, payload })))
}

const lengthOf = (content: Content): number =>
  content.kind === 'card' || content.kind === 'list' ? renderLines(content).join('\n').length : (content.text ?? '').length

const withoutDetails = (card: Card): Card => ({ ...card, lines: card.lines.filter(({ part }) => part !== 'details') })

const cardLines = (card: Card): readonly string[] => linesByPart(card).map(({ text }) => text)

/** A card's lines as `renderLines` has them, each with the part that it belongs to: for whoever shows parts differently. */
export const linesByPart = (card: Card): readonly { readonly part: CardLine['part'] | 'controls'; readonly text: string }[] => [
  ...card.lines.flatMap((line) => lineOf(line).map((text) => ({ part: line.part, text }))),
  {
    part: 'controls',
    text: [...card.controls.map(({ label }) => `[${oneLine(label)}]`), ` #${card.code}`].join(' ').trimStart(),
  },
]

function lineOf({ part, label, text, unusual }: CardLine): readonly string[] {
  // A line that says why it is unusual carries the sign already; no value can, for the card spells it out there.
  const mark = unusual && !text.includes('⚠') ? '⚠ ' : ''
  // What is in brackets at the beginning of a line can be tapped: no value may look so.
  if (label !== undefined) return [`${mark}${notTapped(oneLine(label))}: ${oneLine(text)}`]
  return part === 'details' ? linesOf(text).map(notTapped) : [`${mark}${notTapped(oneLine(text))}`]
}

const notTapped = (line: string): string => line.replace(/^(\s*)\[(?!U\+[0-9A-F])/u, '$1[U+005B]')

const withCode = (lines: readonly string[], code: string | undefined): readonly string[] =>
  code === undefined || lines.some((line) => line.includes(`#${code}`))
    ? lines
    : [...lines.slice(0, -1), `${lines.at(-1)}  #${code}`]

const linesOf = (text: string): readonly string[] => text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/u).map(oneLine)

/** Control characters would move a terminal's cursor, and bidi controls would reorder the line: both are spelt out. */
const oneLine = (text: string): string =>
  text.replace(/[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, (character) =>
    character === '\t' ? character : `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
  )

/** Cuts a text so that each piece fits, after white space where there is some, and never inside a character. */
function piecesOf(text: string, longest = textLength): readonly string[] {
  const pieces: string[] = []
  let rest = text
  while (rest.length > longest) {
    const room = rest.slice(0, longest + 1)
    const space = Math.max(room.lastIndexOf('\n'), room.lastIndexOf(' '))
    const splitsPair = /[\ud800-\udbff]$/u.test(rest.slice(0, longest))
    const end = space > longest / 2 ? space : splitsPair ? longest - 1 : longest
    pieces.push(rest.slice(0, end))
    rest = rest.slice(end).replace(/^[ \n]/, '')
  }
  return [...pieces, rest]
}
