import { stretchesOf } from '../../core/split-text.ts'

/** A styled stretch of a text: where it begins and how long it is, in UTF-16 units. */
export interface Entity {
  readonly type: 'bold' | 'code'
  readonly offset: number
  readonly length: number
}

/** A text with its styles beside it. Nothing inside `text` is mark-up, so nothing inside it can style, link or break anything. */
export interface RichText {
  readonly text: string
  readonly entities: readonly Entity[]
}

/** A piece of a text to be, plain unless `as` says how it looks. */
export interface Span {
  readonly text: string
  readonly as?: Entity['type']
}

/** Joins spans; an empty one leaves no entity. Half surrogate pairs become U+FFFD, which is as long. */
export function join(spans: readonly Span[]): RichText {
  let text = ''
  const entities: Entity[] = []
  for (const span of spans) {
    if (span.as !== undefined && span.text !== '') entities.push({ type: span.as, offset: text.length, length: span.text.length })
    text += span.text.toWellFormed()
  }
  return { text, entities }
}

/** The stretch from `start` to `end`, with the parts of the entities that fall into it. */
function slice({ text, entities }: RichText, start: number, end: number): RichText {
  return {
    text: text.slice(start, end),
    entities: entities.flatMap(({ type, offset, length }) => {
      const from = Math.max(offset, start)
      const to = Math.min(offset + length, end)
      return from < to ? [{ type, offset: from - start, length: to - from }] : []
    }),
  }
}

/**
 * Splits into parts of at most `limit` units that begin and end without white space, as Telegram would trim them anyway.
 * No word is lost; a text of nothing but white space has no parts.
 */
export const split = (rich: RichText, limit: number): readonly RichText[] =>
  stretchesOf(rich.text, limit).map(({ start, end }) => slice(rich, start, end))
