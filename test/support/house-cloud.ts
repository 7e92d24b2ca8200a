import { setTimeout } from 'node:timers/promises'
import type { WebhookAnswer } from '../../src/ports/channel.ts'
import { lookOf } from './graph-look.ts'
import type { Person } from './graph-people.ts'
import { type GraphServer, graphServer } from './graph-server.ts'
import type { Message, User } from './graph-world.ts'
import { aHouse, embeddedStage, type HouseSettings, type TestHouse } from './house.ts'
import { newestCard, type Phone, type Seen } from './house-phones.ts'
import { Ledger } from './ledger.ts'

/** A person's phone with the Cloud API's number in it. */
export interface CloudPhone extends Phone {
  readonly person: Person
}

/** A house with one WhatsApp number behind signed webhooks, and people with WhatsApp in front of it. */
export interface CloudHouse extends TestHouse {
  readonly server: GraphServer
  /** A person in their own chat with the account, or in a group. */
  phone(name: string, about?: Partial<User>, where?: { readonly in?: string }): CloudPhone
  /** The platform hands over a webhook's body, as it is; resolves when it was acknowledged and all is quiet. */
  delivers(body: object): Promise<void>
  /** One request at the door. */
  request(body: Uint8Array, headers: Readonly<Record<string, string>>): Promise<WebhookAnswer | undefined>
  /** The clock of everybody here, in seconds. */
  nowS(): number
}

/** Composes a house whose account is a WhatsApp number on a Graph API of its own. */
export async function aCloudHouse(
  settings: HouseSettings & { readonly template?: { readonly name: string; readonly language: string } } = {},
): Promise<CloudHouse> {
  const { template, ...others } = settings
  const { stage = await embeddedStage(), ledger = new Ledger() } = others
  await using cleanup = new AsyncDisposableStack()
  let aheadMs = 0
  const nowS = () => Math.floor((Date.now() + aheadMs) / 1000)
  const server = cleanup.use(await graphServer({ now: nowS }))
  const test = cleanup.use(
    await aHouse({
      ...others,
      stage,
      ledger,
      accounts: {
        demo: { channel: 'whatsapp-cloud', apiRoot: server.url, ...(template === undefined ? {} : { template }) },
        ...others.accounts,
      },
      variables: {
        WHATSAPP_ACCESS_TOKEN: server.token,
        WHATSAPP_APP_SECRET: `${server.appSecret},an-older-secret`,
        WHATSAPP_PHONE_NUMBER_ID: server.phoneNumberId,
        WHATSAPP_VERIFY_TOKEN: 'my-token',
        ...others.variables,
      },
    }),
  )
  server.webhooks.connect(async (request) => await test.composition.webhook('demo', request))
  const quiet = async () => {
    do {
      while (server.webhooks.waiting > 0) await setTimeout(3)
      await test.quiet()
    } while (server.webhooks.waiting > 0)
  }
  const later = async (byMs: number) => {
    aheadMs += byMs
    await stage.moveClock(byMs)
  }
  const closing = cleanup.move()
  return {
    ...test,
    server,
    later,
    quiet,
    nowS,
    read: () => later(4_000),
    async delivers(body) {
      server.webhooks.raw(body)
      await quiet()
    },
    request: async (body, headers) => await test.composition.webhook('demo', { method: 'POST', headers, query: {}, body }),
    phone(name, about = {}, where = {}) {
      const person = server.person(name, about)
      const chat = where.in ?? person.chat
      const sees = () => server.shown(chat).map(seenOf)
      const card = () => newestCard(sees())
      const ready = async (atOnce = false) => {
        await quiet()
        if (!atOnce) await later(4_000)
      }
      return {
        person,
        sees,
        card,
        async says(text, { replyTo, atOnce } = {}) {
          await ready(atOnce)
          const id = person.says(text, { ...where, ...(replyTo === undefined ? {} : { replyTo }) })
          await quiet()
          return id
        },
        async presses(label, { on, atOnce } = {}) {
          await ready(atOnce)
          person.taps(on ?? card().id, label)
          await quiet()
          return sees().at(-1)?.text ?? ''
        },
      }
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

/** A message with the words to type and its key field is a card; WhatsApp itself knows only texts and buttons. */
export function seenOf({ id, body, buttons }: Message): Seen {
  const { text } = lookOf(body)
  const labels = buttons.map(({ title }) => title)
  const isList = labels.some((label) => label.includes('#'))
  const isCard = /Cajas: \d/.test(text)
  const code = [...text.matchAll(/#([2-9A-Z]{4})(?![0-9A-Za-z])/g)].at(-1)?.[1]
  return { id, kind: isList ? 'list' : isCard ? 'card' : 'text', text, labels, ...(code === undefined ? {} : { code }) }
}
