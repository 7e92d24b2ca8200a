import type { CardLine } from '../../core/card.ts'
import type { Outgoing } from '../../core/outgoing.ts'
import { type Content, lineOf } from './render.ts'

/** A template body is at most 1,024 characters with its values in it; its own words get this many of them. */
const ownWords = 200
const bodyLength = 1024

/** Neither a line break, nor a tab, nor more than four spaces in a row may stand in a value (error 132018). */
const asValue = (lines: readonly string[]): string =>
  lines
    .join(' · ')
    .replace(/[\n\r\t]+/gu, ' · ')
    .replace(/ {4,}/gu, '   ')

/**
 * A card as a template message, the only one that WhatsApp takes when the person has not written for a day. The template is a utility
 * one with three values, `{{1}}` what it is about, `{{2}}` the key fields, `{{3}}` the rest with the words to type and the code, and
 * two quick replies: first the one that confirms, then the one that cancels. The one that edits decides nothing and has no place there; its
 * word does the same. Undefined where the card would lose anything else: key fields, details, or another control.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/templates/components/
 */
export function templated(
  message: Outgoing,
  template: { readonly name: string; readonly language: string },
): Content | undefined {
  if (message.kind !== 'card' || message.plain === true) return undefined
  const { card } = message
  const approve = card.controls.find(({ style }) => style === 'success')
  const reject = card.controls.find(({ style }) => style === 'danger')
  const inPart = (...parts: readonly CardLine['part'][]) => card.lines.filter(({ part }) => parts.includes(part)).map(lineOf)
  if (
    approve === undefined ||
    reject === undefined ||
    card.controls.filter(({ style }) => style !== 'plain').length > 2 ||
    inPart('details').length > 0
  )
    return undefined
  const about = inPart('head', 'summary')
  const rest = inPart('artefact', 'also', 'reason', 'deadline', 'words', 'state')
  const isCoded = rest.some((line) => line.includes(`#${card.code}`))
  const values = [
    asValue(card.severity === 'high' ? ['‼️', ...about] : about),
    asValue(inPart('field')) || '—',
    asValue(isCoded ? rest : [...rest, `#${card.code}`]),
  ]
  const length = values.reduce((sum, value) => sum + value.length, 0)
  if (values.some((value) => value === '') || length > bodyLength - ownWords) return undefined
  return {
    type: 'template',
    template: {
      name: template.name,
      language: { code: template.language },
      components: [
        { type: 'body', parameters: values.map((text) => ({ type: 'text', text })) },
        ...[approve, reject].map(({ payload }, index) => ({
          type: 'button',
          sub_type: 'quick_reply',
          index: String(index),
          parameters: [{ type: 'payload', payload }],
        })),
      ],
    },
  }
}
