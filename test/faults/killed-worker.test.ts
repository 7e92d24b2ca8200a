import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Proposal } from '../../src/core/proposal.ts'
import { attest } from '../../src/gateway/attest.ts'
import { aDatabase, type TestDatabase } from '../support/database.ts'
import { describeOn } from '../support/describe-on.ts'
import { postgresStage } from '../support/house.ts'
import { aTelegramHouse, type TelegramHouse } from '../support/house-telegram.ts'
import { bookingAction, Ledger } from '../support/ledger.ts'
import { ledgerServer, type Point } from '../support/ledger-server.ts'
import { DaleProcess, type ProcessSettings } from '../support/processes.ts'
import { OwnRedis } from '../support/redis.ts'

const timeout = 120_000
const points = ['preflight', 'arrived', 'done', 'answered'] as const satisfies readonly Point[]

/** One proposal for each point at which its worker dies, with a key and without; the number of boxes tells them apart. */
const plan = points.flatMap((point, place) => [
  { asks: `registrá ${10 + place} cajas`, cajas: 10 + place, action: 'registrar', point },
  { asks: `anotá ${20 + place} cajas`, cajas: 20 + place, action: 'anotar', point },
])

describeOn('redis-server', 'a worker that dies', () => {
  let database: TestDatabase
  let redis: OwnRedis
  beforeAll(async () => {
    ;[database, redis] = await Promise.all([aDatabase(), OwnRedis.started()])
  }, timeout)
  afterAll(async () => {
    await redis[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  /** A gateway in this process; the workers are others. Each proposal is asked for by a person of its own, and approved. */
  async function withCallsHeld() {
    await using cleanup = new AsyncDisposableStack()
    const ledger = cleanup.use(await ledgerServer())
    const stage = cleanup.use(await postgresStage(database))
    const nobody = new Ledger()
    const test = cleanup.use(
      await aTelegramHouse({
        stage,
        trouble: true,
        actions: [bookingAction(nobody), bookingAction(nobody, { name: 'anotar', mode: 'naive' })],
        start: { gateway: true, workers: false },
        variables: { DATABASE_URL: database.url, REDIS_URL: redis.url },
      }),
    )
    while (!test.house.bell.isUp()) await setTimeout(10)
    const settings: ProcessSettings = {
      gateway: false,
      workers: true,
      apiRoot: test.server.url,
      token: test.server.token,
      ledger: ledger.url,
      databaseUrl: database.url,
      redisUrl: redis.url,
    }
    const worker = cleanup.use(await DaleProcess.started(settings))
    await Promise.all(plan.map(({ asks, cajas }) => test.phone(`p${cajas}`).says(asks)))
    const held = plan.map(({ cajas, point }) => ledger.hold(cajas, point))
    await test.read()
    for (const { cajas } of plan) test.server.person(`p${cajas}`).says('sí')
    await Promise.all(held)
    expect(nobody.calls).toEqual([])
    const closing = cleanup.move()
    return {
      test,
      ledger,
      worker,
      another: () => DaleProcess.started(settings),
      [Symbol.asyncDispose]: () => closing.disposeAsync(),
    }
  }

  /** Moves the clock on until every proposal is where it stays. */
  async function settled(test: TelegramHouse): Promise<readonly Proposal[]> {
    for (;;) {
      await test.later(30_000)
      for (let looks = 0; looks < 10; looks += 1) {
        await setTimeout(50)
        const proposals = await test.proposals()
        if (
          proposals.every(
            ({ state }) => state.name === 'succeeded' || (state.name === 'in_doubt' && state.retryAtMs === undefined),
          )
        )
          return proposals
      }
    }
  }

  const of = (proposals: readonly Proposal[], cajas: number) =>
    proposals.find(({ canonicalArgs }) => canonicalArgs === `{"cajas":${cajas}}`)
  const texts = (test: TelegramHouse, cajas: number) =>
    test
      .phone(`p${cajas}`)
      .sees()
      .map(({ text }) => text)

  const toldBy = async (test: TelegramHouse) => {
    while ((await test.stage.run('select 1 from dale.outbox where settled_at is null')).length > 0) {
      await test.later(30_000)
      await setTimeout(100)
    }
  }

  it('B71: before, during or after its call leaves one effect or a doubt, never two effects, and everybody is told', {
    timeout,
  }, async () => {
    await using opened = await withCallsHeld()
    const { test, ledger, worker, another } = opened
    await worker.kill()
    while (ledger.abandoned < plan.length) await setTimeout(5)
    ledger.release()
    await using _second = await another()
    const proposals = await settled(test)
    await toldBy(test)
    for (const { cajas, action, point } of plan) {
      const effects = ledger.effects.filter((effect) => effect.cajas === cajas)
      const calls = ledger.requests.filter((request) => request.cajas === cajas && request.point === 'arrived')
      const known = action === 'registrar' || point === 'preflight'
      expect([cajas, point, of(proposals, cajas)?.state.name]).toEqual([cajas, point, known ? 'succeeded' : 'in_doubt'])
      expect(effects.length).toBe(known || point !== 'arrived' ? 1 : 0)
      expect(new Set(calls.map(({ key }) => key)).size).toBe(1)
      expect(calls.map(({ fence }) => fence)).toEqual(point === 'preflight' ? [2] : action === 'registrar' ? [1, 2] : [1])
      expect(texts(test, cajas).filter((text) => text.startsWith('Hecho: '))).toHaveLength(known ? 1 : 0)
      expect(texts(test, cajas).filter((text) => text.includes('pude saber si esto se hizo'))).toHaveLength(
        point === 'preflight' ? 0 : 1,
      )
    }
    // Nobody runs what may have happened and has no key; a person finds out.
    const inDoubt = of(proposals, 22)
    expect(
      await attest(test.house, inDoubt?.id ?? '', { end: 'succeeded', by: 'carla', evidence: 'depot log 22' }),
    ).toMatchObject({ kind: 'settled' })
    await toldBy(test)
    expect(texts(test, 22).at(-1)).toMatch(/^Hecho: /)
  })

  it('B72: only for a while, and wakes when another has taken over, calls nothing and settles nothing', { timeout }, async () => {
    await using opened = await withCallsHeld()
    const { test, ledger, worker, another } = opened
    worker.pause()
    await using _second = await another()
    // What the second worker calls must not be held; what the first one had sent stays where it is.
    const before = await test.proposals()
    expect(before.every(({ state }) => state.name === 'executing')).toBe(true)
    ledger.release()
    const proposals = await settled(test)
    const callsBefore = ledger.requests.length
    worker.goOn()
    // It goes on where it stood: each call of its own comes back to it, and it tries to write down what it knows.
    await worker.drain()
    await toldBy(test)
    expect(ledger.requests.slice(callsBefore).filter(({ point }) => point === 'arrived' || point === 'preflight')).toEqual([])
    expect((await test.proposals()).map(({ id, state, revision }) => [id, state.name, revision])).toEqual(
      proposals.map(({ id, state, revision }) => [id, state.name, revision]),
    )
    for (const { cajas, action, point } of plan) {
      expect(ledger.effects.filter((effect) => effect.cajas === cajas).length).toBe(1)
      expect([cajas, of(proposals, cajas)?.state.name]).toEqual([
        cajas,
        action === 'registrar' || point === 'preflight' ? 'succeeded' : 'in_doubt',
      ])
    }
  })
})
