import { setTimeout } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { takeIn } from '../../src/gateway/take-in.ts'
import { aDatabase, type TestDatabase } from '../support/database.ts'
import { describeOn } from '../support/describe-on.ts'
import { aHouse, type HouseSettings, postgresStage, type Stage } from '../support/house.ts'
import { judged, raceEnds, racers, seeded, shuffled, waitingProposals, words } from '../support/house-races.ts'
import { aTelegramHouse } from '../support/house-telegram.ts'
import { bookingAction, Ledger } from '../support/ledger.ts'
import { OwnRedis } from '../support/redis.ts'
import { asAdmin } from '../support/services.ts'
import { until } from '../support/until.ts'

const timeout = 60_000

describeOn('redis-server', 'while Redis', () => {
  let database: TestDatabase
  let redis: OwnRedis
  beforeAll(async () => {
    ;[database, redis] = await Promise.all([aDatabase(), OwnRedis.started()])
  }, timeout)
  afterAll(async () => {
    await redis[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  const withRedis = (stage: Stage, ledger: Ledger): HouseSettings => ({
    stage,
    ledger,
    actions: [bookingAction(ledger, { mode: 'naive' })],
    people: racers,
    trouble: true,
    variables: { DATABASE_URL: database.url, REDIS_URL: redis.url },
  })

  it('B73: forgets everything, whatever was approved is run, once', { timeout }, async () => {
    await using stage = await postgresStage(database)
    const ledger = new Ledger()
    await using gateway = await aHouse({ ...withRedis(stage, ledger), start: { gateway: true, workers: false } })
    await until(() => gateway.house.bell.isUp())
    const proposals = await waitingProposals(stage, 'pending', 50)
    const nowMs = await stage.store.now()
    for (const proposal of proposals) await takeIn(gateway.house, 'demo', [words('carla', proposal, 'sí', nowMs)])
    await judged(stage)
    const client = new Redis(redis.url)
    await client.flushall()
    client.disconnect()
    expect(ledger.calls).toEqual([])
    await using worker = await aHouse(withRedis(stage, ledger))
    await worker.quiet()
    for (const { state } of await raceEnds(stage, proposals)) expect(state).toBe('succeeded')
    expect(ledger.calls).toHaveLength(50)
  })

  it('BQ-020 B74: is away, a decision stands at once and is run within ten seconds all the same', { timeout }, async () => {
    await using stage = await postgresStage(database)
    const ledger = new Ledger()
    await using test = await aHouse(withRedis(stage, ledger))
    await until(() => test.house.bell.isUp())
    await redis.kill()
    try {
      await until(() => !test.house.bell.isUp())
      const proposals = await waitingProposals(stage, 'pending', 10)
      const nowMs = await stage.store.now()
      const began = performance.now()
      for (const proposal of proposals) await takeIn(test.house, 'demo', [words('carla', proposal, 'sí', nowMs)])
      await judged(stage)
      const decidedMs = performance.now() - began
      expect((await raceEnds(stage, proposals)).every(({ finals }) => finals[0] === 'carla approve')).toBe(true)
      await until(() => ledger.calls.length === 10)
      expect(decidedMs).toBeLessThan(5_000)
      expect(performance.now() - began).toBeLessThan(10_000 + decidedMs)
      expect(await test.composition.readiness()).toMatchObject({
        ok: false,
        parts: { database: { state: 'up' }, queue: { state: 'down' } },
      })
    } finally {
      await redis.start()
    }
    await test.quiet()
    expect(ledger.calls).toHaveLength(10)
  })
})

describeOn('postgres', 'while PostgreSQL', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await aDatabase()
  }, timeout)
  afterAll(async () => await database[Symbol.asyncDispose]())

  it('B75: ends its connections during decisions, no event is acknowledged without a row, none is lost, and none counts twice', {
    timeout,
  }, async () => {
    await using stage = await postgresStage(database)
    const ledger = new Ledger()
    const settings: HouseSettings = { stage, ledger, actions: [bookingAction(ledger)], people: racers, trouble: true }
    await using one = await aHouse(settings)
    await using other = await aHouse(settings)
    const proposals = await waitingProposals(stage, 'pending', 30)
    const nowMs = await stage.store.now()
    const random = seeded(75)
    const acknowledged: string[] = []
    let storming = true
    const storm = (async () => {
      while (storming) {
        // All but the tests' own connections, in the midst of whatever they do.
        await asAdmin(`select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name = 'dale'`, [
          new URL(database.url).pathname.slice(1),
        ])
        await setTimeout(50)
      }
    })()
    await Promise.all(
      shuffled(proposals, random).map(async (proposal, place) => {
        const event = words(place % 2 === 0 ? 'carla' : 'dario', proposal, 'sí', nowMs)
        // A provider delivers until it is acknowledged, and sometimes once more.
        for (let times = 0; times < 2; times += 1) {
          await until(async () => {
            try {
              await takeIn((random() < 0.5 ? one : other).house, 'demo', [event])
              return true
            } catch {
              return false
            }
          })
          acknowledged.push(event.providerId)
          const kept = await stage.run('select 1 from dale.inbox where provider_id = $1', [event.providerId])
          expect(kept).toHaveLength(1)
        }
      }),
    )
    storming = false
    await storm
    await until(async () => {
      await stage.moveClock(70_000)
      await one.quiet()
      return (await stage.run(`select 1 from dale.proposal where state <> 'succeeded'`)).length === 0
    })
    expect(acknowledged).toHaveLength(60)
    for (const { proposal, finals } of await raceEnds(stage, proposals)) {
      expect(finals).toHaveLength(1)
      expect(ledger.effectsOf(proposal.id)).toBe(1)
    }
  })

  it('B83: takes no writes, as with a full disk, the door says so, keeps nothing, and goes on when it can write again', {
    timeout,
  }, async () => {
    await using stage = await postgresStage(database)
    await using test = await aTelegramHouse({ stage, trouble: true })
    const ana = test.phone('Ana')
    await ana.says('registrá 3 cajas')
    await test.read()
    const name = new URL(database.url).pathname.slice(1)
    const disconnect = () =>
      asAdmin(`select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name = 'dale'`, [name])
    await asAdmin(`alter database ${name} set default_transaction_read_only = on`)
    await disconnect()
    const update = {
      update_id: 1,
      message: {
        message_id: 9000,
        date: test.nowS(),
        chat: { id: 42_000_001, type: 'private' },
        from: { id: 42_000_001, is_bot: false, first_name: 'Ana' },
        text: 'sí',
      },
    }
    expect((await test.request(JSON.stringify(update)))?.status).toBe(503)
    expect(await stage.run('select 1 from dale.inbox')).toHaveLength(1)
    expect(test.logged.some(({ event }) => event === 'telegram_update_not_stored')).toBe(true)
    await asAdmin(`alter database ${name} reset default_transaction_read_only`)
    await disconnect()
    await until(async () => (await test.request(JSON.stringify(update)))?.status === 200)
    await test.quiet()
    expect(test.ledger.effects).toHaveLength(1)
  })
})
