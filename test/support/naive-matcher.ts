import type { DecisionFile } from '../../src/core/decision-file.ts'
import type { Matched, Verdict, Weight } from '../../src/core/vocabulary.ts'

/**
 * The matcher again, written from the rules' text without a look at the other: slow, a character at a time, trying every
 * reading that the grammar allows. Where the two differ, one of them is wrong.
 */
export interface NaiveWords {
  readonly phrases: readonly {
    readonly folded: string
    readonly text: string
    readonly verdict: Verdict
    readonly weight: Weight
  }[]
  readonly always: readonly string[]
}

// What Unicode says of each character, asked once: bits in a byte, 0 while nobody has asked.
const asked = 1
const space = 2
const gone = 4
const mark = 8
const half = 16
const kinds = new Uint8Array(0x110000)

function kindOf(character: string): number {
  const point = character.codePointAt(0) ?? 0
  const known = kinds[point] ?? 0
  if (known !== 0) return known
  const kind =
    asked |
    (/^\p{White_Space}$/u.test(character) ? space : 0) |
    (/^(\p{Default_Ignorable_Code_Point}|\p{Emoji_Modifier})$/u.test(character) ? gone : 0) |
    (/^\p{Mn}$/u.test(character) ? mark : 0) |
    (character.length === 1 && character >= '\ud800' && character <= '\udfff' ? half : 0)
  kinds[point] = kind
  return kind
}

const is = (kind: number, character: string): boolean => (kindOf(character) & kind) !== 0
const isBreak = (character: string) => ['\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029'].includes(character)

/** White space: each run without a break becomes one space, and none is left at the ends. */
function spaced(text: string): string {
  let done = ''
  let run = ''
  for (const character of text) {
    if (is(space, character)) {
      run += character
      continue
    }
    if (run !== '') done += done === '' ? '' : Array.from(run).some(isBreak) ? run : ' '
    run = ''
    done += character
  }
  return done
}

/** Folds until nothing changes. In plain ASCII there is only case and white space. */
export function naiveFold(text: string): string {
  if (/^[ -~]*$/.test(text)) return spaced(text.toLowerCase())
  let whole = ''
  for (const character of text) whole += is(half, character) ? '\ufffd' : character
  let seen = ''
  for (const character of whole.normalize('NFKC')) if (!is(gone, character)) seen += character
  let bare = ''
  for (const character of seen.toLowerCase().normalize('NFD')) if (!is(mark, character)) bare += character
  const folded = spaced(bare)
  return folded === text ? folded : naiveFold(folded)
}

/** The words of some decision files, the first of which stands over the later ones. */
export function naiveWordsOf(files: readonly DecisionFile[]): NaiveWords {
  const phrases: NaiveWords['phrases'][number][] = []
  for (const file of files) {
    for (const verdict of ['approve', 'reject'] as const) {
      for (const { text, weight = 'full', on } of file[verdict] ?? []) {
        const folded = naiveFold(text)
        if (on && !phrases.some((one) => one.folded === folded)) phrases.push({ folded, text, verdict, weight })
      }
    }
  }
  return {
    phrases,
    always: files.flatMap((file) => (file.always ?? []).filter(({ on }) => on).map(({ text }) => naiveFold(text))),
  }
}

const letters = 'ABCDEFGHJKMNPQRSTVWXYZ'
const digits = '23456789'

function codeOf(text: string): string | undefined {
  if (text.length !== 5 || text[0] !== '#') return undefined
  const four = Array.from(text.slice(1).toUpperCase())
  if (four.length !== 4) return undefined
  const sound = four.every((one) => letters.includes(one) || digits.includes(one))
  return sound && four.some((one) => letters.includes(one)) && four.some((one) => digits.includes(one))
    ? four.join('')
    : undefined
}

function sentenceOf(text: string, { phrases, always }: NaiveWords): Matched | undefined {
  for (const { folded, text: phrase, verdict, weight } of phrases) {
    if (text === folded) return { kind: 'phrase', verdict, weight, phrase }
    if (verdict === 'reject' || !text.startsWith(folded)) continue
    if (always.some((one) => text === `${folded} ${one}`)) return { kind: 'phrase', verdict, weight, phrase, always: true }
  }
  return undefined
}

function readingOf(text: string, words: NaiveWords): Matched | undefined {
  const bare = sentenceOf(text, words)
  if (bare !== undefined) return bare
  const alone = codeOf(text)
  if (alone !== undefined) return { kind: 'code', code: alone }
  const code = codeOf(text.slice(-5))
  if (code === undefined || text.at(-6) !== ' ') return undefined
  const before = sentenceOf(text.slice(0, -6), words)
  return before?.kind === 'phrase' ? { ...before, code } : undefined
}

/** What a text decides, by the letter of the rules. */
export function naiveMatch(text: string, words: NaiveWords): Matched | undefined {
  if (text.length > 256) return undefined
  const folded = naiveFold(text)
  const characters = Array.from(folded)
  if (characters.length > 64 || characters.some(isBreak)) return undefined
  for (const before of ['', '¡']) {
    for (const behind of ['', '.', '!', '!!', '!!!']) {
      if (folded.length < before.length + behind.length || !folded.startsWith(before) || !folded.endsWith(behind)) continue
      const middle = folded.slice(before.length, folded.length - behind.length)
      const found = readingOf(middle.split(', ').join(' '), words)
      if (found !== undefined) return found
    }
  }
  return undefined
}
