import type { Conversation } from '../core/conversation.ts'
import { type Edit, editsAllowed } from '../core/edit.ts'
import { type Editable, editableFor } from '../core/editable.ts'
import { isDecidable, type Proposal } from '../core/proposal.ts'
import type { Situation } from '../core/situation.ts'
import type { Change } from '../ports/store.ts'
import { editQuestion } from './edit-question.ts'
import type { House } from './house.ts'
import { outcomeText } from './outcome.ts'

/** What an edit comes to at one step: it asks on, it is over and that is told, or the edited copy is to be written with its card. */
export type EditStep =
  | { readonly kind: 'ask'; readonly text: string; readonly edit: Edit }
  | { readonly kind: 'over'; readonly text: string }
  | { readonly kind: 'copy'; readonly change: Pick<Change, 'create' | 'moves' | 'say' | 'askedUntil'> }

/** Who edits, where, and when. */
export interface Editing {
  readonly conversation: Conversation
  readonly situation: Pick<Situation, 'person' | 'nowMs'>
  /** When what they wrote was received. */
  readonly receivedAtMs: number
}

/** Why nothing is asked of this person about this card any more; undefined where something may be. */
export function unlessEditable(
  house: House,
  proposal: Proposal,
  editing: Editing,
): Extract<EditStep, { kind: 'over' }> | undefined {
  const { account } = editing.conversation
  const locale = house.localeOf(account)
  const { code, editors = [] } = proposal
  const over = (text: string): Extract<EditStep, { kind: 'over' }> => ({ kind: 'over', text })
  if (!isDecidable(proposal)) return over(house.texts.say(locale, 'edit.ended', { state: outcomeText(house, proposal, locale) }))
  if (editors.length >= editsAllowed)
    return over(
      house.texts.say(locale, 'edit.too_deep', {
        code,
        times: String(editsAllowed),
        reject: house.words.of(account).card.reject,
      }),
    )
  return offeredTo(house, proposal, editing).length === 0
    ? over(house.texts.say(locale, 'edit.not_allowed', { code }))
    : undefined
}

/** What may be changed right now: a role that was taken between two answers is gone. */
export function offeredTo(house: House, proposal: Proposal, { situation }: Editing): readonly Editable[] {
  const action = house.actions.get(proposal.action)
  return action === undefined ? [] : editableFor(action, proposal, situation.person)
}

/** The next question of an edit. */
export const ask = (
  house: House,
  proposal: Proposal,
  edit: Edit,
  offered: readonly Editable[],
  { conversation, situation }: Editing,
  because?: string,
): Extract<EditStep, { kind: 'ask' }> => ({
  kind: 'ask',
  text: editQuestion(house, conversation, proposal, edit, offered, situation.nowMs, because),
  edit,
})
