import type { Card } from '../core/card.ts'
import type { Conversation } from '../core/conversation.ts'
import { ChannelError } from '../core/errors.ts'
import type { Outgoing } from '../core/outgoing.ts'
import type { Channel } from '../ports/channel.ts'
import type { Change, Delivery, OutboxRow } from '../ports/store.ts'
import { channelHere } from './channel-here.ts'
import type { House } from './house.ts'
import { insist } from './insist.ts'
import { move } from './move.ts'
import { outcomeDrafts } from './outcome.ts'
import { ring } from './ring.ts'

/** One sending is one process's for this long; after a crash another goes on, knowing that it may have arrived. */
const leaseMs = 60_000
const backoffCapMs = 300_000

/**
 * Sends what waits in a conversation, in order, until nothing may be sent now. Only for accounts that this process speaks for. A card that
 * is accepted becomes decidable in the same transaction. Between two messages it stops when the account's line was lost or `signal` aborts.
 * Throws only when the store is down; the rows wait.
 */
export async function deliver(house: House, conversation: Conversation, signal?: AbortSignal): Promise<void> {
  const goesOn = (): boolean => signal?.aborted !== true && channelHere(house, conversation.account) !== undefined
  const channel = house.channels.get(conversation.account)
  if (channel === undefined || !goesOn()) return
  let row = await house.store.nextOutgoing(conversation, leaseMs)
  while (row !== undefined) {
    const taken: OutboxRow = row
    const { body } = taken
    const delivery =
      body.do === 'say' ? await say(house, channel, taken, body.message) : await update(house, channel, taken, body.card)
    house.count('delivered', { account: conversation.account, lane: taken.lane, result: delivery.kind })
    // What the provider took must not be sent again because the store was away for a moment.
    row = await insist(() => settle(house, taken, delivery, goesOn))
  }
}

async function say(house: House, channel: Channel, row: OutboxRow, message: Outgoing): Promise<Delivery> {
  try {
    const accepted = await channel.send(row.conversation, row.mayHaveArrived ? repeated(house, row, message) : message)
    return { kind: 'accepted', ...accepted }
  } catch (error) {
    return failureOf(house, row, error)
  }
}

/** A card that may have arrived already is sent again with a word about it, never blindly: both copies name the same proposal. */
function repeated(house: House, { conversation }: OutboxRow, message: Outgoing): Outgoing {
  if (message.kind !== 'card') return message
  const text = house.texts.say(house.localeOf(conversation.account), 'card.head.repeated')
  return { kind: 'card', card: { ...message.card, lines: [{ part: 'head', text }, ...message.card.lines] } }
}

/** Brings every showing of this card in this conversation up to date. One that is gone needs nothing: the outcome is told as well. */
async function update(house: House, channel: Channel, row: OutboxRow, card: Card): Promise<Delivery> {
  if (!channel.capabilities.edits) return { kind: 'accepted', messageIds: [] }
  try {
    for (const messageIds of row.shownAs ?? []) await channel.edit(row.conversation, messageIds, card)
    return { kind: 'accepted', messageIds: [] }
  } catch (error) {
    return failureOf(house, row, error)
  }
}

async function failureOf(house: House, row: OutboxRow, error: unknown): Promise<Delivery> {
  const known = error instanceof ChannelError ? error : undefined
  const code = known?.code ?? 'unexpected'
  house.log.warn({ outbox: row.id, account: row.conversation.account, code, err: error }, 'not_delivered')
  if (known?.permanent) return { kind: 'refused', code }
  const backoffMs = Math.min(backoffCapMs, 1000 * 2 ** Math.min(row.attempts, 9))
  const notBeforeMs = (await house.store.now()) + Math.max(backoffMs, known?.retryAfterMs ?? 0)
  return { kind: 'again', notBeforeMs, code, mayHaveArrived: row.mayHaveArrived || (known?.mayHaveHappened ?? true) }
}

/** Writes what became of a sending, and takes the next, where there may be one. */
async function settle(house: House, row: OutboxRow, delivery: Delivery, goesOn: () => boolean): Promise<OutboxRow | undefined> {
  const delivered = { id: row.id, fence: row.fence, delivery }
  if (row.body.do === 'say' && row.body.message.kind === 'card' && row.proposalId !== undefined && delivery.kind !== 'again') {
    if (delivery.kind === 'accepted') await accepted(house, row, row.proposalId, delivery)
    else await undeliverable(house, row, row.proposalId, delivery)
    return goesOn() ? house.store.nextOutgoing(row.conversation, leaseMs) : undefined
  }
  if (!goesOn()) return void (await house.store.commit({ delivered }))
  return (await house.store.commitThenNext({ delivered }, row.conversation, leaseMs)).next
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
  if (read.proposal.state.name === 'draft') {
    const shown = await move(house, read.proposal, { name: 'show' }, read.nowMs, { by: 'channel' }, () => ({
      delivered,
      showing,
    }))
    if (shown.kind === 'applied') return
  }
  await house.store.commit({ delivered, showing })
}

/** A channel will never take this card: the proposal ends with it, unless another chat shows it or is still to get it. */
async function undeliverable(house: House, row: OutboxRow, proposalId: string, delivery: Delivery): Promise<void> {
  const delivered = { id: row.id, fence: row.fence, delivery }
  if (await endUndeliverable(house, row, proposalId, { delivered }, 1)) return
  await house.store.commit({ delivered })
  // Two chats may have refused it at one moment, each with the other's still to be sent: the later one sees that none is left.
  await endUndeliverable(house, row, proposalId, {}, 0)
}

/** Ends a proposal that no chat shows and no more than `waiting` cards of which are to be sent; whoever asked hears of it where they can. */
async function endUndeliverable(
  house: House,
  row: OutboxRow,
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
