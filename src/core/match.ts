import { fold, isLineBreak } from './fold.ts'
import type { Matched, Phrase, Verdict, Vocabulary } from './vocabulary.ts'

/** The cap before any work, in UTF-16 units, and the cap after folding, in code points: every text costs a bounded time. */
export const longestText = 256
export const longestFolded = 64

// Codes as RULES 1.6 spells them, after the fold: no 0, 1, I, L, O or U. By unit: 1 for a digit, 2 for a letter.
const inCode = new Uint8Array(0x80)
for (const digit of '23456789') inCode[digit.charCodeAt(0)] = 1
for (const letter of 'abcdefghjkmnpqrstvwxyz') inCode[letter.charCodeAt(0)] = 2

/** The code that a `#` begins, if exactly four of its characters stand behind, digits and letters both. */
export function codeBehind(hash: number, words: string): string | undefined {
  let kinds = 0
  for (let i = hash + 1; i < words.length; i++) {
    const kind = inCode[words.charCodeAt(i)]
    if (kind !== 1 && kind !== 2) return undefined
    kinds |= kind
  }
  return kinds === 3 && words.length === hash + 5 ? words.slice(hash + 1).toUpperCase() : undefined
}

/** A comma before a space is as good as none. */
function withoutCommas(text: string): string {
  let rest = text
  for (let at = rest.indexOf(', '); at !== -1; at = rest.indexOf(', ', at + 1)) rest = rest.slice(0, at) + rest.slice(at + 1)
  return rest
}

/**
 * The folded text without what the grammar lets go: one `¡` before, one `.` or up to three `!` after, commas before a
 * space. Undefined for a text that is too long or has a line break inside.
 */
export function bareWordsOf(text: string): string | undefined {
  if (text.length > longestText) return undefined
  const folded = fold(text)
  if (isTooLong(folded)) return undefined
  let comma = false
  for (let i = 0; i < folded.length; i++) {
    const unit = folded.charCodeAt(i)
    if (unit === 0x2c) comma = true
    else if (isLineBreak(unit)) return undefined
  }
  const start = folded.charCodeAt(0) === 0xa1 ? 1 : 0
  let end = folded.length
  if (folded.charCodeAt(end - 1) === 0x2e) end--
  else while (end > folded.length - 3 && folded.charCodeAt(end - 1) === 0x21) end--
  const rest = start === 0 && end === folded.length ? folded : folded.slice(start, end)
  return comma ? withoutCommas(rest) : rest
}

const isTooLong = (folded: string): boolean => folded.length > longestFolded && [...folded].length > longestFolded

type Sentence = Extract<Matched, { kind: 'phrase' }>

/** Everything that decides in a vocabulary, word for word; how long its sentences are and which two letters they begin with. */
interface Compiled {
  readonly sentences: ReadonlyMap<string, Sentence>
  readonly lengths: Uint8Array
  readonly openings: ReadonlySet<number>
}

const letterOf = (unit: number): number => (unit >= 0x61 && unit <= 0x7a ? unit : unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : 0)

/**
 * Two letters of ASCII at the very beginning, as one number; 0 where there are no two. The fold of a text begins with them
 * whatever comes behind, so a text whose two letters begin no sentence needs no fold: that is most of what people write.
 */
function openingOf(text: string): number {
  const first = letterOf(text.charCodeAt(0))
  const second = letterOf(text.charCodeAt(1))
  return first === 0 || second === 0 ? 0 : first * 0x80 + second
}

const compiled = new WeakMap<Vocabulary, Compiled>()

function compile(vocabulary: Vocabulary): Compiled {
  const sentences = new Map<string, Sentence>()
  const lengths = new Uint8Array(longestText)
  const openings = new Set<number>()
  const add = (folded: string, verdict: Verdict, { weight, text }: Phrase, always?: true) => {
    sentences.set(folded, Object.freeze({ kind: 'phrase', verdict, weight, phrase: text, ...(always && { always }) }))
    lengths[folded.length] = 1
    openings.add(openingOf(folded))
  }
  for (const [folded, phrase] of vocabulary.approve) {
    for (const always of vocabulary.always) add(`${folded} ${always}`, 'approve', phrase, true)
  }
  for (const [folded, phrase] of vocabulary.approve) add(folded, 'approve', phrase)
  // Last, so that a refusal wins in a vocabulary that nobody checked.
  for (const [folded, phrase] of vocabulary.reject) add(folded, 'reject', phrase)
  const made = { sentences, lengths, openings }
  compiled.set(vocabulary, made)
  return made
}

const find = (words: string, { sentences, lengths }: Compiled): Sentence | undefined =>
  lengths[words.length] === 1 ? sentences.get(words) : undefined

/**
 * What a text decides, before it is known which proposal; undefined when it decides nothing (RULES 1). What is left of the
 * text must *be* a phrase, with an always phrase and a code behind it where the grammar says so: never a part, a prefix or
 * a likeness of one. Pure: no clock, no model, no process locale; the same answer on every retry, in bounded time.
 */
export function matchDecision(text: string, vocabulary: Vocabulary): Matched | undefined {
  if (text.length > longestText) return undefined
  const active = compiled.get(vocabulary) ?? compile(vocabulary)
  // The fold keeps a "¿", and no phrase has one.
  if (text.charCodeAt(0) === 0xbf) return undefined
  const opening = openingOf(text)
  if (opening !== 0 && !active.openings.has(opening)) return undefined
  const words = bareWordsOf(text)
  if (words === undefined) return undefined
  const hash = words.length - 5
  if (words.charCodeAt(hash) !== 0x23) return find(words, active)
  const code = codeBehind(hash, words)
  if (code === undefined) return undefined
  if (hash === 0) return { kind: 'code', code }
  const sentence = words.charCodeAt(hash - 1) === 0x20 ? find(words.slice(0, hash - 1), active) : undefined
  return sentence && { ...sentence, code }
}

/** Is the whole text one of the folded phrases (`vocabulary.edit`, `vocabulary.leave`), by the steps that a decision goes by? */
export function isPhraseOf(phrases: ReadonlySet<string>, text: string): boolean {
  const words = bareWordsOf(text)
  return words !== undefined && phrases.has(words)
}
