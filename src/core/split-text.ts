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

/**
 * Splits a plain text into parts of at most `limit` UTF-16 units (two or more) that begin and end without white space. No word is lost;
 * half surrogate pairs become U+FFFD; a text of nothing but white space has no parts.
 */
export function splitText(text: string, limit: number): readonly string[] {
  const whole = text.toWellFormed().trimEnd()
  const parts: string[] = []
  let start = 0
  while (start < whole.length) {
    if (/\s/u.test(whole[start] ?? '')) {
      start += 1
      continue
    }
    const end = whole.length - start <= limit ? whole.length : cutAt(whole, start, limit)
    parts.push(whole.slice(start, end).trimEnd())
    start = end
  }
  return parts
}
