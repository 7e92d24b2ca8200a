import { decisionUnder } from '../core/decision.ts'
import { mayBeAlways } from '../core/grant.ts'
import type { Proposal } from '../core/proposal.ts'
import { showText } from '../core/show-text.ts'
import { showValue } from '../core/show-value.ts'
import type { Beside, Move, OutboxDraft } from '../ports/store.ts'
import type { House } from './house.ts'
import { lastDay } from './last-day.ts'
import { planMove } from './move.ts'
import { noticeDraft } from './notice.ts'

/** A proposal that needs no card, with the move that approves it and what is said of it. */
export interface UnderGrant {
  readonly proposal: Proposal
  readonly move: Move
  readonly say: OutboxDraft
}

/**
 * Approves a proposal by the standing yes of its requester, where nothing but their own consent is asked and the law agrees; else undefined,
 * and it is asked for. Writes nothing: the use is counted by the commit, which is lost when the grant ended or was used up meanwhile.
 */
export async function underGrant(house: House, proposal: Proposal, { nowMs, siblings }: Beside): Promise<UnderGrant | undefined> {
  const { requester, conversation, action } = proposal
  if (requester === undefined || !mayBeAlways(proposal)) return undefined
  // Beside one whose end nobody knows, a person looks first.
  if (siblings.some(({ state }) => state.name === 'in_doubt')) return undefined
  const grant = await house.store.grantFor({ conversation, person: requester, action })
  if (grant === undefined) return undefined
  const under: Proposal = { ...proposal, under: grant.id }
  const event = {
    name: 'grant',
    decision: decisionUnder(grant, nowMs),
    grant,
    executeWithinMs: house.limits.executeByMs,
  } as const
  const planned = planMove(under, event, nowMs, { by: grant.person, note: { grant: grant.id } })
  if (planned.kind === 'refused') return undefined
  const locale = house.localeOf(conversation.account)
  const { reject } = house.words.of(conversation.account).card
  const text = house.texts.say(locale, 'grant.used', {
    summary: showText(proposal.preview.summary),
    left: grant.times - grant.uses - 1,
    until: lastDay(grant.endsAtMs, locale),
    reject,
    code: proposal.code,
  })
  const fields = proposal.preview.fields.map(({ label, value }) => `${showText(label)}: ${showValue(value, locale)}`)
  const [first = '', ...rest] = text.split('\n')
  return {
    proposal: under,
    move: planned.move,
    say: noticeDraft(conversation, 'chatter', [first, ...fields, ...rest].join('\n'), proposal),
  }
}
