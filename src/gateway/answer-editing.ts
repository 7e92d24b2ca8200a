import { isSamePerson } from '../core/authority.ts'
import { conversationKeyOf } from '../core/conversation.ts'
import { answerEdit, askedField, type Edit, isWhole } from '../core/edit.ts'
import type { Editable } from '../core/editable.ts'
import { canonicalOf } from '../core/fingerprint.ts'
import { isPhraseOf } from '../core/match.ts'
import { originOf } from '../core/origin.ts'
import { isDecidable, type Proposal } from '../core/proposal.ts'
import { withValue } from '../core/read-value.ts'
import { showText } from '../core/show-text.ts'
import type { Action } from '../ports/action.ts'
import type { ChatKey } from '../ports/texts.ts'
import { ask, type Editing, type EditStep, offeredTo, unlessEditable } from './edit-step.ts'
import type { House } from './house.ts'
import { outcomeText } from './outcome.ts'
import { propose } from './propose.ts'

/** An answer to what an edit asked. Each value is judged by the action's schema at once, and the whole by the rules once all are there. */
export async function answerEditing(
  house: House,
  proposal: Proposal,
  edit: Edit,
  text: string,
  editing: Editing,
): Promise<EditStep> {
  const { account } = editing.conversation
  const locale = house.localeOf(account)
  const say = (key: ChatKey, values: Readonly<Record<string, string>> = {}) => house.texts.say(locale, key, values)
  if (isPhraseOf(house.words.of(account).vocabulary.leave, text))
    return {
      kind: 'over',
      text: isDecidable(proposal) ? say('edit.left', { code: proposal.code }) : outcomeText(house, proposal, locale),
    }
  const stop = unlessEditable(house, proposal, editing)
  if (stop !== undefined) return stop
  const action = house.actions.get(proposal.action)
  const offered = offeredTo(house, proposal, editing)
  const next = answerEdit(edit, offered, text, {
    locale,
    nowMs: editing.situation.nowMs,
    truth: [say('edit.yes'), say('edit.no')],
  })
  if (next === undefined || action === undefined) return ask(house, proposal, edit, offered, editing, say('edit.not_understood'))
  const args = argsOf(proposal, next)
  const problem = problemOf(action, args, locale, isWhole(next) ? undefined : askedField(edit, offered))
  if (problem !== undefined)
    return ask(house, proposal, edit, offered, editing, say('edit.invalid', { problem: showText(problem) }))
  if (!isWhole(next)) return ask(house, proposal, next, offered, editing)
  return await copyOf(house, proposal, args, action, editing, say)
}

const argsOf = ({ canonicalArgs }: Proposal, { values }: Edit): unknown =>
  Object.entries(values).reduce<unknown>((args, [path, value]) => withValue(args, path, value), JSON.parse(canonicalArgs))

/** What the action's schema has against the arguments; of one field, while others are still to come. */
function problemOf(action: Action, args: unknown, locale: string, field: Editable | undefined): string | undefined {
  const parsed = action.parse(args, locale)
  if (parsed.ok) return undefined
  const problems = parsed.problems.map(
    (problem) => /^args\.?(?<path>[^:]*): (?<told>.*)$/s.exec(problem)?.groups ?? { path: '', told: problem },
  )
  const mine =
    field === undefined ? problems : problems.filter(({ path }) => path === field.path || path?.startsWith(`${field.path}.`))
  return mine[0]?.told
}

/** The edited copy is a proposal like any other: rules, limits and the action's own look hold for what it says now. */
async function copyOf(
  house: House,
  original: Proposal,
  args: unknown,
  action: Action,
  { conversation, situation, receivedAtMs }: Editing,
  say: (key: ChatKey, values?: Readonly<Record<string, string>>) => string,
): Promise<EditStep> {
  const { code, requester, requesterName } = original
  const parsed = action.parse(args)
  const canonical = parsed.ok ? canonicalOf(parsed.args) : undefined
  if (canonical?.ok && canonical.canonical === original.canonicalArgs)
    return { kind: 'over', text: say('edit.unchanged', { code }) }
  const isOwn =
    isSamePerson(situation.person, requester) && conversationKeyOf(conversation) === conversationKeyOf(original.conversation)
  const proposed = await propose(
    house,
    {
      conversation: original.conversation,
      ...(requester === undefined ? {} : { requester }),
      ...(requesterName === undefined ? {} : { requesterName }),
      origin: originOf(original),
      action: original.action,
      args,
      edit: { of: original, by: situation.person.id },
      // What a colleague writes replaces none of the requester's other cards.
      ...(isOwn ? { sinceMs: receivedAtMs } : {}),
    },
    [],
  )
  switch (proposed.kind) {
    case 'refused': {
      const { code: because, message } = proposed
      const why = say(`refused.${because}`, { message: because === 'denied' || because === 'completed' ? message : '' }).trim()
      return { kind: 'over', text: say('edit.refused', { why, code }) }
    }
    case 'same':
      return { kind: 'copy', change: { say: proposed.say } }
    case 'new': {
      const { proposal, moves, say: cards, until } = proposed
      return {
        kind: 'copy',
        change: { create: [proposal], moves, say: cards, ...(until === undefined ? {} : { askedUntil: [until] }) },
      }
    }
  }
}
