import { conversationKeyOf } from '../core/conversation.ts'
import type { ProposalIn } from '../core/proposal.ts'
import { remindWithin } from '../core/quiet-hours.ts'
import { callHooks } from './call-hooks.ts'
import { converse } from './converse.ts'
import { deliver } from './deliver.ts'
import { escalate } from './escalate.ts'
import { execute } from './execute.ts'
import { expire } from './expire.ts'
import { handleInbound } from './handle-inbound.ts'
import type { House } from './house.ts'
import { remind } from './remind.ts'
import { ring } from './ring.ts'
import { settle } from './settle.ts'

const atMost = 200

/**
 * Looks after everything that waits without a bell: rings again, ends what is over, and frees what a dead worker held. While the queue is
 * down it does the work itself, here, so that a decision never waits for a queue. Any number may sweep at once; the rows decide. What is to be
 * sent through a line is left to its holder (workers/lines.ts): rung from here every second, bells would pile up while nobody holds it.
 */
export async function sweep(house: House): Promise<void> {
  const due = await house.store.due(atMost)
  for (const conversation of due.inbound) house.spawn(() => handleInbound(house, conversation))
  for (const id of [...due.overdue, ...due.stale]) await endIfOver(house, id)
  for (const id of due.leaseless) await free(house, id)
  for (const id of due.escalations) await escalate(house, id)
  await house.words.follow()
  if (Object.keys(house.hooks).length > 0 && (await house.store.hookCallsWait())) await seeToHooks(house)
  await house.store.dropNearMisses(house.limits.nearMissDays)
  await remindAll(house)
  const deliveries = due.deliveries.filter(({ account }) => {
    const channel = house.channels.get(account)
    return channel !== undefined && channel.line === undefined
  })
  if (house.bell.isUp()) return ring(house, { turns: due.turns, deliveries, executions: due.executions.map((id) => ({ id })) })
  if (due.turns.length + deliveries.length + due.executions.length === 0) return
  house.log.warn(
    { turns: due.turns.length, deliveries: deliveries.length, executions: due.executions.length },
    'swept_without_queue',
  )
  for (const conversation of due.turns) house.spawn(() => converse(house, conversation))
  for (const id of due.executions) house.spawn(() => execute(house, id))
  for (const [, conversation] of new Map(deliveries.map((conversation) => [conversationKeyOf(conversation), conversation])))
    house.spawn(() => deliver(house, conversation))
}

/** Where it is quiet now, nobody is reminded; where it will be in a moment, of all that would fall into that. */
async function remindAll(house: House): Promise<void> {
  const { remindBeforeMs: beforeMs } = house.limits
  if (beforeMs === 0) return
  const nowMs = await house.store.now()
  const windows = [...house.quietHours].flatMap(([account, quiet]) => {
    const withinMs = remindWithin(nowMs, beforeMs, quiet)
    return withinMs === undefined ? [] : [{ account, withinMs }]
  })
  for (const { id, account } of await house.store.dueReminders({ beforeMs, windows }, atMost)) await remind(house, id, account)
}

async function endIfOver(house: House, id: string): Promise<void> {
  const read = await house.store.proposal(id)
  if (read !== undefined) await expire(house, read.proposal, read.nowMs, 'sweep')
}

/** A worker held this and its lease is over. Sent: nobody knows the end. Not sent: back into the line, or out of it as poison. */
async function free(house: House, id: string): Promise<void> {
  const read = await house.store.proposal(id)
  if (read?.proposal.state.name !== 'executing') return
  const proposal = read.proposal as ProposalIn<'executing'>
  const action = house.actions.get(proposal.action)
  if (proposal.state.sent !== undefined) {
    const mayGoOn = action?.idempotency === 'key' || action?.lookUp !== undefined
    await settle(
      house,
      proposal,
      { name: 'doubt', quarantineMs: house.limits.quarantineMs, ...(mayGoOn ? { retryInMs: 0 } : {}) },
      read.nowMs,
    )
    return
  }
  const released = await settle(house, proposal, { name: 'release' }, read.nowMs)
  if (released.kind === 'applied') return ring(house, { executions: [{ id }] })
  if (released.kind === 'refused') await settle(house, proposal, { name: 'fail', proof: 'call', reason: 'poison' }, read.nowMs)
}

async function seeToHooks(house: House): Promise<void> {
  if (house.bell.isUp()) return ring(house, { hooks: true })
  house.spawn(() => callHooks(house))
}
