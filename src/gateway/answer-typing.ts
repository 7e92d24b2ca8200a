import { mayApprove } from '../core/authority.ts'
import type { HumanEvent } from '../core/human-event.ts'
import { isPhraseOf } from '../core/match.ts'
import { isDecidable, type Proposal } from '../core/proposal.ts'
import type { Asks } from '../core/question.ts'
import type { Situation } from '../core/situation.ts'
import type { Given } from '../core/target.ts'
import { isTyped, toType, typingsAllowed } from '../core/typed.ts'
import type { Change, InboxRow } from '../ports/store.ts'
import type { ChatKey } from '../ports/texts.ts'
import type { House } from './house.ts'
import { noticeDraft } from './notice.ts'
import { outcomeText } from './outcome.ts'
import { typeQuestion } from './type-question.ts'

/** What an answer comes to: it is asked on or over, and that is told; or it is a decision. */
export type Answered =
  | { readonly kind: 'told'; readonly change: Pick<Change, 'say'> }
  | { readonly kind: 'decides'; readonly given: Given }

/**
 * An answer to the question for the value that a yes takes. The right one is the yes. Another one is told and decides nothing, however often;
 * after a few the question is over, and the card waits as before.
 */
export function answerTyping(
  house: House,
  { receivedAtMs }: Pick<InboxRow, 'receivedAtMs'>,
  event: HumanEvent,
  { person }: Situation,
  proposal: Proposal,
  { cardRevision, wrong }: Extract<Asks, { kind: 'typed' }>,
  text: string,
): Answered {
  const { conversation } = event
  const locale = house.localeOf(conversation.account)
  const { vocabulary } = house.words.of(conversation.account)
  const say = (key: ChatKey): string => house.texts.say(locale, key, { code: proposal.code })
  const over = (told: string): Answered => ({
    kind: 'told',
    change: { say: [noticeDraft(conversation, 'receipt', told, proposal)] },
  })
  const again = (because: string, times: number): Answered => ({
    kind: 'told',
    change: { say: [typeQuestion(house, event, person.id, proposal, { wrong: times, because })] },
  })
  if (!isDecidable(proposal)) return over(outcomeText(house, proposal, locale))
  if (isPhraseOf(vocabulary.leave, text)) return over(say('typed.left'))
  if (!mayApprove(proposal, person)) return over(say('notice.not_yours'))
  if (cardRevision !== proposal.cardRevision) return over(say('notice.old_card'))
  const printed = toType(proposal.preview, proposal.typeToConfirm, locale)
  if (printed === undefined || !isTyped(printed.text, text))
    return wrong + 1 < typingsAllowed ? again(say('typed.wrong'), wrong + 1) : over(say('typed.wrong_too_often'))
  const isLate = event.moment !== undefined && receivedAtMs - event.moment.atMs > house.limits.lateAfterMs
  return isLate ? again(say('typed.late'), wrong) : { kind: 'decides', given: { verdict: 'approve', via: 'typed' } }
}
