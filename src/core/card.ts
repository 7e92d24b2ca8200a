/** A value on a card, typed so that it is written in the reader's locale and cannot imitate the card. */
export type FieldValue =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'number'; readonly number: number }
  /** `amount` is a decimal string in major units (`"184000.50"`): no float ever stands for money. `currency` is ISO 4217. */
  | { readonly kind: 'money'; readonly amount: string; readonly currency: string }
  /** `instant` is ISO 8601; it is shown with month name and `timeZone` (IANA). A `date` without time needs no zone. */
  | { readonly kind: 'instant'; readonly instant: string; readonly timeZone: string }
  | { readonly kind: 'date'; readonly date: string }

/** One key field, in the action's declared order. `unusual` marks a value that should be looked at twice, and says why. */
export interface Field {
  readonly key: string
  readonly label: string
  readonly value: FieldValue
  readonly unusual?: string
}

/** What an action says about one call, from its frozen arguments and the present state of the world. */
export interface Preview {
  /** One line with the resolved entity named: "Plan de 3 cuotas para Ana Gómez (cliente 42)". */
  readonly summary: string
  readonly fields: readonly Field[]
  /** The document, record or message that it is about, to be looked at. */
  readonly artefact?: { readonly label: string; readonly url?: string; readonly text?: string }
  readonly alsoWill?: readonly string[]
  /** Longer text that may go before the card. Key fields never go here. */
  readonly details?: string
}

/** Why Dale asks; codes as RULES 7. `message` is the policy's own words. */
export interface AskReason {
  readonly code: string
  readonly message?: string
}

/** One line of a card, by its part. A channel may style a part; it may not drop, cut or reorder a `field`. */
export interface CardLine {
  readonly part: 'head' | 'summary' | 'field' | 'artefact' | 'also' | 'reason' | 'deadline' | 'words' | 'state' | 'details'
  readonly label?: string
  readonly text: string
  readonly unusual?: true
}

/** A native control. `label` is a phrase of the locale; `payload` is what `core/press.ts` made. */
export interface Control {
  readonly label: string
  readonly payload: string
  readonly style: 'success' | 'danger' | 'plain'
}

/** A card as it is sent: written by the runtime, ready for any channel's `render`. Without controls it only informs. */
export interface Card {
  readonly code: string
  readonly lines: readonly CardLine[]
  readonly controls: readonly Control[]
  readonly severity: 'normal' | 'high'
}

/** Lines of one kind stand together, with an empty line to the next kind. */
export const blockOf = {
  head: 0,
  summary: 0,
  field: 1,
  artefact: 2,
  also: 2,
  reason: 2,
  deadline: 3,
  words: 3,
  state: 3,
  details: 4,
} as const satisfies Readonly<Record<CardLine['part'], number>>
