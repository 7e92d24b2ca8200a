import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { openBell } from '../../src/queue/bullmq.ts'
import { Told } from '../contracts/bell.ts'
import { describeOn } from '../support/describe-on.ts'
import { faultyLine } from '../support/faulty-line.ts'
import { OwnRedis } from '../support/redis.ts'
import { freshDatabase } from '../support/services.ts'

const hasty = { lookEveryMs: 100, retryEveryMs: 100, ringWithinMs: 300, answerWithinMs: 300 }
const soon = { timeout: 15_000, interval: 20 }

/** Rings until somebody answers: a ring that is lost on the way is what the sweep makes up for. */
async function untilHeard(ring: () => Promise<void>, heard: readonly string[]): Promise<void> {
  await expect
    .poll(async () => {
      await ring()
      return heard.length
    }, soon)
    .toBeGreaterThan(0)
}

describeOn('redis-server', 'a line to Redis that falls silent', () => {
  test('turns health red, is given up, and a worker that waits on it is replaced (BQ-018)', async () => {
    await using redis = await OwnRedis.started()
    const server = new URL(redis.url)
    await using line = await faultyLine(server.hostname, Number(server.port))
    const told = new Told()
    await using bell = await openBell({ kind: 'redis', url: `redis://127.0.0.1:${line.port}` }, { log: told, ...hasty })
    const heard: string[] = []
    await bell.work('executions', async (id) => void heard.push(id))
    await untilHeard(() => bell.ring('executions', 'before'), heard)
    const asking = new Redis(redis.url)
    await expect.poll(() => asking.info('clients'), soon).toContain('blocked_clients:1')
    asking.disconnect()

    line.silence()
    await expect.poll(() => bell.isUp(), soon).toBe(false)
    heard.length = 0
    await expect.poll(() => bell.isUp(), soon).toBe(true)
    await untilHeard(() => bell.ring('executions', 'after'), heard)
    expect(told.events).toEqual(expect.arrayContaining(['queue_down', 'queue_worker_stood_still']))
  })
})

describeOn('postgres', 'a line to PostgreSQL that falls silent', () => {
  test('hangs nobody who rings, and the worker that waited on it hears again by itself (BQ-018)', async () => {
    await using database = await freshDatabase()
    const server = new URL(database.url)
    await using line = await faultyLine(server.hostname, Number(server.port || 5432))
    server.host = `127.0.0.1:${line.port}`
    await using bell = await openBell({ kind: 'postgres', url: server.href }, { log: new Told(), ...hasty })
    const heard: string[] = []
    await bell.work('executions', async (id) => void heard.push(id))
    await untilHeard(() => bell.ring('executions', 'before'), heard)

    line.silence()
    heard.length = 0
    const rungAtMs = performance.now()
    await bell.ring('executions', 'after')
    expect(performance.now() - rungAtMs).toBeLessThan(1500)
    await untilHeard(() => bell.ring('executions', 'after'), heard)
  })
})
