import { fold, hasLineBreak } from './fold.ts'
import { bareWordsOf, codeBehind, longestFolded, longestText } from './match.ts'
import { nearMissOf } from './near-miss.ts'
import type { Verdict, Vocabulary } from './vocabulary.ts'

/** What a text decides, and why: the step of the matcher that let it through or refused it, in words for people. */
export interface Explained {
  readonly verdict: Verdict | 'none'
  readonly phrase?: string
  readonly code?: string
  readonly always?: true
  readonly why: string
}

/** What the grammar is not, by what a text holds of it. The first that fits is told. */
const marks: readonly (readonly [RegExp, string])[] = [
  [/[?¿؟]/u, 'holds a question mark, and a question is never a decision'],
  [/(\.\.|…)/u, 'holds an ellipsis: it leaves something open'],
  [/[,;:]$/u, 'ends with a comma or colon: it goes on somewhere else'],
  [/["'«»“”‘’„`]/u, 'holds quotation marks: it speaks of a word instead of saying it'],
  [/[()[\]{}<>*_~|]/u, 'holds brackets or mark-up'],
  [/\s[.!]+$/u, 'has a space before its last mark'],
  [/!{4,}$|\.!+$|!\.$/u, 'ends with more marks than one "." or three "!"'],
]

/**
 * Tells what `matchDecision` does with a text, step by step and slowly; a test holds the two together. Pure, and bounded like it: a
 * long text costs no more than its length.
 */
export function explain(text: string, vocabulary: Vocabulary): Explained {
  const no = (why: string): Explained => ({ verdict: 'none', why })
  if (text.length > longestText) return no(`is longer than ${longestText} characters: no decision is that long`)
  const folded = fold(text)
  if (folded === '') return no('is empty once spaces and invisible characters are gone')
  if ([...folded].length > longestFolded)
    return no(`is longer than ${longestFolded} characters once folded: no decision is that long`)
  if (hasLineBreak(folded)) return no('has a line break inside: more than one thing was said')
  const words = bareWordsOf(text) ?? ''
  const hash = words.length - 5
  if (words.charAt(hash) === '#') {
    const code = codeBehind(hash, words)
    if (code === undefined)
      return no(
        `ends with ${words.slice(hash)}, which is no code: four characters, letters and digits both, without 0, 1, I, L, O, U`,
      )
    if (hash === 0) return { verdict: 'none', code, why: 'is a code alone: that card is shown again, and nothing is decided' }
    const sentence = words.charAt(hash - 1) === ' ' ? sentenceOf(words.slice(0, hash - 1), vocabulary) : undefined
    return sentence === undefined
      ? no(refusalOf(folded, words.slice(0, hash).trimEnd(), vocabulary))
      : { ...sentence, code, why: `${sentence.why}, for the card #${code}` }
  }
  return (
    sentenceOf(words, vocabulary) ??
    no(
      words.includes('#')
        ? 'holds a "#" that is no code of four characters behind a phrase'
        : refusalOf(folded, words, vocabulary),
    )
  )
}

function sentenceOf(words: string, { approve, reject, always }: Vocabulary): Explained | undefined {
  const refuses = reject.get(words)
  if (refuses !== undefined)
    return { verdict: 'reject', phrase: refuses.text, why: `is the phrase “${refuses.text}” of ${refuses.locale}` }
  const approves = approve.get(words)
  if (approves !== undefined) {
    const weak = approves.weight === 'ack' ? '; it also just acknowledges, so it decides only what can be undone' : ''
    return { verdict: 'approve', phrase: approves.text, why: `is the phrase “${approves.text}” of ${approves.locale}${weak}` }
  }
  for (const lasting of always) {
    const before = words.endsWith(` ${lasting}`) ? approve.get(words.slice(0, -lasting.length - 1)) : undefined
    if (before !== undefined)
      return {
        verdict: 'approve',
        phrase: before.text,
        always: true,
        why: `is the phrase “${before.text}” of ${before.locale} with “${lasting}”`,
      }
  }
  return undefined
}

/** Why words are no phrase: by what they hold, or by what they are instead. */
function refusalOf(whole: string, words: string, vocabulary: Vocabulary): string {
  const mark = marks.find(([pattern]) => pattern.test(whole))
  if (mark !== undefined) return mark[1]
  const off = vocabulary.off.get(words)
  if (off !== undefined) return `is listed under ${off} and switched off`
  if (vocabulary.edit.has(words)) return 'opens an edit, and decides nothing'
  if (vocabulary.always.has(words)) return 'says “always” to nothing: an approve phrase has to stand before it'
  if ([...vocabulary.always].some((lasting) => words.endsWith(` ${lasting}`)))
    return 'has “always” behind words that do not approve'
  if (vocabulary.reason?.has(words)) return 'refuses with a reason, which is asked for, and decides nothing yet'
  if (vocabulary.leave.has(words)) return 'ends a question of Dale’s, and decides nothing'
  switch (nearMissOf(words, vocabulary)?.kind) {
    case 'word':
      return 'holds a phrase and another word: only the whole message counts'
    case 'letter':
      return 'is a letter away from a phrase, and only the very words count'
    default:
      return [...vocabulary.approve.keys(), ...vocabulary.reject.keys()].some((phrase) => ` ${words} `.includes(` ${phrase} `))
        ? 'holds a phrase among other words: only the whole message counts'
        : 'is no phrase of this vocabulary'
  }
}
