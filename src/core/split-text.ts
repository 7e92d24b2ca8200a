/** Where to cut the text that begins at `start`: at a line unless that leaves half of it empty, else at a space, else between two characters. */
function cutAt(text: string, start: number, limit: number): number {
  const hard = start + limit
  const latest = text.slice(start, hard + 1)
  const line = latest.lastIndexOf('\n')
  if (line > limit / 2) return start + line
  const space = Math.max(line, latest.lastIndexOf(' '))
  if (space > 0) return start + space
  const isPair = (text.codePointAt(hard - 1) ?? 0) > 0xffff
  return isPair ? hard - 1 : hard
}

/** A stretch of a text, from `start` up to and without `end`. */
interface Stretch {
  readonly start: number
  readonly end: number
}

/** The stretches that `splitText` takes, for a text that carries more than its characters. */
export function stretchesOf(text: string, limit: number): readonly Stretch[] {
  const length = text.trimEnd().length
  const stretches: Stretch[] = []
  let start = 0
  while (start < length) {
    if (/\s/u.test(text[start] ?? '')) {
      start += 1
      continue
    }
    const end = length - start <= limit ? length : cutAt(text, start, limit)
    stretches.push({ start, end: start + text.slice(start, end).trimEnd().length })
    start = end
  }
  return stretches
}

/**
 * Splits a plain text into parts of at most `limit` UTF-16 units (two or more) that begin and end without white space. No word is lost;
 * half surrogate pairs become U+FFFD; a text of nothing but white space has no parts.
 */
export function splitText(text: string, limit: number): readonly string[] {
  const whole = text.toWellFormed()
  return stretchesOf(whole, limit).map(({ start, end }) => whole.slice(start, end))
}
