const ignored = /[\p{Default_Ignorable_Code_Point}\p{Emoji_Modifier}]/gu
const marks = /\p{Mn}/gu
const spaceRuns = /\p{White_Space}+/gu

/** Does Unicode break a line at this unit (`\n \v \f \r U+0085 U+2028 U+2029`)? */
export const isLineBreak = (unit: number): boolean =>
  (unit >= 0x0a && unit <= 0x0d) || unit === 0x85 || unit === 0x2028 || unit === 0x2029

/** Is there a line break anywhere in the text? */
export const hasLineBreak = (text: string): boolean => /[\n\v\f\r\u0085\u2028\u2029]/.test(text)

/** Every white space of Unicode, and nothing else: unlike `\s` it has U+0085 and not U+FEFF. All of it is one unit long. */
const isWhiteSpace = (unit: number): boolean =>
  unit === 0x20 ||
  (unit >= 0x09 && unit <= 0x0d) ||
  (unit >= 0x85 && (unit === 0x85 || unit === 0xa0 || unit === 0x1680 || (unit >= 0x2000 && unit <= 0x200a))) ||
  unit === 0x2028 ||
  unit === 0x2029 ||
  unit === 0x202f ||
  unit === 0x205f ||
  unit === 0x3000

// By hand: a pattern for white space at an end looks again from every space of a long run inside.
function trim(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isWhiteSpace(text.charCodeAt(start))) start++
  while (end > start && isWhiteSpace(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

const tidy = (text: string): string => trim(text.replace(spaceRuns, (run) => (hasLineBreak(run) ? run : ' ')))

function withoutMarks(text: string): string {
  const decomposed = text.normalize('NFD')
  const bare = decomposed.replace(marks, '')
  // A removed mark may have kept two that stay from being put in order; without this, a second fold would change the text.
  return bare.length === decomposed.length ? bare : bare.normalize('NFD')
}

/** The fold of a text as RULES 1.2 spells it, before white space. */
const foldLetters = (text: string): string =>
  withoutMarks(text.toWellFormed().normalize('NFKC').replace(ignored, '').toLowerCase())

// Latin letters neither compose with nor depend on their neighbours, so each folds alone; everything else is normalised.
const latinEnd = 0x180
const latin: readonly string[] = Array.from({ length: latinEnd }, (_, unit) => foldLetters(String.fromCharCode(unit)))

/** The fold of a text of Latin letters in one pass over it, or undefined where it holds anything else. */
function foldLatin(text: string): string | undefined {
  const lower = text.toLowerCase()
  let folded = ''
  let done = 0
  let before = 0x20
  let spaced = false
  for (let i = 0; i < lower.length; i++) {
    const unit = lower.charCodeAt(i)
    if (unit >= 0x7f) {
      if (unit >= latinEnd) return undefined
      folded += lower.slice(done, i) + latin[unit]
      done = i + 1
      if (unit <= 0xb8) spaced = true
    } else if (unit < 0x20 || (unit === 0x20 && before === 0x20)) spaced = true
    before = unit
  }
  if (done > 0) folded += lower.slice(done)
  else folded = lower
  return spaced || before === 0x20 ? tidy(folded) : folded
}

/**
 * What two texts have in common when a person would call them the same words: case, accents, width, white space and
 * invisible characters are gone (RULES 1.2). Idempotent, and the same in every process locale.
 *
 * A half of a surrogate pair becomes U+FFFD first: otherwise two halves around an invisible character would grow together
 * into a character that nobody wrote.
 */
export const fold = (text: string): string => foldLatin(text) ?? tidy(foldLetters(text))
