import { isNumbered } from '../core/choose.ts'
import type { Conversation } from '../core/conversation.ts'
import { askedField, type Edit } from '../core/edit.ts'
import type { Editable } from '../core/editable.ts'
import type { Proposal } from '../core/proposal.ts'
import { showText } from '../core/show-text.ts'
import { showNumber, showValue } from '../core/show-value.ts'
import type { ChatKey } from '../ports/texts.ts'
import type { House } from './house.ts'
import { leaveWord } from './leave-word.ts'

/** What an edit asks, in the words of the chat; `because` stands before it and says why it is asked again. */
export function editQuestion(
  house: House,
  { account }: Conversation,
  { code }: Proposal,
  edit: Edit,
  offered: readonly Editable[],
  nowMs: number,
  because?: string,
): string {
  const locale = house.localeOf(account)
  const say = (key: ChatKey, values: Readonly<Record<string, string>> = {}) => house.texts.say(locale, key, values)
  const field = askedField(edit, offered)
  const lines =
    field === undefined
      ? [
          say('edit.which', {
            code,
            list: listOf(offered.map((one) => `${showText(one.label)}: ${showValue(one.shown, locale)}`)),
          }),
          ...(because === undefined ? [] : [say('edit.how.which')]),
        ]
      : [
          say('edit.value', { label: showText(field.label), before: showValue(field.shown, locale) }),
          ...howTo(field, locale, say, nowMs, because),
        ]
  return [...(because === undefined ? [] : [because]), ...lines, say('edit.leave', { leave: leaveWord(house, account) })].join(
    '\n',
  )
}

/** Choices are always told; how a number or a day is written, to whoever wrote it so that it was not understood. */
function howTo(
  { is }: Editable,
  locale: string,
  say: (key: ChatKey, values?: Readonly<Record<string, string>>) => string,
  nowMs: number,
  because: string | undefined,
): readonly string[] {
  const today = new Date(nowMs).toISOString().slice(0, 10)
  switch (is.kind) {
    case 'choice':
      return [say('edit.how.choice', { list: listOf(is.options.map(({ label }) => showText(label))) })]
    case 'truth':
      return [say('edit.how.choice', { list: listOf([say('edit.yes'), say('edit.no')]) })]
    case 'number':
      return because === undefined
        ? []
        : [say('edit.how.number', { example: showNumber(is.whole === true ? '15' : '1500.5', 0, locale) ?? '15' })]
    case 'date':
      return because === undefined
        ? []
        : [say('edit.how.date', { example: showValue({ kind: 'date', date: today }, locale), iso: today })]
    case 'text':
      return because === undefined ? [] : [say('edit.how.text')]
  }
}

const listOf = (labels: readonly string[]): string =>
  labels.map((label, place) => (isNumbered(labels) ? `${place + 1}. ${label}` : `– ${label}`)).join('\n')
