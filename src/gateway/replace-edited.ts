import { conversationKeyOf } from '../core/conversation.ts'
import { differenceOf } from '../core/difference.ts'
import { isDecidable, type Proposal, type ProposalIn } from '../core/proposal.ts'
import type { Showing } from '../core/situation.ts'
import type { Change, OutboxDraft } from '../ports/store.ts'
import { surfacesOf, updateDrafts } from './cards.ts'
import type { House } from './house.ts'
import { type Applied, move, planMove, tellMoved } from './move.ts'
import { noticeDraft } from './notice.ts'
import { outcomeDrafts } from './outcome.ts'
import { ring } from './ring.ts'

/** Two may race for one card; whoever loses reads again, and then it has an end. */
const readingsAllowed = 5

/**
 * The first card of an edited copy was accepted: from here on the copy can be decided, and the one that it was made from is `edited`, in one
 * transaction, so there is never a moment in which both can be. Where that one was decided or ended meanwhile the copy ends instead, and says
 * so: a decision on the older card always wins against a copy that nobody could see yet.
 */
export async function replaceEdited(
  house: House,
  copy: ProposalIn<'draft'>,
  showing: Showing,
  nowMs: number,
  also: Change,
): Promise<Applied | undefined> {
  for (let readings = 0; readings < readingsAllowed; readings += 1) {
    const read = copy.editedFrom === undefined ? undefined : await house.store.proposal(copy.editedFrom)
    const applied =
      read !== undefined && isDecidable(read.proposal)
        ? await takePlace(house, copy, read.proposal, showing, read.nowMs, also)
        : read?.proposal.state.name === 'edited' && read.proposal.state.by === copy.id
          ? await move(house, copy, { name: 'show' }, nowMs, { by: 'channel' }, () => also)
          : await giveWay(house, copy, showing, nowMs, also)
    if (applied.kind === 'applied') return applied
    const now = await house.store.proposal(copy.id)
    if (now?.proposal.revision !== copy.revision || applied.kind === 'refused') return undefined
  }
  return undefined
}

async function takePlace(
  house: House,
  copy: ProposalIn<'draft'>,
  older: Proposal,
  showing: Showing,
  nowMs: number,
  also: Change,
): Promise<Applied> {
  const planned = planMove(older, { name: 'edit', by: copy.id }, nowMs, { by: copy.editors?.at(-1) ?? 'edit' })
  // Its time was over a moment ago: it cannot be replaced any more.
  if (planned.kind === 'refused') return giveWay(house, copy, showing, nowMs, also)
  const showings = await house.store.showings(older.id)
  const chats = [older.conversation, copy.conversation, ...surfacesOf(showings)]
  const applied = await move(house, copy, { name: 'show' }, nowMs, { by: 'channel' }, () => ({
    ...also,
    moves: [planned.move],
    say: [...updateDrafts(house, planned.move.after, showings, nowMs), ...toldElsewhere(house, copy, older, showing)],
  }))
  if (applied.kind !== 'applied') return applied
  tellMoved(house, planned.move)
  await ring(house, { deliveries: chats })
  return applied
}

/** Where the new card is not shown, whoever asked hears of the change, and that it waits for somebody else. */
function toldElsewhere(house: House, copy: Proposal, older: Proposal, showing: Showing): readonly OutboxDraft[] {
  const { conversation, approvers } = copy
  if (approvers.kind === 'requester' || conversationKeyOf(conversation) === conversationKeyOf(showing.conversation)) return []
  const locale = house.localeOf(conversation.account)
  const changes = differenceOf(older.preview, copy.preview, locale, (key, values) => house.texts.say(locale, key, values))
  const text = house.texts.say(locale, 'edit.replaced', { old: older.code, code: copy.code, changes: changes.join('\n') })
  return [{ ...noticeDraft(conversation, 'outcome', text.trim(), copy), once: `edited:${copy.id}` }]
}

async function giveWay(house: House, copy: ProposalIn<'draft'>, showing: Showing, nowMs: number, also: Change): Promise<Applied> {
  const applied = await move(house, copy, { name: 'discard', reason: 'original_ended' }, nowMs, { by: 'channel' }, (after) => ({
    ...also,
    say: outcomeDrafts(house, after, [showing], nowMs),
  }))
  if (applied.kind === 'applied') await ring(house, { deliveries: [copy.conversation, showing.conversation] })
  return applied
}
