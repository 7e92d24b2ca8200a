import { conversationKeyOf } from '../core/conversation.ts'
import type { Proposal } from '../core/proposal.ts'
import { showText } from '../core/show-text.ts'
import type { Showing } from '../core/situation.ts'
import type { OutboxDraft } from '../ports/store.ts'
import type { ChatKey } from '../ports/texts.ts'
import { updateDrafts } from './cards.ts'
import type { House } from './house.ts'
import { noticeDraft } from './notice.ts'

/** What became of it, in the words of the chat's language; values are the action's and are shown safely. */
export function outcomeText(house: House, proposal: Proposal, locale: string): string {
  const { state } = proposal
  const values = { code: proposal.code, summary: showText(proposal.preview.summary) }
  const say = house.texts.say
  switch (state.name) {
    case 'succeeded': {
      const text = say(locale, state.verification === 'failed' ? 'outcome.unverified' : 'outcome.succeeded', values)
      return state.result === undefined ? text : `${text}\n${showText(state.result)}`
    }
    case 'failed':
      return say(locale, `outcome.failed.${state.reason}`, { ...values, detail: showText(state.detail ?? '') })
    case 'expired':
      return say(locale, `outcome.expired.${state.reason}`, values)
    case 'halted':
      return say(locale, `outcome.halted.${state.by}`, values)
    case 'in_doubt':
      // Who is told that somebody looks into it must be able to rely on it: where the machine cannot, a person has to.
      return say(locale, state.retryAtMs === undefined ? 'outcome.in_doubt_for_a_person' : 'outcome.in_doubt', values)
    case 'changed':
      return say(locale, changedKeyOf(state), { ...values, detail: showText(state.detail ?? '') }).trim()
    case 'discarded':
      return say(locale, state.reason === 'original_ended' ? 'outcome.discarded_copy' : 'outcome.discarded', values)
    case 'draft':
    case 'pending':
    case 'awaiting_second':
    case 'approved':
    case 'executing':
    case 'rejected':
    case 'superseded':
    case 'edited':
      return say(locale, `outcome.${state.name}`, values)
  }
}

/** Why it was refused: for colleagues where it was decided, and in the chat that asked where the action says so. */
function reasonOf(house: House, { action, state }: Proposal, locale: string, isColleagues: boolean): string {
  const reason = state.name === 'rejected' ? state.decision.reason : undefined
  if (reason === undefined || !(isColleagues || house.actions.get(action)?.rejectReason === 'told')) return ''
  return ` ${house.texts.say(locale, 'outcome.rejected_because', { reason: showText(reason) })}`
}

function changedKeyOf({ reason, by }: Extract<Proposal['state'], { name: 'changed' }>): ChatKey {
  if (reason === 'denied') return 'outcome.changed_denied'
  if (reason === 'completed') return 'outcome.changed_completed'
  return by === undefined ? 'outcome.changed' : 'outcome.changed_renewed'
}

/**
 * Tells an end, or a doubt, in the chat that asked, and brings every card up to it: one row for each telling, whoever else may try
 * to write the same. Written in the transaction of the move, so it is told at least once whatever crashes.
 */
export function outcomeDrafts(
  house: House,
  proposal: Proposal,
  showings: readonly Showing[],
  nowMs: number,
  name?: string,
): readonly OutboxDraft[] {
  const asked = proposal.conversation
  const elsewhere = showings.filter(({ conversation }) => conversationKeyOf(conversation) !== conversationKeyOf(asked))
  const told = new Map(
    [asked, ...elsewhere.map(({ conversation }) => conversation)].map((conversation) => [
      conversationKeyOf(conversation),
      conversation,
    ]),
  )
  const tellings = [...told].map(([key, conversation]): OutboxDraft => {
    const locale = house.localeOf(conversation.account)
    const text = `${outcomeText(house, proposal, locale)}${reasonOf(house, proposal, locale, key !== conversationKeyOf(asked))}`
    return {
      ...noticeDraft(conversation, 'outcome', text, proposal),
      once: `outcome:${proposal.id}:${proposal.state.name}:${key}`,
    }
  })
  return [...updateDrafts(house, proposal, showings, nowMs, name), ...tellings]
}
