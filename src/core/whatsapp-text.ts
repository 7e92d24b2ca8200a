/** A run of one of WhatsApp's paired marks. */
const runs = /\*+|_+|~+/gu
const ticks = /`+/gu
/** At the start of a line: a quote, a list, a numbered list. */
const lineStart = /^([^\S\n]*)([*•-](?=[^\S\n])|>)/gmu
const numbered = /^([^\S\n]*\d{1,9})([.)])(?=[^\S\n])/gmu
const isLetter = (character: string | undefined): boolean => character !== undefined && /[A-Za-z0-9]/.test(character)
const isSpace = (character: string | undefined): boolean => character === undefined || /\s/u.test(character)

const byNumber = (found: string): string => {
  const number = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return found.length === 1 ? `[U+${number}]` : `[U+${number} ×${found.length}]`
}

/**
 * A text that stands on WhatsApp as it was written. WhatsApp styles what stands between two `*`, `_`, `~` or backticks and what begins
 * a line like a quote or a list, and has no way to escape it; invisible characters are no way on a card. So a mark that would style is
 * shown by number, as `showText` shows what nobody sees, and one that cannot style (`2 * 3`, `a_b@c.d`, `~30 min`) stays. Every
 * backtick is shown so. The text may have several lines. Source: https://faq.whatsapp.com/539178204879377 (which marks there are;
 * where exactly they count is not documented, so when in doubt they do).
 */
export const withoutMarks = (text: string): string =>
  text
    .replace(lineStart, (_, space: string, mark: string) => space + byNumber(mark))
    .replace(numbered, (_, number: string, mark: string) => number + byNumber(mark))
    .split('\n')
    .map(withoutPairs)
    .join('\n')

function withoutPairs(line: string): string {
  const styling = new Set(['*', '_', '~'].filter((mark) => hasPair(line, mark)))
  return line
    .replace(runs, (found, at: number) => (styling.has(found[0] ?? '') && counts(line, found, at) ? byNumber(found) : found))
    .replace(ticks, byNumber)
}

/** Inside a word no mark styles. */
const counts = (line: string, run: string, at: number): boolean =>
  !(run.length === 1 && isLetter(line[at - 1]) && isLetter(line[at + run.length]))

/** Can this line hold a styled stretch: a mark that opens, something to read, a mark that closes? A run is several marks beside each other. */
function hasPair(line: string, mark: string): boolean {
  const found = [...line.matchAll(runs)].filter((run) => run[0][0] === mark && counts(line, run[0], run.index))
  const opens = found.find((run) => run[0].length > 1 || !isSpace(line[run.index + 1]))
  const closes = found.findLast((run) => run[0].length > 1 || !isSpace(line[run.index - 1]))
  if (opens === undefined || closes === undefined) return false
  return [...line.slice(opens.index, closes.index)].some((character) => character !== mark && !isSpace(character))
}
