import { conversationKeyOf } from '../core/conversation.ts'
import { matchEdit, matchReason } from '../core/edit-words.ts'
import { BrokenInvariantError } from '../core/errors.ts'
import { fold } from '../core/fold.ts'
import type { HumanEvent } from '../core/human-event.ts'
import type { InboundMessage, InboundPress, InboundReport } from '../core/inbound.ts'
import { matchDecision } from '../core/match.ts'
import { type Press, readPress } from '../core/press.ts'
import type { Situation } from '../core/situation.ts'
import { type Reading, targetOf } from '../core/target.ts'
import type { InboxRow, Naming } from '../ports/store.ts'
import type { ActiveWords } from '../ports/words.ts'
import type { House } from './house.ts'
import { keepMissed } from './missed.ts'
import { humanEventOf } from './receive.ts'
import { reportOf } from './record-report.ts'
import { takeFailure } from './take-failure.ts'
import { takeRoad } from './take-road.ts'
import { type Judged, untilDelivered } from './until-delivered.ts'
import { withChosen } from './with-chosen.ts'

/** Takes one event of the inbox where it belongs. Its last commit marks the row as handled, in one transaction with what it caused. */
export async function route(house: House, row: InboxRow): Promise<void> {
  switch (row.event.kind) {
    case 'message':
    case 'press':
      return routeHuman(house, row, humanEventOf({ ...row, event: row.event }))
    case 'said':
      return done(house, row, 'said')
    case 'report':
      return routeFailure(house, row, row.event)
    case 'moved':
      await house.store.moveChat(row.event.conversation.account, row.event.conversation.chat, row.event.toChat)
      return done(house, row, 'moved')
    case 'readdressed':
      // What it undid was undone when it was stored.
      house.log.warn({ inbox: row.id, account: row.event.conversation.account }, 'readdressed')
      house.count('readdressed', { account: row.event.conversation.account })
      return done(house, row, 'readdressed')
  }
}

async function routeHuman(house: House, row: InboxRow, event: HumanEvent): Promise<void> {
  const { conversation } = event
  const { reading, situation, target } = await untilDelivered(house, row, () => judge(house, row, event))
  house.count('road', { account: conversation.account, road: target.road })
  house.log.info(
    { inbox: row.id, road: target.road, ...('proposal' in target ? { proposal: target.proposal.id } : {}) },
    'routed',
  )
  await keepMissed(house, row, event, reading, situation, target)
  await takeRoad(house, row, event, situation, target)
}

async function judge(house: House, row: InboxRow, event: HumanEvent): Promise<Judged> {
  const { reading, situation } = await readIn(house, row, event)
  return { reading, situation, target: targetOf(reading, situation, house.limits) }
}

/** As often as words can change while one message is read; a store that says another thing each time is broken. */
const readingsAllowed = 10

/**
 * Reads an event and its situation by the words that are active at that moment of the database, whichever process made them active: where
 * the situation names another row than the words were read by, both are read again.
 */
async function readIn(
  house: House,
  row: InboxRow,
  event: HumanEvent,
): Promise<{ readonly reading: Reading; readonly situation: Situation }> {
  const { conversation } = event
  for (let readings = 0; readings < readingsAllowed; readings += 1) {
    const words = house.words.of(conversation.account)
    const reading = await read(house, event, row.receivedAtMs, words)
    const naming = namingOf(event, reading)
    const situation = await house.store.situation({
      conversation,
      identity: event.sender.id,
      before: event.moment ?? { atMs: row.receivedAtMs },
      inboxId: row.id,
      ...(naming === undefined ? {} : { naming }),
    })
    if (words.row !== undefined && words.row === situation.vocabulary)
      return { reading, situation: await withChosen(house, situation) }
    await house.words.follow()
  }
  throw new BrokenInvariantError(`The words of ${conversation.account} are never those that the database says`)
}

/** Reads the words or the control of an event by the pure readers. What is not plain text is read too, to be told why it does not count. */
async function read(house: House, event: HumanEvent, receivedAtMs: number, words: ActiveWords): Promise<Reading> {
  if (event.kind === 'press') {
    const press = await pressOf(house, event)
    return { event, receivedAtMs, ...(press === undefined ? {} : { press }) }
  }
  const text = event.body.text
  const matched = text === undefined ? undefined : matchDecision(text, words.vocabulary)
  const editing = event.body.kind === 'text' && matched === undefined ? matchEdit(event.body.text, words.vocabulary) : undefined
  const refusing =
    event.body.kind === 'text' && matched === undefined ? matchReason(event.body.text, words.vocabulary) : undefined
  if (matched === undefined)
    return {
      event,
      receivedAtMs,
      ...(editing === undefined ? {} : { editing }),
      ...(refusing === undefined ? {} : { refusing }),
    }
  const since = matched.kind === 'phrase' ? words.activeSinceMs[fold(matched.phrase)] : undefined
  return {
    event,
    receivedAtMs,
    matched,
    vocabularyVersion: words.vocabulary.version,
    ...(house.channels.get(event.conversation.account)?.capabilities.reportsDelivery === true ? { reportsDelivery: true } : {}),
    ...(since === undefined ? {} : { activeSinceMs: since }),
  }
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

function namingOf(event: InboundMessage | InboundPress, { matched, editing, refusing, press }: Reading): Naming | undefined {
  if (event.kind === 'press') return press === undefined ? undefined : { by: 'proposal', id: press.proposalId }
  const code = event.body.kind === 'text' ? (matched ?? editing ?? refusing)?.code : undefined
  // A code alone asks for its card, whatever the message replies to; a phrase in a reply is about what it replies to.
  if (code !== undefined && (matched?.kind === 'code' || event.reply.kind !== 'message')) return { by: 'code', code }
  return event.reply.kind === 'message' ? { by: 'message', messageId: event.reply.id } : undefined
}

/** Of reports only failures come this far: gateway/record-report.ts. */
async function routeFailure(house: House, row: InboxRow, event: InboundReport): Promise<void> {
  const { account } = event.conversation
  house.log.warn({ inbox: row.id, account, code: event.code }, 'failed_later')
  house.count('failed_later', { account })
  await takeFailure(house, reportOf(event), { handled: handledAs(house, row, 'report') })
}

const handledAs = (house: House, row: InboxRow, road: string) => ({ inboxId: row.id, road, toAgent: false, by: house.owner })

async function done(house: House, row: InboxRow, road: string): Promise<void> {
  await house.store.commit({ handled: handledAs(house, row, road) })
}
