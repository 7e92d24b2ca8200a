import type { Proposal, ProposalIn } from '../core/proposal.ts'
import type { Change, Delivery, OutboxRow } from '../ports/store.ts'
import type { House } from './house.ts'
import { move } from './move.ts'
import { outcomeDrafts } from './outcome.ts'
import { replaceEdited } from './replace-edited.ts'
import { ring } from './ring.ts'

/** A card of a proposal, whose end moves the proposal too. */
export const isCardRow = (row: OutboxRow): row is OutboxRow & { readonly proposalId: string } =>
  row.body.do === 'say' && row.body.message.kind === 'card' && row.proposalId !== undefined

/** Writes what became of a sending. Of a card it is what makes it decidable, or ends it. Whose fence was lost writes nothing. */
export async function settleSending(house: House, row: OutboxRow, delivery: Delivery): Promise<void> {
  if (isCardRow(row) && delivery.kind === 'accepted') return await accepted(house, row, row.proposalId, delivery)
  if (isCardRow(row) && delivery.kind === 'refused') return await undeliverable(house, row, row.proposalId, delivery)
  await house.store.commit({ delivered: { id: row.id, fence: row.fence, delivery } })
}

/** From here on people can decide it: the first accepted showing starts its time. */
async function accepted(
  house: House,
  row: OutboxRow,
  proposalId: string,
  delivery: Extract<Delivery, { kind: 'accepted' }>,
): Promise<void> {
  const delivered = { id: row.id, fence: row.fence, delivery }
  const read = await house.store.proposal(proposalId)
  if (read === undefined) return void (await house.store.commit({ delivered }))
  const showing = {
    proposalId,
    cardRevision: row.cardRevision ?? 1,
    conversation: row.conversation,
    messageIds: delivery.messageIds,
    acceptedAtMs: read.nowMs,
    ...(delivery.moment === undefined ? {} : { moment: delivery.moment }),
  }
  if (isDraft(read.proposal) && read.proposal.editedFrom !== undefined) {
    if ((await replaceEdited(house, read.proposal, showing, read.nowMs, { delivered, showing })) !== undefined) return
  } else if (isDraft(read.proposal)) {
    const shown = await move(house, read.proposal, { name: 'show' }, read.nowMs, { by: 'channel' }, () => ({
      delivered,
      showing,
    }))
    if (shown.kind === 'applied') return
  }
  await house.store.commit({ delivered, showing })
}

const isDraft = (proposal: Proposal): proposal is ProposalIn<'draft'> => proposal.state.name === 'draft'

/** A channel will never take this card: the proposal ends with it, unless another chat shows it or is still to get it. */
async function undeliverable(house: House, row: OutboxRow, proposalId: string, delivery: Delivery): Promise<void> {
  const delivered = { id: row.id, fence: row.fence, delivery }
  if (await endUndeliverable(house, row, proposalId, { delivered }, 1)) return
  await house.store.commit({ delivered })
  // Two chats may have refused it at one moment, each with the other's still to be sent: the later one sees that none is left.
  await endUndeliverable(house, row, proposalId, {}, 0)
}

/** Ends a draft that no chat shows and no more than `waiting` cards of which are to be sent; whoever asked hears of it where they can. */
export async function endUndeliverable(
  house: House,
  row: Pick<OutboxRow, 'conversation'>,
  proposalId: string,
  also: Change,
  waiting: number,
): Promise<boolean> {
  const { store } = house
  const read = await store.proposal(proposalId)
  if (read?.proposal.state.name !== 'draft' || (await store.cardsWaiting(proposalId)) > waiting) return false
  const { proposal, nowMs } = read
  if ((await store.showings(proposalId)).some(({ cardRevision }) => cardRevision === proposal.cardRevision)) return false
  house.log.error({ proposal: proposalId, account: row.conversation.account }, 'card_undeliverable')
  const ended = await move(house, proposal, { name: 'undeliverable' }, nowMs, { by: 'channel' }, (after) => ({
    ...also,
    say: outcomeDrafts(house, after, [], nowMs),
  }))
  if (ended.kind !== 'applied') return false
  await ring(house, { deliveries: [proposal.conversation] })
  return true
}
