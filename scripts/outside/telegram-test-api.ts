import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { aBot, type Checks } from './bot.ts'

/** What is used of the package. */
interface Server {
  readonly config: { readonly apiURL: string }
  start(): Promise<void>
  stop(): Promise<unknown>
  getClient(token: string, about: { readonly userId: number; readonly chatId: number; readonly firstName: string }): Client
  /** What its `/sendMessage` does with a person's message, and the answer of the webhook. */
  addUserMessage(message: unknown): Promise<void>
}
interface Client {
  makeMessage(text: string): unknown
  sendMessage(message: unknown): Promise<unknown>
  makeCallbackQuery(payload: string, about: object): unknown
  sendCallback(query: unknown): Promise<unknown>
}

/**
 * What it does otherwise than Telegram: holds no poll and confirms an update by handing it out, whatever the offset; dates an accepted
 * message in milliseconds; knows no secret for webhooks; takes every edit and every answer to a tap, and tells nobody. A tap made by
 * its client names no message: Telegram's always does, so here it is put in.
 */
export async function runTelegramTestApi(folder: string, check: Checks): Promise<void> {
  const TelegramServer: new (about: { readonly port: number; readonly host: string }) => Server = createRequire(
    join(folder, 'index.js'),
  )('telegram-test-api')
  const server = new TelegramServer({ port: await freePort(), host: '127.0.0.1' })
  await server.start()
  try {
    const far = { apiRoot: server.config.apiURL, token: '666:AAtest_token_of_no_bot' }
    const ana = server.getClient(far.token, { userId: 42000001, chatId: 42000001, firstName: 'Ana' })
    const says = (text: string) => ana.sendMessage(ana.makeMessage(text))
    await taps(far, ana, says, check)
    await knocks(server, far, ana, check)
  } finally {
    await server.stop()
  }
}

type Far = Parameters<typeof aBot>[0]

async function taps(far: Far, ana: Client, says: (text: string) => Promise<unknown>, check: Checks): Promise<void> {
  await using bot = await aBot(far, 'polling')
  const tap = (payload: string | undefined, on: number) => {
    assert(payload !== undefined)
    return ana.sendCallback(ana.makeCallbackQuery(payload, { message: { message_id: on, date: Math.floor(Date.now() / 1000) } }))
  }
  const toasts = () => bot.calls.filter(({ method }) => method === 'answerCallbackQuery').map(({ payload }) => payload.text)
  let confirm: string | undefined
  let cardId = 0

  await check('a message brings a card with two buttons, and nothing is done', async () => {
    const card = await bot.cardFor(says('pay 5'), 'Pay 5')
    assert.deepEqual(Object.keys(card.buttons), ['Confirm', 'Cancel'])
    assert.deepEqual(bot.paid, [])
    confirm = card.buttons.Confirm
    cardId = card.id
  })
  await check('a tap is answered and runs once; the card loses its buttons, the outcome follows', async () => {
    await tap(confirm, cardId)
    await bot.showing(({ text }) => text.startsWith('Done: Pay 5'))
    const card = await bot.showing(({ id, text }) => id === cardId && text.startsWith('✔ Done.'))
    assert.deepEqual([card.buttons, bot.paid.length, toasts()], [{}, 1, ['Got it, I am on it.']])
  })
  await check('a second tap on it is told the state and does nothing', async () => {
    await tap(confirm, cardId)
    await bot.until(() => toasts().length === 2)
    assert.deepEqual([toasts()[1], bot.paid.length], ['Done: Pay 5', 1])
  })
  await check('a tap on Cancel does nothing, and says so', async () => {
    const card = await bot.cardFor(says('pay 6'), 'Pay 6')
    await tap(card.buttons.Cancel, card.id)
    await bot.showing(({ text }) => text.startsWith('Cancelled. Nothing was done.'))
    assert.deepEqual(
      bot.paid.map(({ amount }) => amount),
      [5],
    )
  })
  await check('a typed yes decides, although the card came with no usable time', async () => {
    await bot.cardFor(says('pay 7'), 'Pay 7')
    await setTimeout(1100) // By our own clock only a later second is later.
    await says('yes')
    await bot.showing(({ text }) => text.startsWith('Done: Pay 7'))
  })
  await check('a server that holds no poll is not asked in a hot loop', async () => {
    const polls = () => bot.calls.filter(({ method }) => method === 'getUpdates').length
    const before = polls()
    await setTimeout(2000)
    assert(polls() - before <= 5, `${polls() - before} polls in two seconds`)
  })
}

async function knocks(server: Server, far: Far, ana: Client, check: Checks): Promise<void> {
  await using bot = await aBot(far, 'webhook')
  await check('its webhook, which carries no secret, is refused with 401 and not read', async () => {
    const before = bot.calls.length
    await assert.rejects(server.addUserMessage(ana.makeMessage('pay 8')), /401/)
    assert.deepEqual([bot.door.statuses, bot.calls.slice(before)], [[401], []])
  })
}

/** It takes port 0 for none and listens on 9000. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return address.port
}
