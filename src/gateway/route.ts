import { conversationKeyOf } from '../core/conversation.ts'
import type { HumanEvent } from '../core/human-event.ts'
import type { InboundMessage, InboundPress, InboundReport } from '../core/inbound.ts'
import { matchDecision } from '../core/match.ts'
import { type Press, readPress } from '../core/press.ts'
import { type Reading, targetOf } from '../core/target.ts'
import type { InboxRow, Naming } from '../ports/store.ts'
import type { House } from './house.ts'
import { humanEventOf } from './receive.ts'
import { takeRoad } from './take-road.ts'

/** Takes one event of the inbox where it belongs. Its last commit marks the row as handled, in one transaction with what it caused. */
export async function route(house: House, row: InboxRow): Promise<void> {
  switch (row.event.kind) {
    case 'message':
    case 'press':
      return routeHuman(house, row, humanEventOf({ ...row, event: row.event }))
    case 'said':
      return done(house, row, 'said')
    case 'report':
      return routeReport(house, row, row.event)
    case 'moved':
      await house.store.moveChat(row.event.conversation.account, row.event.conversation.chat, row.event.toChat)
      return done(house, row, 'moved')
    case 'readdressed':
      return done(house, row, 'readdressed')
  }
}

async function routeHuman(house: House, row: InboxRow, event: HumanEvent): Promise<void> {
  const { conversation } = event
  const reading = await read(house, event, row.receivedAtMs)
  const naming = namingOf(event, reading)
  const situation = await house.store.situation({
    conversation,
    identity: event.sender.id,
    before: event.kind === 'message' ? event.moment : { atMs: row.receivedAtMs },
    inboxId: row.id,
    ...(naming === undefined ? {} : { naming }),
  })
  const target = targetOf(reading, situation, house.limits)
  house.count('road', { account: conversation.account, road: target.road })
  house.log.info(
    { inbox: row.id, road: target.road, ...('proposal' in target ? { proposal: target.proposal.id } : {}) },
    'routed',
  )
  await takeRoad(house, row, event, situation, target)
}

/** Reads the words or the control of an event by the pure readers. What is not plain text is read too, to be told why it does not count. */
async function read(house: House, event: HumanEvent, receivedAtMs: number): Promise<Reading> {
  if (event.kind === 'press') {
    const press = await pressOf(house, event)
    return { event, receivedAtMs, ...(press === undefined ? {} : { press }) }
  }
  const text = event.body.text
  const matched =
    text === undefined ? undefined : matchDecision(text, house.texts.vocabulary(house.localeOf(event.conversation.account)))
  return { event, receivedAtMs, ...(matched === undefined ? {} : { matched }) }
}

/** A control is bound to the chat it was shown in; where the provider has since renamed that chat, it was shown under an older name. */
async function pressOf(house: House, { payload, conversation }: InboundPress): Promise<Press | undefined> {
  const { account, chat } = conversation
  const readIn = (name: string) =>
    readPress(payload, { account, conversationKey: conversationKeyOf({ ...conversation, chat: name }) }, house.pressKeys)
  const press = readIn(chat)
  if (press !== undefined) return press
  for (const former of await house.store.formerChats(account, chat)) {
    const old = readIn(former)
    if (old !== undefined) return old
  }
  return undefined
}

function namingOf(event: InboundMessage | InboundPress, { matched, press }: Reading): Naming | undefined {
  if (event.kind === 'press') return press === undefined ? undefined : { by: 'proposal', id: press.proposalId }
  const code = event.body.kind === 'text' ? matched?.code : undefined
  // A code alone asks for its card, whatever the message replies to; a phrase in a reply is about what it replies to.
  if (code !== undefined && (matched?.kind === 'code' || event.reply.kind !== 'message')) return { by: 'code', code }
  return event.reply.kind === 'message' ? { by: 'message', messageId: event.reply.id } : undefined
}

/** The provider's later word about a message of ours: kept with its showing. */
async function routeReport(house: House, row: InboxRow, event: InboundReport): Promise<void> {
  await house.store.report(event.conversation.account, event.messageId, event.status, event.moment.atMs)
  return done(house, row, 'report')
}

async function done(house: House, row: InboxRow, road: string): Promise<void> {
  await house.store.commit({ handled: { inboxId: row.id, road, toAgent: false, by: house.owner } })
}
