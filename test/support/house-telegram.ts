import { createServer } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import type { Composition } from '../../src/compose.ts'
import type { WebhookAnswer } from '../../src/ports/channel.ts'
import { type BotApiServer, botApiServer } from './bot-api-server.ts'
import type { Message } from './bot-api-world.ts'
import { aHouse, embeddedStage, type HouseSettings, type TestHouse } from './house.ts'
import { newestCard, type Phone, type Seen } from './house-phones.ts'
import { Ledger } from './ledger.ts'
import { type LocalServer, listening } from './local-server.ts'

export const webhookSecret = 'a-secret_of_more_than_32_characters_0123'

/** A house with one Telegram bot behind a webhook, and people with Telegram in front of it. */
export interface TelegramHouse extends Omit<TestHouse, 'house' | 'composition'> {
  readonly house: TestHouse['house']
  readonly composition: Composition
  readonly server: BotApiServer
  /** A person in their own chat with the bot, or in a group. */
  phone(name: string, where?: { readonly in?: number; readonly topic?: number }): Phone
  /** Telegram hands over an update, as it is; resolves when it was acknowledged and all is quiet. */
  delivers(update: object): Promise<void>
  /** One request at the door, as it comes over the network. */
  request(body: string | Uint8Array, headers?: Readonly<Record<string, string>>): Promise<WebhookAnswer | undefined>
  /** The message that shows the newest card with this code in a chat. */
  cardIdOf(chat: number, code: string): string
  /** The clock of everybody here, in seconds. */
  nowS(): number
  /** The toast that answered a tap. */
  toast(pressId: string): string | undefined
  /** The process ends, and another one takes its place. `meanwhile` happens while nobody is there. */
  restart(meanwhile?: () => Promise<void>): Promise<void>
}

/** Composes a house whose account is a Telegram bot on a Bot API server of its own. */
export async function aTelegramHouse(settings: HouseSettings = {}): Promise<TelegramHouse> {
  await using cleanup = new AsyncDisposableStack()
  const { stage = await embeddedStage(), ledger = new Ledger() } = settings
  let aheadMs = 0
  const server = cleanup.use(
    await botApiServer({
      username: 'gestion_demo_bot',
      now: () => Math.floor((Date.now() + aheadMs) / 1000),
      redeliverAfterMs: 10,
    }),
  )
  let composition: Composition | undefined
  const request: TelegramHouse['request'] = async (body, headers = { 'x-telegram-bot-api-secret-token': webhookSecret }) =>
    await composition?.webhook('demo', {
      method: 'POST',
      headers,
      query: {},
      body: typeof body === 'string' ? Buffer.from(body) : body,
    })
  const door = cleanup.use(await serveDoor(request))
  const open = () =>
    aHouse({
      ...settings,
      stage,
      ledger,
      accounts: { demo: { channel: 'telegram', mode: 'webhook', apiRoot: server.url } },
      variables: {
        TELEGRAM_BOT_TOKEN: server.token,
        TELEGRAM_WEBHOOK_SECRET_TOKEN: webhookSecret,
        PUBLIC_URL: door.url,
        ...settings.variables,
      },
    })
  let test = await open()
  composition = test.composition
  const arrived = async (): Promise<void> => {
    while (server.updates.waiting.length > 0) await setTimeout(3)
  }
  const quiet = async () => {
    await arrived()
    await test.quiet()
  }
  const later = async (byMs: number) => {
    aheadMs += byMs
    await stage.moveClock(byMs)
  }
  const toast = (pressId: string) =>
    server.journal.flatMap((entry) => (entry.what === 'answered' && entry.pressId === pressId ? [entry.text] : []))[0]
  const closing = cleanup.move()
  return {
    stage,
    ledger,
    server,
    request,
    later,
    quiet,
    toast,
    cardIdOf: (chat, code) =>
      newestCard(
        server
          .shown(chat)
          .flatMap(seenOf)
          .filter((seen) => seen.code === code),
      ).id,
    nowS: () => Math.floor((Date.now() + aheadMs) / 1000),
    get house() {
      return test.house
    },
    get composition() {
      return test.composition
    },
    get turns() {
      return test.turns
    },
    get logged() {
      return test.logged
    },
    get counted() {
      return test.counted
    },
    read: () => later(4_000),
    proposals: () => test.proposals(),
    async delivers(update) {
      server.updates.post(update as Readonly<Record<string, unknown>>)
      await quiet()
    },
    async restart(meanwhile) {
      composition = undefined
      await test[Symbol.asyncDispose]()
      await meanwhile?.()
      test = await open()
      composition = test.composition
      await quiet()
    },
    phone(name, where = {}) {
      const person = server.person(name)
      const chat = where.in ?? person.user.id
      const sees = () =>
        server
          .shown(chat)
          .filter(({ message_thread_id: thread }) => thread === where.topic)
          .flatMap(seenOf)
      const card = () => newestCard(sees())
      const ready = async (atOnce = false) => {
        await quiet()
        if (!atOnce) await later(4_000)
      }
      return {
        sees,
        card,
        async says(text, { replyTo, atOnce } = {}) {
          await ready(atOnce)
          const id = person.says(text, { ...where, ...(replyTo === undefined ? {} : { replyTo: Number(replyTo) }) })
          await quiet()
          return String(id)
        },
        async presses(label, { on, atOnce } = {}) {
          await ready(atOnce)
          const pressId = person.taps(Number(on ?? card().id), label, where)
          await quiet()
          return toast(pressId) ?? ''
        },
      }
    },
    async [Symbol.asyncDispose]() {
      composition = undefined
      await using _after = closing
      await test[Symbol.asyncDispose]()
    },
  }
}

/** Serves the webhook as the gateway's server does; while no house stands behind it nobody is there. */
export async function serveDoor(request: TelegramHouse['request']): Promise<LocalServer> {
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]))
    const answer = await request(Buffer.concat(chunks), headers)
    response.writeHead(answer?.status ?? 502).end(answer?.body)
  })
  return await listening(server)
}

/** A message with a code and the words to type is a card; Telegram itself knows only texts with buttons. */
function seenOf({ message_id: id, text, reply_markup: keyboard }: Message): readonly Seen[] {
  if (text === undefined) return []
  const labels = keyboard?.inline_keyboard.flat().map((button) => button.text) ?? []
  const isList = labels.some((label) => label.includes('#'))
  const isCard = /Cajas: \d/.test(text)
  const code = /#([2-9A-Z]{4})/.exec(text)?.[1]
  return [
    { id: String(id), kind: isList ? 'list' : isCard ? 'card' : 'text', text, labels, ...(code === undefined ? {} : { code }) },
  ]
}
