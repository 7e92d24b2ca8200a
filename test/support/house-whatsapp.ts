import { setTimeout } from 'node:timers/promises'
import { pairNumber } from '../../src/channels/whatsapp-baileys/pair.ts'
import type { AccountInput } from '../../src/config/config.ts'
import type { Log } from '../../src/ports/log.ts'
import { openVault } from '../../src/store/vault.ts'
import type { Person } from './graph-people.ts'
import { type GraphServer, graphServer } from './graph-server.ts'
import { aHouse, embeddedStage, type HouseSettings, type Stage, secretKey, type TestHouse } from './house.ts'
import { seenOf } from './house-cloud.ts'
import { newestCard, type Phone, type Seen } from './house-phones.ts'
import { Ledger } from './ledger.ts'
import { until } from './until.ts'
import {
  type Phone as LinkedPhone,
  type Seen as OnPhone,
  type OwnPhone,
  startWhatsAppServer,
  trusting,
  type WhatsAppServer,
} from './whatsapp-server/index.ts'
import { stagedPhone } from './whatsapp-stage.ts'

/** One person, as a linked device and as the Cloud API meet them. Their chat is two here: what was said in one is not copied. */
export interface Customer {
  readonly linked: LinkedPhone
  readonly cloud: Person
}

/** Who they are: digits, and a business-scoped id. */
interface Ids {
  readonly lid: string
  readonly phone: string
  readonly userId: string
  /** The linked device is not told their number. */
  readonly hidesPhone?: true
}

export type Transport = 'whatsapp-baileys' | 'whatsapp-cloud'

/** A house that has the number, through one of both. */
export interface NumberHouse extends TestHouse {
  phone(customer: Customer): Phone
  /** From now on their phone is off: nothing is reported as delivered. */
  turnsOff(customer: Customer): void
}

/**
 * The number of a shop, `tienda`, on a WhatsApp of this machine and on a Graph API of this machine, with one clock. Houses over one
 * database have it in turn: the one before is disposed before the next is opened.
 */
export interface ShopNumber extends AsyncDisposable {
  readonly stage: Stage
  readonly ledger: Ledger
  readonly whatsapp: WhatsAppServer
  readonly own: OwnPhone
  readonly graph: GraphServer
  customer(name: string, ids: Ids): Promise<Customer>
  /** As `dale pair whatsapp` does. */
  pair(): Promise<void>
  opens(transport: Transport, settings?: HouseSettings & { readonly controls?: 'words' | 'poll' }): Promise<NumberHouse>
  /** Moves the clock of everybody. */
  later(byMs: number): Promise<void>
}

const account = 'tienda'

export async function aShopNumber(): Promise<ShopNumber> {
  await using cleanup = new AsyncDisposableStack()
  const stage = await embeddedStage()
  const ledger = new Ledger()
  let aheadMs = 0
  const nowMs = () => Date.now() + aheadMs
  const whatsapp = cleanup.use(await startWhatsAppServer())
  trusting(whatsapp)
  whatsapp.clock = nowMs
  const own = await whatsapp.number(stagedPhone)
  const graph = cleanup.use(await graphServer({ now: () => Math.floor(nowMs() / 1000), displayNumber: stagedPhone }))
  const later = async (byMs: number) => {
    aheadMs += byMs
    await stage.moveClock(byMs)
  }
  const accountOf = (transport: Transport, controls: 'words' | 'poll'): AccountInput =>
    transport === 'whatsapp-cloud'
      ? { channel: transport, apiRoot: graph.url }
      : { channel: transport, serverUrl: whatsapp.url, controls }
  const closing = cleanup.move()
  return {
    stage,
    ledger,
    whatsapp,
    own,
    graph,
    later,
    async customer(name, { lid, phone, userId, hidesPhone }) {
      const linked = await whatsapp.person(name, { lid, ...(hidesPhone === undefined ? { phone } : {}) })
      return { linked, cloud: graph.person(name, { userId, waId: phone }) }
    },
    async pair() {
      await using vault = openVault(stage.footing, { current: Buffer.from(secretKey, 'hex') })
      const about = {
        account,
        controls: 'words',
        serverUrl: whatsapp.url,
        vault,
        leases: stage.store,
        owner: 'pair',
        log: silent,
      } as const
      const shown = { qr: (qr: string) => void own.scans(qr), code: () => {} }
      const paired = await pairNumber(about, { again: false }, shown, new AbortController().signal)
      if (paired.kind !== 'paired') throw new Error(`not paired: ${paired.kind}`)
    },
    async opens(transport, { controls = 'words', ...settings } = {}) {
      const test = await aHouse({
        ...settings,
        stage,
        ledger,
        accounts: { [account]: accountOf(transport, controls) },
        variables: {
          WHATSAPP_ACCESS_TOKEN: graph.token,
          WHATSAPP_APP_SECRET: graph.appSecret,
          WHATSAPP_PHONE_NUMBER_ID: graph.phoneNumberId,
          WHATSAPP_VERIFY_TOKEN: 'my-token',
        },
      })
      return transport === 'whatsapp-cloud' ? onCloud(test, graph, later) : await onLinkedDevice(test, whatsapp, later, nowMs())
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

const silent: Log = { info: () => {}, warn: () => {}, error: () => {} }

/** Somebody who writes once what stands there has been read. */
const phoneOf = (
  house: Pick<TestHouse, 'quiet' | 'read'>,
  sees: () => readonly Seen[],
  does: {
    readonly says: (text: string, replyTo?: string) => Promise<string>
    readonly presses: (on: string, label: string) => Promise<void>
  },
): Phone => {
  const card = () => newestCard(sees())
  const ready = async (atOnce = false) => {
    await house.quiet()
    if (!atOnce) await house.read()
  }
  return {
    sees,
    card,
    async says(text, { replyTo, atOnce } = {}) {
      await ready(atOnce)
      const id = await does.says(text, replyTo)
      await house.quiet()
      return id
    },
    async presses(label, { on, atOnce } = {}) {
      await ready(atOnce)
      await does.presses(on ?? card().id, label)
      await house.quiet()
      return sees().at(-1)?.text ?? ''
    },
  }
}

function onCloud(test: TestHouse, graph: GraphServer, later: (byMs: number) => Promise<void>): NumberHouse {
  graph.webhooks.connect(async (request) => await test.composition.webhook(account, request))
  const quiet = async () => {
    do {
      while (graph.webhooks.waiting > 0) await setTimeout(3)
      await test.quiet()
    } while (graph.webhooks.waiting > 0)
  }
  const house = { ...test, later, quiet, read: () => later(4_000) }
  return {
    ...house,
    turnsOff: ({ cloud }) => cloud.turns('off'),
    phone: ({ cloud }) =>
      phoneOf(house, () => graph.shown(cloud.chat).map(seenOf), {
        says: async (text, replyTo) => cloud.says(text, replyTo === undefined ? {} : { replyTo }),
        presses: async (on, label) => void cloud.taps(on, label),
      }),
    async [Symbol.asyncDispose]() {
      graph.webhooks.connect(undefined)
      await test[Symbol.asyncDispose]()
    },
  }
}

async function onLinkedDevice(
  test: TestHouse,
  whatsapp: WhatsAppServer,
  later: (byMs: number) => Promise<void>,
  openedAtMs: number,
): Promise<NumberHouse> {
  await whatsapp.connected(stagedPhone)
  const { run } = test.stage
  let isReached = true
  /** Everything that this house sent to a phone that is on was reported as delivered. */
  const delivered = async () => {
    const rows = await run(
      `select from dale.outbox o where o.outcome = 'accepted' and o.settled_at >= $1
        and exists (select from dale.sent_message m where m.outbox = o.id)
        and not exists (select from dale.sent_message m join dale.report r on r.account = m.account and r.message_id = m.message_id
          where m.outbox = o.id and r.status in ('delivered', 'read')) limit 1`,
      [openedAtMs],
    )
    return rows.length === 0
  }
  const quiet = async () => {
    await test.quiet()
    if (isReached) await until(delivered)
    await test.quiet()
  }
  const house = { ...test, later, quiet, read: () => later(4_000) }
  const arrived = (id: string) =>
    until(async () => (await run(`select from dale.inbox where provider_id like '%' || $1`, [id])).length > 0)
  return {
    ...house,
    turnsOff({ linked }) {
      isReached = false
      linked.goesAway()
    },
    phone: ({ linked }) =>
      phoneOf(
        house,
        () =>
          linked
            .sees()
            .filter(({ by }) => by === 'account')
            .flatMap(seenOnLinked),
        {
          async says(text, replyTo) {
            const id = await linked.says(text, replyTo === undefined ? {} : { replyTo })
            await arrived(id)
            return id
          },
          presses: async (on, label) => await arrived(await linked.votes(on, label)),
        },
      ),
  }
}

/** A card is a text with its key field; the poll under it has the controls. */
function seenOnLinked({ id, text = '', poll }: OnPhone): readonly Seen[] {
  const code = [...text.matchAll(/#([2-9A-Z]{4})(?![0-9A-Za-z])/g)].at(-1)?.[1]
  const about = { id, text, labels: poll?.options ?? [], ...(code === undefined ? {} : { code }) }
  if (poll !== undefined) return [{ ...about, kind: 'other' }]
  return text === '' ? [] : [{ ...about, kind: /Cajas: \d/.test(text) ? 'card' : 'text' }]
}
