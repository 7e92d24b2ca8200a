import type { List } from './decision-file.ts'
import { fold, hasLineBreak } from './fold.ts'
import { isPhraseOf, longestFolded, longestText } from './match.ts'
import { optOutWords, smallTalk } from './never-words.ts'

/** Why a text may not be a phrase of a list, whatever else is there (RULES 1.9), ready to stand behind the quoted text. */
export function phraseFaultOf(list: List, text: string): string | undefined {
  const folded = fold(text)
  if (folded === '') return 'is empty once case, accents and invisible characters are gone: write a word, or take the entry out'
  if (hasLineBreak(text)) return 'holds a line break, and no message with one decides: write it on one line'
  if (/\p{Cc}/u.test(text)) return 'holds a control character: take it out'
  if (/[#?¿]/u.test(folded)) return 'holds "#" or a question mark: "#" is for codes, and a question is never a decision'
  if (/^[\p{L}\p{N}]$/u.test(folded)) return 'is one letter, which people type by accident: write a word'
  if (text.length > longestText || [...folded].length > longestFolded) {
    return `is longer than ${longestFolded} characters, and no such message decides: shorten it`
  }
  if (optOutWords.has(folded)) return 'is a word by which providers end all messages: choose another'
  if (list === 'approve' && smallTalk.has(folded))
    return 'is a greeting or a filler, said without agreeing to anything: choose another'
  if (!isPhraseOf(new Set([folded]), text)) {
    return 'can never be matched: write it without "¡" before, "." or "!" behind and commas inside'
  }
  return undefined
}
