import { fold } from '../core/fold.ts'
import type { House } from './house.ts'

/** What is printed for leaving a question is a word that leaves it: the label of Cancel where it is one. */
export function leaveWord(house: House, account: string): string {
  const { card, vocabulary } = house.words.of(account)
  if (vocabulary.leave.has(fold(card.cancel))) return card.cancel.toLowerCase()
  return [...vocabulary.leave][0] ?? card.cancel
}
