import type { Via } from '../core/decision.ts'
import type { HumanEvent } from '../core/human-event.ts'
import type { Proposal } from '../core/proposal.ts'
import type { OutboxDraft } from '../ports/store.ts'
import type { House } from './house.ts'
import { leaveWord } from './leave-word.ts'
import { questionDraft } from './question-draft.ts'

/** Asks a person why they refuse; `via` is how they said that they do. `because` stands before it and says why it is asked again. */
export function reasonQuestion(
  house: House,
  { conversation, group }: HumanEvent,
  person: string,
  { id, code }: Proposal,
  via: Via,
  because?: string,
): OutboxDraft {
  const { account } = conversation
  const locale = house.localeOf(account)
  const lines = [
    ...(because === undefined ? [] : [because]),
    house.texts.say(locale, 'reason.ask', { code }),
    ...(group ? [house.texts.say(locale, 'question.in_group')] : []),
    house.texts.say(locale, 'reason.leave', { leave: leaveWord(house, account) }),
  ]
  return questionDraft(conversation, lines.join('\n'), person, id, { kind: 'reason', via })
}
