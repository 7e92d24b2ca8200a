import { fold } from '../core/fold.ts'
import type { House } from './house.ts'

/** What has to be typed behind an approve phrase for "always": the locale's own spelling where the active words have it, else one of theirs. */
export function alwaysWords(house: House, account: string): string | undefined {
  const { always } = house.words.of(account).vocabulary
  const usual = house.texts.say(house.localeOf(account), 'card.always_phrase')
  return always.has(fold(usual)) ? usual : [...always][0]
}
