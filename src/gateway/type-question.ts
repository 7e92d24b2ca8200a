import type { HumanEvent } from '../core/human-event.ts'
import type { Proposal } from '../core/proposal.ts'
import { showText } from '../core/show-text.ts'
import { toType } from '../core/typed.ts'
import type { OutboxDraft } from '../ports/store.ts'
import type { House } from './house.ts'
import { leaveWord } from './leave-word.ts'
import { questionDraft } from './question-draft.ts'

/**
 * Asks a person for the value that their yes takes (RULES 7). It names the field and does not print the value: whoever types it has to look at
 * the card. `because` stands before it and says why it is asked again.
 */
export function typeQuestion(
  house: House,
  { conversation, group }: HumanEvent,
  person: string,
  { id, code, cardRevision, preview, typeToConfirm }: Proposal,
  { wrong, because }: { readonly wrong: number; readonly because?: string } = { wrong: 0 },
): OutboxDraft {
  const { account } = conversation
  const locale = house.localeOf(account)
  const { reject } = house.words.of(account).card
  const label = showText(toType(preview, typeToConfirm, locale)?.label ?? '')
  const lines = [
    ...(because === undefined ? [] : [because]),
    house.texts.say(locale, 'typed.ask', { code, label }),
    ...(group ? [house.texts.say(locale, 'question.in_group')] : []),
    house.texts.say(locale, 'typed.leave', { leave: leaveWord(house, account), reject, code }),
  ]
  return questionDraft(conversation, lines.join('\n'), person, id, { kind: 'typed', cardRevision, wrong })
}
