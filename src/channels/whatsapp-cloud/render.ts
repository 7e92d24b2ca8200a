import { blockOf, type Card, type CardLine, type Control } from '../../core/card.ts'
import type { Outgoing } from '../../core/outgoing.ts'
import { withoutCodes } from '../../core/show-text.ts'
import { withoutMarks } from '../../core/whatsapp-text.ts'
import { partsOf } from './text.ts'

/**
 * WhatsApp's limits, in its characters; ours are counted in UTF-16 units, which are never fewer. The body is that of a message with
 * buttons. https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/interactive-reply-buttons-messages
 */
export const limits = { text: 4096, body: 1024, buttons: 3, label: 20, payload: 256 } as const

/** What a request to `/messages` holds beside its receiver. */
export type Content =
  | { readonly type: 'text'; readonly text: { readonly body: string; readonly preview_url: false } }
  | {
      readonly type: 'interactive'
      readonly interactive: {
        readonly type: 'button'
        readonly body: { readonly text: string }
        readonly action: { readonly buttons: readonly Button[] }
      }
    }
  | { readonly type: 'template'; readonly template: Template }

interface Button {
  readonly type: 'reply'
  readonly reply: { readonly id: string; readonly title: string }
}

interface Template {
  readonly name: string
  readonly language: { readonly code: string }
  readonly components: readonly unknown[]
}

/** The parts of one outgoing message, controls on the last; or why it cannot be sent whole. */
export type Rendering =
  | { readonly kind: 'parts'; readonly parts: readonly [Content, ...Content[]] }
  | { readonly kind: 'refused'; readonly why: 'empty' | 'does_not_fit' }

const refused = (why: 'empty' | 'does_not_fit'): Rendering => ({ kind: 'refused', why })

/** A preview lets WhatsApp fetch whatever address a model or a customer put into a text. */
const textOf = (body: string): Content => ({ type: 'text', text: { body, preview_url: false } })

const whole = (parts: readonly Content[]): Rendering => {
  const [first, ...more] = parts
  return first === undefined ? refused('empty') : { kind: 'parts', parts: [first, ...more] }
}

const plainly = (text: string): readonly Content[] => partsOf(text, limits.text).map(textOf)

/** A label as a button takes it: one line, twenty units, cut where it is longer; what is cut alike is told apart by a number. */
function titlesOf(labels: readonly string[]): readonly string[] {
  const cut = labels.map((label) => shortened(label.toWellFormed().replace(/\s+/gu, ' ').trim(), limits.label))
  return new Set(cut).size === cut.length ? cut : labels.map((label, index) => shortened(`${index + 1} ${label}`, limits.label))
}

function shortened(label: string, limit: number): string {
  if (label.length <= limit) return label
  let short = ''
  for (const { segment } of new Intl.Segmenter().segment(label)) {
    if (short.length + segment.length > limit - 1) break
    short += segment
  }
  return `${short.trimEnd()}…`
}

/** Buttons that WhatsApp takes, or undefined where it would refuse one of them. */
function buttonsOf(controls: readonly Control[], suffix = ''): readonly Button[] | undefined {
  if (controls.length > limits.buttons) return undefined
  const ids = new Set(controls.map(({ payload }) => payload))
  const titles = titlesOf(controls.map(({ label }) => shortened(label, limits.label - suffix.length) + suffix))
  const isSound = controls.every(
    ({ label, payload }) =>
      label.trim() !== '' && payload !== '' && payload.length <= limits.payload && payload.trim() === payload,
  )
  if (!isSound || ids.size < controls.length) return undefined
  return controls.map(({ payload }, index) => ({ type: 'reply', reply: { id: payload, title: titles[index] ?? '' } }))
}

const withButtons = (body: string, buttons: readonly Button[]): Content => ({
  type: 'interactive',
  interactive: { type: 'button', body: { text: body }, action: { buttons } },
})

/** What somebody else wrote: no mark-up in it, and no code but the card's own. */
const foreign: ReadonlySet<CardLine['part']> = new Set(['summary', 'field', 'artefact', 'also', 'details'])

/** A line in which nothing but the card's own style is a style. */
export function lineOf({ part, label, text, unusual }: CardLine): string {
  const named = label === undefined ? text : `${label}: ${text}`
  const safe = withoutMarks(foreign.has(part) ? withoutCodes(named.toWellFormed()) : named.toWellFormed())
  // A line that says why it is unusual carries the sign already.
  if (part === 'field') return unusual === true && !text.includes('⚠') ? `⚠️ ${safe}` : safe
  const isLoud = (part === 'head' || part === 'summary' || part === 'state') && !/[*\n]/u.test(safe) && safe === safe.trim()
  return isLoud && safe !== '' ? `*${safe}*` : safe
}

const isCoded = (card: Card): boolean => card.lines.some(({ part, text }) => !foreign.has(part) && text.includes(`#${card.code}`))

/** What stands on the message that carries the controls: these lines in their order, and the code. */
function faceOf(card: Card, lines: readonly CardLine[]): string {
  let face = card.severity === 'high' && card.controls.length > 0 ? '‼️ ' : ''
  lines.forEach((line, index) => {
    const before = lines[index - 1]
    if (before !== undefined) face += blockOf[before.part] === blockOf[line.part] ? '\n' : '\n\n'
    face += lineOf(line)
  })
  return isCoded(card) ? face : `${face}${lines.length === 0 ? '' : '\n\n'}#${card.code}`
}

const isExplaining = ({ part }: CardLine): boolean => part === 'artefact' || part === 'also' || part === 'reason'

/** Details may have lines of their own, and an artefact be longer than a message. */
const before = (lines: readonly CardLine[]): readonly Content[] => lines.flatMap((line) => plainly(lineOf(line)))

/** `plain`: the words to type are on the card in any case, so it is only the buttons that are missing. */
function cardParts(card: Card, plain: boolean): Rendering {
  const isBare = plain || card.controls.length === 0
  const buttons = isBare ? [] : buttonsOf(card.controls)
  if (buttons === undefined) return refused('does_not_fit')
  const limit = isBare ? limits.text : limits.body
  const content = (face: string): Content => (isBare ? textOf(face) : withButtons(face, buttons))
  const details = card.lines.filter(({ part }) => part === 'details')
  const rest = card.lines.filter(({ part }) => part !== 'details')
  const face = faceOf(card, rest)
  if (face.length <= limit) return whole([...before(details), content(face)])
  // Too long: what explains goes first, as text of its own. Key fields, the words to type and the deadline stay with the controls.
  const core = faceOf(
    card,
    rest.filter((line) => !isExplaining(line)),
  )
  if (core.length > limit) return refused('does_not_fit')
  return whole([...before([...details, ...rest.filter(isExplaining)]), content(core)])
}

/** Several open cards, to be told apart: WhatsApp has three buttons a message, so each card gets one of its own, with its code. */
function listParts(text: string, cards: readonly Card[], plain: boolean): Rendering {
  const parts: Content[] = [...plainly(text)]
  for (const card of cards) {
    const summary = card.lines.find(({ part }) => part === 'summary')
    const body =
      summary === undefined ? `#${card.code}` : `#${card.code} ${withoutMarks(withoutCodes(summary.text.toWellFormed()))}`
    const buttons = plain ? [] : buttonsOf(card.controls, ` #${card.code}`)
    if (buttons === undefined) return refused('does_not_fit')
    if (buttons.length > 0 && body.length <= limits.body) parts.push(withButtons(body, buttons))
    else if (buttons.length > 0) parts.push(...plainly(body), withButtons(`#${card.code}`, buttons))
    else parts.push(...plainly(body))
  }
  return whole(parts)
}

const isNamed = (text: string, code: string | undefined): boolean => code === undefined || text.includes(`#${code}`)

/**
 * Writes an outgoing message as requests to the Cloud API. Pure; a key field is never cut: what does not fit is refused as a whole.
 * `plain` leaves the buttons out: groups take none.
 */
export function render(message: Outgoing, plain = false): Rendering {
  switch (message.kind) {
    case 'text':
    case 'question':
      return whole(plainly(message.text))
    case 'notice':
      return whole(plainly(isNamed(message.text, message.code) ? message.text : `${message.text}  #${message.code}`))
    case 'card':
      return cardParts(message.card, plain || message.plain === true)
    case 'list':
      return listParts(message.text, message.cards, plain)
  }
}

/** Would this message stand on WhatsApp with every key field whole and every control usable? */
export const fits = (message: Outgoing): boolean => render(message).kind === 'parts'
