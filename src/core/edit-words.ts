import { bareWordsOf, codeBehind } from './match.ts'
import type { Vocabulary } from './vocabulary.ts'

/** That somebody wants to edit a card, by a phrase of `edit` alone or with a code behind it; undefined for any other text. Decides nothing. */
export function matchEdit(text: string, { edit }: Vocabulary): { readonly code?: string } | undefined {
  const words = bareWordsOf(text)
  if (words === undefined) return undefined
  if (edit.has(words)) return {}
  const hash = words.length - 5
  const code = words.charCodeAt(hash) === 0x23 && words.charCodeAt(hash - 1) === 0x20 ? codeBehind(hash, words) : undefined
  return code !== undefined && edit.has(words.slice(0, hash - 1)) ? { code } : undefined
}
