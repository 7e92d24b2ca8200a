import { withoutMarks } from '../../core/whatsapp-text.ts'

const fence = '```'

/** Could WhatsApp style this line? The full stop keeps a list a list, which reads the same; a quotation would stand apart. */
const isStyled = (line: string): boolean => /^\s*>/u.test(line) || withoutMarks(`.${line}`) !== `.${line}`

/** Three backticks would end the fence, and one beside it would lengthen it: those are shown by number. */
const fenced = (line: string): string =>
  fence + line.replace(/`{3,}|^`+|`+$/gu, (ticks) => '[U+0060]'.repeat(ticks.length)) + fence

const asWritten = (line: string): string => (isStyled(line) ? fenced(line) : line)

/** Where to cut a line of more than `limit` units: at a space, else between two characters; never before half of it. */
function cutAt(line: string, limit: number): number {
  const space = line.slice(0, limit + 1).lastIndexOf(' ')
  if (space > limit / 2) return space
  return (line.codePointAt(limit - 1) ?? 0) > 0xffff ? limit - 1 : limit
}

/** A line in pieces that each stand in one message. */
function piecesOf(line: string, limit: number): readonly string[] {
  const pieces: string[] = []
  let rest = line
  for (let piece = asWritten(rest); piece.length > limit; piece = asWritten(rest)) {
    // What is put around a piece, and the numbers in it, take room of their own: cut shorter until it fits.
    let end = cutAt(rest, limit)
    while (asWritten(rest.slice(0, end)).length > limit) end = cutAt(rest, Math.floor(end * 0.75))
    pieces.push(asWritten(rest.slice(0, end).trimEnd()))
    rest = rest.slice(end).trimStart()
  }
  return [...pieces, asWritten(rest)]
}

/**
 * A text in parts of at most `limit` units that look on a phone as they were written. WhatsApp has no escape for its marks, but inside
 * three backticks nothing is one: a line that it would style is sent so, and stands in a fixed-width font with every character in
 * place. Half surrogate pairs become U+FFFD. No word is lost; a text of nothing but white space has no parts.
 * https://faq.whatsapp.com/539178204879377
 */
export function partsOf(text: string, limit: number): readonly string[] {
  const parts: string[] = []
  let part: string | undefined
  const lines = text
    .toWellFormed()
    .replaceAll('\0', '')
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/u)
  for (const piece of lines.flatMap((line) => piecesOf(line, limit))) {
    const longer = part === undefined ? piece : `${part}\n${piece}`
    if (longer.length <= limit) part = longer
    else {
      parts.push(part ?? '')
      part = piece
    }
  }
  return [...parts, part ?? ''].map((whole) => whole.replace(/^\s*\n|\s+$/gu, '')).filter((whole) => whole.trim() !== '')
}
