import type { Card, CardLine } from '../../core/card.ts'
import type { Outgoing } from '../../core/outgoing.ts'
import { withoutCodes } from '../../core/show-text.ts'
import { splitText } from '../../core/split-text.ts'
import { withoutMarks } from '../../core/whatsapp-text.ts'
import type { PollOption } from './context.ts'

/**
 * WhatsApp takes much longer texts; a phone hides what is beyond some screens of it behind "read more", so a card is kept short and
 * what only explains goes before it. A poll's option holds 100 characters.
 */
export const limits = { text: 4096, face: 1024, option: 100 } as const

/** One message to send. A text goes without link preview; a poll with `selectableCount: 1` and the secret that was kept for it. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'poll'; readonly name: string; readonly options: readonly PollOption[] }

/** The parts of one outgoing message, controls last; or why it cannot be sent whole. */
export type Rendering =
  | { readonly kind: 'parts'; readonly parts: readonly Part[] }
  | { readonly kind: 'refused'; readonly why: 'empty' | 'does_not_fit' }

/** Lines of one kind stand together, with an empty line to the next kind. */
const blockOf = {
  head: 0,
  summary: 0,
  field: 1,
  artefact: 2,
  also: 2,
  details: 3,
  reason: 4,
  deadline: 5,
  words: 5,
  state: 5,
} as const

const texts = (written: readonly string[]): readonly Part[] => written.map((text) => ({ kind: 'text', text }))

const partsOf = (parts: readonly Part[]): Rendering =>
  parts.length === 0 ? { kind: 'refused', why: 'empty' } : { kind: 'parts', parts }

/** These name codes by right. Everything else on a card is somebody's value, and may name none. */
const namesCodes: ReadonlySet<CardLine['part']> = new Set(['head', 'deadline', 'words', 'state'])

/** One line of a card, with no style: whoever writes a value can then imitate none. */
function lineOf({ part, label, text, unusual }: CardLine): string {
  const whole = withoutMarks(label === undefined ? text : `${label}: ${text}`).replace(/\n/gu, ' ')
  return (unusual === true && part === 'field' ? '⚠️ ' : '') + (namesCodes.has(part) ? whole : withoutCodes(whole))
}

function faceOf(card: Card, lines: readonly CardLine[]): string {
  const isCoded = lines.some(({ part, text }) => namesCodes.has(part) && text.includes(`#${card.code}`))
  const written = lines.reduce((face, line, index) => {
    const before = lines[index - 1]
    if (before === undefined) return lineOf(line)
    return face + (blockOf[before.part] === blockOf[line.part] ? '\n' : '\n\n') + lineOf(line)
  }, '')
  const isGrave = card.severity === 'high' && card.controls.length > 0
  return `${isGrave ? '‼️ ' : ''}${written}${isCoded ? '' : `\n\n#${card.code}`}`.toWellFormed().trim()
}

const explains = ({ part }: CardLine): boolean =>
  part === 'details' || part === 'artefact' || part === 'also' || part === 'reason'

/** What decides, on one message; what only explains on those before it, when all together is long. */
function cardTexts(card: Card): readonly string[] | undefined {
  const whole = faceOf(card, card.lines)
  if (whole.length <= limits.face) return [whole]
  const before = card.lines.filter(explains)
  const face = faceOf(
    card,
    card.lines.filter((line) => !explains(line)),
  )
  if (face.length > limits.text) return undefined
  return [...splitText(before.map(lineOf).join('\n\n'), limits.text), face]
}

/** The poll under a card, named by its code alone: it is no place for anything that has to be read. None for a card without two sides. */
function pollOf(card: Card): readonly Part[] {
  const options = card.controls.flatMap(({ label, payload, style }): readonly PollOption[] =>
    style === 'plain' ? [] : [{ name: label, payload, style }],
  )
  const isSound = options.every(({ name, payload }) => name.trim() !== '' && name.length <= limits.option && payload !== '')
  const hasTwoSides = options.length === 2 && new Set(options.flatMap(({ name, style }) => [name, style])).size === 4
  return isSound && hasTwoSides ? [{ kind: 'poll', name: `#${card.code}`, options }] : []
}

function listParts(text: string, cards: readonly Card[]): readonly Part[] {
  const named = cards.map((card) => {
    const summary = card.lines.find(({ part }) => part === 'summary')
    return `#${card.code}${summary === undefined ? '' : ` ${lineOf(summary)}`}`
  })
  return texts(splitText([withoutMarks(text), ...named].join('\n\n'), limits.text))
}

const noticeText = (text: string, code: string | undefined): string =>
  withoutMarks(code === undefined || text.includes(`#${code}`) ? text : `${text}  #${code}`)

/**
 * Writes an outgoing message as WhatsApp messages; `polls` where the account offers them and the chat is with one person. Pure. The
 * agent's text goes as it is; in the runtime's words nothing that somebody wrote is a mark, a code or a control. A key field is never
 * cut: what does not fit is refused as a whole.
 */
export function render(message: Outgoing, { polls }: { readonly polls: boolean }): Rendering {
  switch (message.kind) {
    case 'text':
      return partsOf(texts(splitText(message.text, limits.text)))
    case 'question':
      return partsOf(texts(splitText(withoutMarks(message.text), limits.text)))
    case 'notice':
      return partsOf(texts(splitText(noticeText(message.text, message.code), limits.text)))
    case 'card': {
      const written = cardTexts(message.card)
      if (written === undefined) return { kind: 'refused', why: 'does_not_fit' }
      return partsOf([...texts(written), ...(polls && message.plain !== true ? pollOf(message.card) : [])])
    }
    case 'list':
      return partsOf([...listParts(message.text, message.cards), ...(polls ? message.cards.flatMap(pollOf) : [])])
  }
}

/** Would this message stand on WhatsApp with every key field whole? */
export const fits = (message: Outgoing): boolean => render(message, { polls: false }).kind === 'parts'
