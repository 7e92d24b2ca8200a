/**
 * B0, the reference for everything that crosses the queue: bare BullMQ, add (own id, removed on completion) → completed, one worker
 * with ten slots, on Redis, PostgreSQL and PGlite. `node --conditions=dale-source bench/queue.ts`; figures are medians of five rounds.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { PGlite } from '@electric-sql/pglite'
import { createPostgresBackend, createRedisBackend, type PgPool, runMigrations, withBackend } from 'bullmq'
import { Redis } from 'ioredis'
import pg from 'pg'
import { findServices } from '../scripts/services.ts'
import type { Footing } from '../src/queue/bullmq.ts'
import { migrateInside, PGlitePool } from '../src/queue/pglite-pool.ts'

/** Worker slots in every figure: with as many as jobs in flight, wake-ups for an empty queue take over. */
export const slots = 10

/** A bare queue with a worker that does nothing. */
export interface RawQueue extends AsyncDisposable {
  /** Adds one job and resolves when BullMQ reports it completed. */
  addToCompleted(): Promise<void>
}

/** How long single things took, in milliseconds. */
export interface Latency {
  readonly p50Ms: number
  readonly p99Ms: number
}

/** A bare queue on a footing; what it stored is left there. Migrates first where there is a database. */
export async function openRawQueue(footing: Footing): Promise<RawQueue> {
  switch (footing.kind) {
    case 'pglite': {
      await footing.db.exec('set search_path = bullmq')
      await migrateInside(footing.db, (client) => runMigrations(client))
      return onPool(new PGlitePool(footing.db) as unknown as PgPool)
    }
    case 'postgres': {
      const pool = new pg.Pool({ connectionString: footing.url, options: '-c search_path=bullmq', keepAlive: true, max: slots })
      pool.setMaxListeners(0)
      pool.on('error', () => undefined) // Queue and worker hear it too.
      const client = await pool.connect()
      await runMigrations(client as unknown as Parameters<typeof runMigrations>[0])
      client.release()
      return onPool(pool as unknown as PgPool)
    }
    case 'redis': {
      const { Queue, Worker } = withBackend(createRedisBackend)
      const [producer, consumer] = [new Redis(footing.url), new Redis(footing.url, { maxRetriesPerRequest: null })]
      const prefix = footing.prefix ?? 'dale-bench'
      const queue = new Queue('b0', { connection: producer, prefix })
      const worker = new Worker('b0', async () => undefined, { connection: consumer, prefix, concurrency: slots })
      return raw(queue, worker, async () => {
        for (const client of [producer, consumer]) client.disconnect()
      })
    }
  }
}

function onPool(connection: PgPool): Promise<RawQueue> {
  const { Queue, Worker } = withBackend(createPostgresBackend)
  const queue = new Queue('b0', { connection })
  return raw(queue, new Worker('b0', async () => undefined, { connection, concurrency: slots }), () => connection.end())
}

interface Adds {
  on(event: 'error', listener: (error: Error) => void): unknown
  add(name: string, data: object, options: { jobId: string; removeOnComplete: boolean }): Promise<unknown>
  waitUntilReady(): Promise<unknown>
  close(): Promise<void>
}

interface Works {
  on(event: 'completed', listener: (job: { id?: string | undefined }) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  waitUntilReady(): Promise<unknown>
  close(): Promise<void>
}

async function raw(queue: Adds, worker: Works, end: () => Promise<void>): Promise<RawQueue> {
  const waiting = new Map<string, () => void>()
  let ended = false
  const onError = (error: Error): void => {
    if (!ended) console.error(error.message)
  }
  queue.on('error', onError)
  worker.on('error', onError)
  worker.on('completed', ({ id = '' }) => {
    waiting.get(id)?.()
    waiting.delete(id)
  })
  await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()])
  return {
    async addToCompleted() {
      const [jobId, completed] = [`b-${randomUUID()}`, Promise.withResolvers<void>()]
      waiting.set(jobId, completed.resolve)
      await queue.add('bell', { id: jobId }, { jobId, removeOnComplete: true })
      await completed.promise
    },
    async [Symbol.asyncDispose]() {
      ended = true // Connections that the server ends from here on are no news.
      await worker.close()
      await queue.close()
      await end()
    },
  }
}

/** Starts `perSecond` a second for `seconds`, each on its own, and tells how long they took. */
export async function paced(once: () => Promise<void>, perSecond: number, seconds: number): Promise<Latency> {
  const took: number[] = []
  const begun: Promise<void>[] = []
  const startMs = performance.now()
  for (let n = 0; n < perSecond * seconds; n += 1) {
    await sleep(Math.max(0, startMs + (n * 1000) / perSecond - performance.now()))
    const fromMs = performance.now()
    begun.push(once().then(() => void took.push(performance.now() - fromMs)))
  }
  await Promise.all(begun)
  return { p50Ms: percentile(took, 50), p99Ms: percentile(took, 99) }
}

/** Keeps `inFlight` under way until `count` are done; per second. */
export async function sustained(once: () => Promise<void>, inFlight: number, count: number): Promise<number> {
  let left = count
  const startMs = performance.now()
  const line = async () => {
    while (left > 0) {
      left -= 1
      await once()
    }
  }
  await Promise.all(Array.from({ length: inFlight }, line))
  return (count * 1000) / (performance.now() - startMs)
}

/** The value below which `percent` of them lie. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN
}

/** Runs a round five times, after one that does not count, and answers with the medians of its figures. */
export async function medians<K extends string>(round: () => Promise<Record<K, number>>): Promise<Record<K, number>> {
  await round()
  const rounds: Record<K, number>[] = []
  for (let n = 0; n < 5; n += 1) rounds.push(await round())
  const names = Object.keys(rounds[0] ?? {}) as K[]
  return Object.fromEntries(
    names.map((name) => [
      name,
      percentile(
        rounds.map((figures) => figures[name]),
        50,
      ),
    ]),
  ) as Record<K, number>
}

/** B0 on one footing: latency at low load, and the rate with 50 in flight. */
export async function measureB0(footing: Footing, count: number): Promise<Record<'p50Ms' | 'p99Ms' | 'perSecond', number>> {
  await using queue = await openRawQueue(footing)
  return await medians(async () => ({
    ...(await paced(queue.addToCompleted, 20, 2)),
    perSecond: await sustained(queue.addToCompleted, 50, count),
  }))
}

if (import.meta.main) {
  const services = await findServices()
  const table: { Redis?: object; PostgreSQL?: object; 'PGlite, in memory'?: object } = {}
  if (services.redis !== undefined) {
    const prefix = `dale-bench-${randomBytes(4).toString('hex')}`
    table.Redis = await measureB0({ kind: 'redis', url: services.redis.url, prefix }, 5000)
    const client = new Redis(services.redis.url)
    await client.del(...(await client.keys(`${prefix}:*`)))
    client.disconnect()
  }
  if (services.postgres !== undefined) {
    const [admin, name, url] = [
      new pg.Client(services.postgres.url),
      `dale_bench_${randomBytes(4).toString('hex')}`,
      new URL(services.postgres.url),
    ]
    await admin.connect()
    await admin.query(`create database ${name}`)
    url.pathname = `/${name}`
    table.PostgreSQL = await measureB0({ kind: 'postgres', url: url.href }, 1000)
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  }
  const db = await PGlite.create()
  table['PGlite, in memory'] = await measureB0({ kind: 'pglite', db }, 500)
  await db.close()
  console.table(Object.fromEntries(Object.entries(table).map(([name, row]) => [name, rounded(row)])))
  for (const found of Object.values(services)) await found?.stop()
}

function rounded(row: object): object {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Math.round(Number(value) * 100) / 100]))
}
