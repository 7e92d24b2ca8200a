import { bareWordsOf, codeBehind } from './match.ts'
import type { Vocabulary } from './vocabulary.ts'

/** That somebody wants to edit a card, by a phrase of `edit` alone or with a code behind it; undefined for any other text. Decides nothing. */
export const matchEdit = (text: string, { edit }: Vocabulary): { readonly code?: string } | undefined => matchWord(text, edit)

/** That somebody wants to refuse a card and say why, in the same way by a phrase of `reason`. Decides nothing. */
export const matchReason = (text: string, { reason }: Vocabulary): { readonly code?: string } | undefined =>
  reason === undefined ? undefined : matchWord(text, reason)

function matchWord(text: string, phrases: ReadonlySet<string>): { readonly code?: string } | undefined {
  const words = bareWordsOf(text)
  if (words === undefined) return undefined
  if (phrases.has(words)) return {}
  const hash = words.length - 5
  const code = words.charCodeAt(hash) === 0x23 && words.charCodeAt(hash - 1) === 0x20 ? codeBehind(hash, words) : undefined
  return code !== undefined && phrases.has(words.slice(0, hash - 1)) ? { code } : undefined
}
