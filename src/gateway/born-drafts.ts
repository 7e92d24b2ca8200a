import type { Move, OutboxDraft } from '../ports/store.ts'
import type { House } from './house.ts'
import { lastDay } from './last-day.ts'
import { noticeDraft } from './notice.ts'

/** What the person is told when their "always" begins to hold: how far it reaches, and how to end it. */
export function bornDrafts(house: House, { after, born }: Move, nowMs: number): readonly OutboxDraft[] {
  if (born === undefined) return []
  const { conversation, code } = after
  const locale = house.localeOf(conversation.account)
  const { reject } = house.words.of(conversation.account).card
  const until = lastDay(nowMs + born.lastsMs, locale)
  const text = house.texts.say(locale, 'grant.born', { times: born.times, until, reject, code })
  return [noticeDraft(conversation, 'outcome', text, after)]
}
