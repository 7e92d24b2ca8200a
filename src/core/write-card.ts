import type { AskReason, Card, CardLine, Control, Field, Preview } from './card.ts'
import { differenceOf } from './difference.ts'
import type { AlwaysTerms } from './grant.ts'
import type { Reversibility } from './proposal.ts'
import { hasMixedLetters, showText } from './show-text.ts'
import { showValue } from './show-value.ts'

/** Reasons that Dale has words for; any other code is told as a rule of the house, or in the policy's own message. */
const toldReasons = [
  'PRODUCTION_WRITE',
  'DESTRUCTIVE_OPERATION',
  'SENSITIVE_DESTINATION',
  'HIGH_COST',
  'LONG_RUNNING_JOB',
  'OVER_LIMIT',
  'UNUSUAL_VALUE',
  'CUSTOM_POLICY_REQUIREMENT',
] as const

/** The texts of a card, by their key in `locales/<locale>/chat.json`. */
export type CardKey =
  | 'card.head.high'
  | 'card.head.again'
  | 'card.head.near'
  | 'card.head.second'
  | 'card.head.reminder'
  | 'card.head.escalated'
  | 'card.head.asked'
  | 'card.head.edited'
  | 'card.head.changed'
  | 'card.head.changed_field'
  | 'card.head.sibling.approved'
  | 'card.head.sibling.executing'
  | 'card.head.sibling.in_doubt'
  | 'card.unusual'
  | 'card.artefact'
  | 'card.also'
  | 'card.reversibility.observed'
  | 'card.reversibility.irreversible'
  | `card.reason.${(typeof toldReasons)[number]}`
  | 'card.mixed_scripts'
  | 'card.deadline'
  | 'card.deadline_hours'
  | 'card.words'
  | 'card.words_named'
  | 'card.words_edit'
  | 'card.words_always'
  | 'card.words_typed'
  | 'card.words_reason'

/** Says a key in the card's locale; a `Say` with its locale filled in fits. */
export type SayCard = (key: CardKey, values?: Readonly<Record<string, string | number>>) => string

/** What a card opens with, when it is more than a first showing. */
export type Head =
  /** A proposal of the same kind is under way: `code` is its code. */
  | { readonly kind: 'sibling'; readonly code: string; readonly state: 'approved' | 'executing' | 'in_doubt' }
  /** Somebody said yes and it did not count: nothing has been done yet. */
  | { readonly kind: 'again' }
  /** Something like a word to decide was said and decided nothing. */
  | { readonly kind: 'near' }
  /** It still waits, and its time is nearly over. */
  | { readonly kind: 'reminder' }
  /** Nobody who was asked first has decided. */
  | { readonly kind: 'escalated' }
  /** One of two approvals is there. */
  | { readonly kind: 'second' }
  /** Shown outside the chat that asked: who asked, and through which account. */
  | { readonly kind: 'asked'; readonly by: string; readonly account: string }
  /** The edited copy of the proposal with this code: `from` is what that one shows. */
  | { readonly kind: 'edited'; readonly code: string; readonly from: Preview }
  /** The world moved under an earlier card: `from` is what that one showed. */
  | { readonly kind: 'changed'; readonly from: Preview }

/** Everything a card is written from. */
export interface CardParts {
  readonly preview: Preview
  readonly code: string
  readonly reasons: readonly AskReason[]
  readonly reversibility: Reversibility
  readonly severity: Card['severity']
  readonly locale: string
  /** How long the card waits, in ms: the whole of its time before the first showing is accepted, what is left of it later. */
  readonly waitsMs: number
  readonly controls: readonly Control[]
  readonly heads?: readonly Head[]
  readonly say: SayCard
  /** Where a bare word does not count, the card asks for one that names it. */
  readonly mustBeNamed?: boolean
  /** The words that the card prints; each a phrase of the active vocabulary. */
  readonly words: { readonly approve: string; readonly reject: string }
  /** The word that edits it, where no control does. */
  readonly editBy?: string
  /** The words that refuse it with a reason, where no control does. */
  readonly reasonBy?: string
  /** The label of the field that a yes has to type. */
  readonly typed?: string
  /** Where "always" may be said to it: the words behind the approving one, and how far they reach. */
  readonly always?: AlwaysTerms & { readonly words: string }
}

/**
 * Writes a card (RULES 5). The same parts give the same card. After what it opens with come the summary and every key field, whole
 * and in the declared order; then what there is to look at, what else will happen, why it asks, how long it waits and, always, the
 * words to type.
 */
export function writeCard(parts: CardParts): Card {
  const { preview, say, locale } = parts
  const lines: readonly CardLine[] = [
    ...headLines(parts),
    { part: 'summary', text: showText(preview.summary) },
    ...preview.fields.map((field) => fieldLine(field, locale, say)),
    ...artefactLines(preview, say),
    ...(preview.alsoWill ?? []).map((effect): CardLine => ({ part: 'also', label: say('card.also'), text: showText(effect) })),
    ...(preview.details === undefined ? [] : [{ part: 'details', text: showText(preview.details) } as const]),
    ...reasonLines(parts),
    { part: 'deadline', text: waiting(parts.waitsMs, say) },
    { part: 'words', text: say(parts.mustBeNamed ? 'card.words_named' : 'card.words', { ...parts.words, code: parts.code }) },
    ...(parts.editBy === undefined
      ? []
      : [{ part: 'words', text: say('card.words_edit', { edit: parts.editBy, code: parts.code }) } as const]),
    ...(parts.reasonBy === undefined
      ? []
      : [{ part: 'words', text: say('card.words_reason', { reason: parts.reasonBy, code: parts.code }) } as const]),
    ...(parts.typed === undefined
      ? []
      : [{ part: 'words', text: say('card.words_typed', { label: showText(parts.typed) }) } as const]),
    ...alwaysLines(parts),
  ]
  return { code: parts.code, lines, controls: parts.controls, severity: parts.severity }
}

/**
 * The card after its life: what became of it first, then what it was about, and nothing left to press or to type. Writing the state
 * of such a card again replaces the earlier state.
 */
export const stateCard = (card: Card, state: string): Card => ({
  ...card,
  lines: [{ part: 'state', text: state }, ...card.lines.filter(({ part }) => lasting.has(part))],
  controls: [],
})

const lasting: ReadonlySet<CardLine['part']> = new Set(['summary', 'field', 'artefact', 'also', 'details'])

function headLines({ heads = [], preview, severity, locale, say, words }: CardParts): readonly CardLine[] {
  // What else is under way comes before everything: it is why a person may want to say no.
  const sorted = [...heads.filter(({ kind }) => kind === 'sibling'), ...heads.filter(({ kind }) => kind !== 'sibling')]
  const texts = sorted.flatMap((head) => headTexts(head, preview, locale, (key, values) => say(key, { ...words, ...values })))
  return [...texts, ...(severity === 'high' ? [say('card.head.high')] : [])].map((text) => ({ part: 'head', text }))
}

function headTexts(head: Head, now: Preview, locale: string, say: SayCard): readonly string[] {
  switch (head.kind) {
    case 'sibling':
      return [say(`card.head.sibling.${head.state}`, { code: head.code })]
    case 'again':
      return [say('card.head.again')]
    case 'near':
      return [say('card.head.near')]
    case 'second':
      return [say('card.head.second')]
    case 'reminder':
      return [say('card.head.reminder')]
    case 'escalated':
      return [say('card.head.escalated')]
    case 'asked':
      return [say('card.head.asked', { name: showText(head.by), account: showText(head.account) })]
    case 'edited':
      return [say('card.head.edited', { code: head.code }), ...differenceOf(head.from, now, locale, say)]
    case 'changed':
      return [say('card.head.changed'), ...differenceOf(head.from, now, locale, say)]
  }
}

function fieldLine({ label, value, unusual }: Field, locale: string, say: SayCard): CardLine {
  const text = showValue(value, locale)
  if (unusual === undefined) return { part: 'field', label: showText(label), text }
  return {
    part: 'field',
    label: showText(label),
    text: `${text} ${say('card.unusual', { why: showText(unusual) })}`,
    unusual: true,
  }
}

function alwaysLines({ always, words: { approve }, say }: CardParts): readonly CardLine[] {
  if (always === undefined) return []
  const { words, times, days } = always
  return [{ part: 'words', text: say('card.words_always', { approve, always: words, times, days }) }]
}

function artefactLines({ artefact }: Preview, say: SayCard): readonly CardLine[] {
  if (artefact === undefined) return []
  const shown = [artefact.label, artefact.text, artefact.url].filter((text) => text !== undefined).map(showText)
  return [{ part: 'artefact', label: say('card.artefact'), text: shown.join(' · ') }]
}

function reasonLines({ preview, reasons, reversibility, say }: CardParts): readonly CardLine[] {
  const texts = reasons.map(({ code, message }) => {
    if (message !== undefined) return showText(message)
    return say(`card.reason.${toldReasons.find((told) => told === code) ?? 'CUSTOM_POLICY_REQUIREMENT'}`)
  })
  if (reversibility !== 'reversible') texts.push(say(`card.reversibility.${reversibility}`))
  if (textsOf(preview).some(hasMixedLetters)) texts.push(say('card.mixed_scripts'))
  return [...new Set(texts)].map((text) => ({ part: 'reason', text }))
}

/** Every text on the card that somebody else wrote. */
const textsOf = ({ summary, fields, artefact, alsoWill = [], details = '' }: Preview): readonly string[] => [
  summary,
  details,
  ...fields.flatMap(({ label, value, unusual = '' }) => [label, value.kind === 'text' ? value.text : '', unusual]),
  ...(artefact === undefined ? [] : [artefact.label, artefact.text ?? '', artefact.url ?? '']),
  ...alsoWill,
]

/** Rounded down: a card never promises more time than there is. */
function waiting(waitsMs: number, say: SayCard): string {
  const minutes = Math.max(1, Math.floor(waitsMs / 60_000))
  return minutes < 120 ? say('card.deadline', { minutes }) : say('card.deadline_hours', { hours: Math.floor(minutes / 60) })
}
