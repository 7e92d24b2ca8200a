import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../../scripts/free-port.ts'
import { type BotApiServer, botApiServer } from '../support/bot-api-server.ts'
import { aDatabase, empty, moveClock, type TestDatabase } from '../support/database.ts'
import { describeOn } from '../support/describe-on.ts'
import { type FaultyLine, faultyLine } from '../support/faulty-line.ts'
import { ledgerServer } from '../support/ledger-server.ts'
import { DaleProcess, type ProcessSettings } from '../support/processes.ts'
import { OwnRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'

const timeout = 120_000
// Longer than all that the clock is moved between two renewals, which come by the real time.
const ttlMs = 120_000

describeOn('redis-server', 'gateways that share an account with a line, and a worker', () => {
  let database: TestDatabase
  let redis: OwnRedis
  beforeAll(async () => {
    ;[database, redis] = await Promise.all([aDatabase(), OwnRedis.started()])
  }, timeout)
  afterAll(async () => {
    await redis[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  /** A far side, and processes; the worker cannot reach the provider at all. */
  async function aTown() {
    await using cleanup = new AsyncDisposableStack()
    await empty(database)
    let aheadMs = 0
    const server = cleanup.use(
      await botApiServer({ username: 'gestion_demo_bot', now: () => Math.floor((Date.now() + aheadMs) / 1000) }),
    )
    const ledger = cleanup.use(await ledgerServer())
    const open = cleanup.move()
    const settings = async (owner: string, apiRoot: string, what: Pick<ProcessSettings, 'gateway' | 'workers'>) => ({
      ...what,
      apiRoot,
      token: server.token,
      ledger: ledger.url,
      databaseUrl: database.url,
      redisUrl: redis.url,
      lined: { owner, ttlMs },
    })
    const gateway = async (owner: string): Promise<{ readonly house: DaleProcess; readonly wire: FaultyLine }> => {
      const wire = open.use(await faultyLine('127.0.0.1', Number(new URL(server.url).port)))
      const apiRoot = `http://127.0.0.1:${wire.port}`
      const house = await DaleProcess.started(await settings(owner, apiRoot, { gateway: true, workers: false }))
      return { house: open.use(house), wire }
    }
    const nowhere = `http://127.0.0.1:${await freePort()}`
    const worker = async () =>
      open.use(await DaleProcess.started(await settings('worker', nowhere, { gateway: false, workers: true })))
    const later = async (byMs: number) => {
      aheadMs += byMs
      await moveClock(database, byMs)
    }
    return { server, ledger, gateway, worker, later, [Symbol.asyncDispose]: () => open.disposeAsync() }
  }

  const waiting = async () =>
    Number((await database.run('select count(*)::int as rows from dale.outbox where settled_at is null'))[0]?.rows)

  /** A person asks for boxes and gets the card; ready to be tapped. */
  async function asks(server: BotApiServer, name: string, cajas: number) {
    const person = server.person(name)
    const texts = () => server.shown(person.user.id).map(({ text }) => text ?? '')
    const card = () => server.shown(person.user.id).findLast(({ text }) => text?.includes(`Cajas: ${cajas}`))
    person.says(`registrá ${cajas} cajas`)
    // On the phone is not yet written down: from there on its time is counted.
    await until(async () => card()?.reply_markup !== undefined && (await waiting()) === 0)
    return {
      person,
      texts,
      cardId: () => card()?.message_id ?? 0,
      done: () => texts().filter((text) => text.startsWith('Hecho: ')),
    }
  }

  it('say each message once where the line is, take over after a kill and at an end, and go on without the queue', {
    timeout,
  }, async () => {
    await using town = await aTown()
    const { server, ledger, later } = town
    const a = await town.gateway('a')
    await until(() => server.calls.some(({ method }) => method === 'getUpdates'))
    const b = await town.gateway('b')
    await town.worker()

    // What the worker writes is sent by the gateway that holds the line, at once.
    for (let cajas = 1; cajas <= 5; cajas += 1) {
      const { person, cardId, done } = await asks(server, `Ana ${cajas}`, cajas)
      await later(4_000)
      const held = ledger.hold(cajas, 'done')
      person.taps(cardId(), 'Confirmar')
      await held
      ledger.release()
      await until(() => done().length === 1)
    }
    const asking = new Redis(redis.url)
    expect(await asking.xlen('dale:deliveries.demo:events')).toBeGreaterThan(0)
    expect(await asking.xlen('dale:deliveries:events')).toBe(0)
    asking.disconnect()
    expect(b.wire.connections).toBe(0)

    // The holder dies; what is written meanwhile waits, and is sent by the other once the lease is over.
    const beto = await asks(server, 'Beto', 12)
    await later(4_000)
    const held = ledger.hold(12, 'arrived')
    beto.person.taps(beto.cardId(), 'Confirmar')
    await held
    await until(async () => (await waiting()) === 0)
    await a.house.kill()
    ledger.release()
    await until(async () => (await waiting()) > 0)
    expect(beto.done()).toEqual([])
    expect(b.wire.connections).toBe(0)
    await later(ttlMs)
    await until(() => beto.done().length === 1)
    expect(b.wire.connections).toBeGreaterThan(0)

    // Without the queue: the worker's sweep does the work, and only the holder sends.
    await redis.kill()
    const carla = await asks(server, 'Carla', 20)
    await redis.start()

    // An end gives the line up at once, without waiting for the lease.
    const c = await town.gateway('c')
    expect(c.wire.connections).toBe(0)
    await b.house.drain()
    await later(4_000)
    carla.person.taps(carla.cardId(), 'Confirmar')
    await until(() => carla.done().length === 1)
    expect(c.wire.connections).toBeGreaterThan(0)
    await until(async () => (await waiting()) === 0)

    const sent = server.journal.flatMap((entry) => (entry.what === 'sent' && entry.by === 'bot' ? [entry.message] : []))
    const twice = sent.filter(
      (one, place) => sent.findIndex(({ chat, text }) => chat.id === one.chat.id && text === one.text) < place,
    )
    expect(twice).toEqual([])
    expect(ledger.effects.map(({ cajas }) => cajas)).toEqual([1, 2, 3, 4, 5, 12, 20])
    expect(await database.run('select max(attempts)::int as attempts from dale.outbox')).toEqual([{ attempts: 1 }])
  })

  it('a card that may have arrived when its holder died comes once more from the next, says so, and is the same', {
    timeout,
  }, async () => {
    await using town = await aTown()
    const { server, ledger, later } = town
    const a = await town.gateway('a')
    await until(() => server.calls.some(({ method }) => method === 'getUpdates'))
    await town.gateway('b')
    await town.worker()
    const ana = server.person('Ana')
    const cards = () => server.shown(ana.user.id).filter(({ text }) => text?.includes('Cajas: 3'))
    ana.says('anotá 3 cajas')
    // Telegram has the card, and its answer never comes; the gateway dies before it could write that down.
    server.fail('sendMessage', { silent: true })
    await until(() => cards().length === 1)
    await a.house.kill()
    await later(61_000)
    await until(async () => cards().length === 2 && (await waiting()) === 0)
    const codeOf = (text = '') => /#([2-9A-Z]{4})/.exec(text)?.[1]
    expect(codeOf(cards()[1]?.text)).toBe(codeOf(cards()[0]?.text))
    expect(cards()[1]?.text).not.toBe(cards()[0]?.text)
    await later(4_000)
    ana.taps(cards()[1]?.message_id ?? 0, 'Confirmar')
    await until(() => server.shown(ana.user.id).some(({ text }) => text?.startsWith('Hecho: ')))
    await until(async () => (await waiting()) === 0)
    expect(ledger.effects).toHaveLength(1)
    expect(cards()).toHaveLength(2)
  })
})
