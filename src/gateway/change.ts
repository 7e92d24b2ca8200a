import { conversationKeyOf } from '../core/conversation.ts'
import { differenceOf } from '../core/difference.ts'
import type { HumanEvent } from '../core/human-event.ts'
import type { LifecycleEvent } from '../core/lifecycle.ts'
import { originOf } from '../core/origin.ts'
import { isAbout } from '../core/policy.ts'
import type { Proposal } from '../core/proposal.ts'
import type { Change, OutboxDraft } from '../ports/store.ts'
import { surfacesOf, updateDrafts } from './cards.ts'
import { drawAgain } from './draw-again.ts'
import type { House } from './house.ts'
import type { Look } from './look-again.ts'
import { type Applied, move, tellMoved } from './move.ts'
import { noticeDraft } from './notice.ts'
import { outcomeText } from './outcome.ts'
import { type Proposed, propose } from './propose.ts'
import { ring } from './ring.ts'

/** What a look found that a yes cannot count on. */
export type Moved = Exclude<Look, { kind: 'unknown' }>

type Fresh = Extract<Proposed, { kind: 'new' }>

/**
 * Ends a proposal as `changed` because the world is no more as its card said, and puts another with a new card in its place, which tells
 * the difference: both in one transaction with the mark of the person's event. The second change in a row goes to somebody with a role,
 * where there is one. Where no new card can come, the end and the difference are told in words.
 */
export async function change(
  house: House,
  event: HumanEvent,
  proposal: Proposal,
  moved: Moved,
  nowMs: number,
  also: Change,
): Promise<Applied> {
  const showings = await house.store.showings(proposal.id)
  for (let draws = 1; ; draws += 1) {
    const fresh = await freshOf(house, proposal, moved)
    const applied = await move(house, proposal, eventOf(moved, fresh), nowMs, { by: 'decide' }, (after) => ({
      ...also,
      ...(fresh === undefined ? {} : { create: [fresh.proposal], moves: fresh.moves }),
      ...(fresh?.until === undefined ? {} : { askedUntil: [fresh.until] }),
      say: [
        ...updateDrafts(house, after, showings, nowMs),
        ...tellings(house, after, moved, fresh, [event.conversation, proposal.conversation, ...surfacesOf(showings)]),
        ...(fresh?.say ?? []),
      ],
    }))
    if (applied.kind === 'lost' && drawAgain(applied, draws)) continue
    if (applied.kind === 'applied') {
      for (const one of fresh?.moves ?? []) tellMoved(house, one)
      await ring(house, {
        deliveries: [
          event.conversation,
          proposal.conversation,
          ...showings.map(({ conversation }) => conversation),
          ...(fresh?.say ?? []).map(({ conversation }) => conversation),
        ],
      })
    }
    return applied
  }
}

function eventOf(moved: Moved, fresh: Fresh | undefined): Extract<LifecycleEvent, { name: 'change' }> {
  const reason = moved.kind === 'seen' ? 'preview' : moved.reason
  return {
    name: 'change',
    reason,
    ...(fresh === undefined ? {} : { by: fresh.proposal.id }),
    ...(moved.kind === 'over' ? { detail: moved.message } : {}),
  }
}

/** The proposal that stands in its place: judged by the rules as if it were asked for now. Undefined where there is none to be. */
async function freshOf(house: House, proposal: Proposal, moved: Moved): Promise<Fresh | undefined> {
  if (moved.kind === 'over' || moved.prepared === undefined) return undefined
  const { conversation, requester, requesterName, action, canonicalArgs } = proposal
  const role = proposal.changedFrom === undefined ? undefined : await roleFor(house, proposal)
  if (role === 'nobody') return undefined
  const proposed = await propose(
    house,
    {
      conversation,
      ...(requester === undefined ? {} : { requester }),
      ...(requesterName === undefined ? {} : { requesterName }),
      origin: originOf(proposal),
      action,
      args: JSON.parse(canonicalArgs),
      instead: { of: proposal, prepared: moved.prepared, ...(role === undefined ? {} : { role }) },
    },
    [],
  )
  if (proposed.kind === 'new') return proposed
  house.log.warn({ proposal: proposal.id, ...(proposed.kind === 'refused' ? { code: proposed.code } : {}) }, 'changed_for_good')
  return undefined
}

/**
 * Who looks at what changes under its requester again and again: whoever decides such things already, the first role that a rule or the
 * action names, else the first that has a chat.
 */
async function roleFor(house: House, { approvers, action }: Proposal): Promise<string | undefined | 'nobody'> {
  if (approvers.kind === 'role') return undefined
  const about = house.policies.rules.filter((rule) => isAbout(rule, action))
  const named = about.flatMap((rule) => (rule.approvers?.kind === 'role' ? [rule.approvers.role] : []))
  for (const role of [...named, ...house.rolesWithChats])
    if ((await house.store.peopleWith(role)).length > 0 && (await house.store.roleChats(role)).length > 0) return role
  return 'nobody'
}

/** The end in words, with the difference, in each chat where the new card does not tell it. */
function tellings(
  house: House,
  after: Proposal,
  moved: Moved,
  fresh: Fresh | undefined,
  chats: readonly Proposal['conversation'][],
): readonly OutboxDraft[] {
  const shown = new Set(
    (fresh?.say ?? []).filter(({ lane }) => lane === 'card').map(({ conversation }) => conversationKeyOf(conversation)),
  )
  const untold = new Map(
    chats.map((chat) => [conversationKeyOf(chat), chat]).filter(([key]) => !shown.has(key as string)) as [
      string,
      Proposal['conversation'],
    ][],
  )
  return [...untold].map(([key, chat]) => {
    const locale = house.localeOf(chat.account)
    const difference =
      moved.kind === 'over' || moved.prepared === undefined
        ? []
        : differenceOf(after.preview, moved.prepared, locale, (said, values) => house.texts.say(locale, said, values))
    const text = [outcomeText(house, after, locale), ...difference].join('\n')
    return { ...noticeDraft(chat, 'outcome', text, after), once: `outcome:${after.id}:${after.state.name}:${key}` }
  })
}
