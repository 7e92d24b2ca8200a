import type { HumanEvent } from '../core/human-event.ts'
import { isPhraseOf } from '../core/match.ts'
import { isDecidable, type Proposal } from '../core/proposal.ts'
import type { Asks } from '../core/question.ts'
import type { Situation } from '../core/situation.ts'
import { unlessDecidable } from '../core/target-checks.ts'
import type { Answered } from './answer-typing.ts'
import type { House } from './house.ts'
import { noticeDraft } from './notice.ts'
import { outcomeText } from './outcome.ts'
import { reasonQuestion } from './reason-question.ts'

/** In characters: as much as a reason needs, and short enough to be told on. */
const longestReason = 500

/** An answer to why somebody refuses: whatever it says is the reason, and the refusal with it. A word of `leave` refuses nothing. */
export function answerReason(
  house: House,
  event: HumanEvent,
  { person }: Situation,
  proposal: Proposal,
  { via }: Extract<Asks, { kind: 'reason' }>,
  text: string,
): Answered {
  const { conversation } = event
  const locale = house.localeOf(conversation.account)
  const { code } = proposal
  const over = (told: string): Answered => ({
    kind: 'told',
    change: { say: [noticeDraft(conversation, 'receipt', told, proposal)] },
  })
  if (isPhraseOf(house.words.of(conversation.account).vocabulary.leave, text))
    return over(isDecidable(proposal) ? house.texts.say(locale, 'reason.left', { code }) : outcomeText(house, proposal, locale))
  const reason = text.trim()
  const given = { verdict: 'reject', via, reason } as const
  const settledEarly = unlessDecidable(proposal, given, person)
  if (settledEarly?.road === 'not_yours') return over(house.texts.say(locale, 'notice.not_yours', { code }))
  if (settledEarly !== undefined && settledEarly.road !== 'decide') return over(outcomeText(house, proposal, locale))
  if ([...reason].length <= longestReason) return { kind: 'decides', given }
  const because = house.texts.say(locale, 'reason.too_long', { most: longestReason })
  return { kind: 'told', change: { say: [reasonQuestion(house, event, person.id, proposal, via, because)] } }
}
