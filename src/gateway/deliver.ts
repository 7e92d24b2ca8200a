import type { Card } from '../core/card.ts'
import type { Conversation } from '../core/conversation.ts'
import { ChannelError } from '../core/errors.ts'
import type { Inbound } from '../core/inbound.ts'
import type { Outgoing } from '../core/outgoing.ts'
import type { Channel } from '../ports/channel.ts'
import type { Delivery, OutboxRow } from '../ports/store.ts'
import { channelHere } from './channel-here.ts'
import { handleInbound } from './handle-inbound.ts'
import type { House } from './house.ts'
import { insist } from './insist.ts'
import { ring } from './ring.ts'
import { isCardRow, settleSending } from './settle-sending.ts'

/** One sending is one process's for this long; after a crash another goes on, knowing that it may have arrived. */
const leaseMs = 60_000
const backoffCapMs = 300_000
/** On WhatsApp a message leaves when the one before it is reported as sent, at the latest this long after its acceptance (RULES 9). */
const followWithinMs = 1000

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
    if (delivery.kind === 'accepted' && delivery.followWithinMs !== undefined) await follow(house, taken, delivery.messageIds)
  }
}

async function say(house: House, channel: Channel, row: OutboxRow, message: Outgoing): Promise<Delivery> {
  // Whoever has the ids now that this chat is named by is somebody else.
  if (row.addresses?.length === 0) return { kind: 'refused', code: 'no_address' }
  const follows = channel.capabilities.reportsDelivery ? { followWithinMs } : {}
  if (row.reported !== undefined) {
    const { messageId, atMs } = row.reported
    house.log.info({ outbox: row.id, account: row.conversation.account, lane: row.lane }, 'answer_found')
    return { kind: 'accepted', messageIds: [messageId], moment: { atMs }, ...follows }
  }
  try {
    const accepted = await channel.send(row.conversation, row.mayHaveArrived ? repeated(house, row, message) : message, {
      ref: row.ref,
      addresses: row.addresses ?? [],
      ...(row.lastInboundAtMs === undefined ? {} : { lastInboundAtMs: row.lastInboundAtMs }),
    })
    return { kind: 'accepted', ...accepted, ...follows }
  } catch (error) {
    return failureOf(house, row, error)
  }
}

/** A card that may have arrived already is sent again with a word about it, never blindly: both copies name the same proposal. */
function repeated(house: House, { conversation }: OutboxRow, message: Outgoing): Outgoing {
  if (message.kind !== 'card') return message
  const text = house.texts.say(house.localeOf(conversation.account), 'card.head.repeated')
  return { ...message, card: { ...message.card, lines: [{ part: 'head', text }, ...message.card.lines] } }
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
  if (code === 'window_closed') return parked(house, row, code)
  house.log.warn({ outbox: row.id, account: row.conversation.account, code, err: error }, 'not_delivered')
  if (known?.permanent) return { kind: 'refused', code }
  const backoffMs = Math.min(backoffCapMs, 1000 * 2 ** Math.min(row.attempts, 9))
  const notBeforeMs = (await house.store.now()) + Math.max(backoffMs, known?.retryAfterMs ?? 0)
  return { kind: 'again', notBeforeMs, code, mayHaveArrived: row.mayHaveArrived || (known?.mayHaveHappened ?? true) }
}

/** Outside the provider's window nothing may be said: it waits until the person writes, and somebody should know that it does. */
function parked(house: House, row: OutboxRow, code: string): Delivery {
  const { account } = row.conversation
  house.log.warn({ outbox: row.id, account, lane: row.lane, proposal: row.proposalId }, 'parked')
  house.count('parked', { account, lane: row.lane })
  return { kind: 'parked', code }
}

/** Writes what became of a sending, and takes the next, where there may be one. */
async function settle(house: House, row: OutboxRow, delivery: Delivery, goesOn: () => boolean): Promise<OutboxRow | undefined> {
  if (!goesOn() || isCardRow(row)) {
    await settleSending(house, row, delivery)
    return goesOn() ? house.store.nextOutgoing(row.conversation, leaseMs) : undefined
  }
  const delivered = { id: row.id, fence: row.fence, delivery }
  return (await house.store.commitThenNext({ delivered }, row.conversation, leaseMs)).next
}

/** Where reports come: the next message is rung for in case none does, and a failure that came before the answer was written is seen to now. */
async function follow(house: House, { conversation }: OutboxRow, messageIds: readonly string[]): Promise<void> {
  await ring(house, { deliveries: [conversation], deliverInMs: followWithinMs })
  const failed = await insist(() => house.store.failedOf(conversation.account, messageIds))
  if (failed.length === 0) return
  const events = failed.map(
    ({ messageId, atMs, code }): Inbound => ({
      kind: 'report',
      conversation,
      providerId: `${messageId}#failed_before_its_answer`,
      messageId,
      status: 'failed',
      moment: { atMs },
      ...(code === undefined ? {} : { code }),
    }),
  )
  await insist(() => house.store.keep(house.tenant, events))
  house.spawn(() => handleInbound(house, conversation))
}
