import { once } from 'node:events'
import type { PGlite } from '@electric-sql/pglite'
import {
  assertSchemaCompatibility,
  createPostgresBackend,
  createRedisBackend,
  LATEST_SCHEMA_VERSION,
  type PgPool,
  runMigrations,
  SchemaMigrationRequiredError,
  withBackend,
} from 'bullmq'
import { Redis } from 'ioredis'
import pg from 'pg'
import type { Bell } from '../ports/bell.ts'
import { type BellOptions, ringing } from './bell.ts'
import { evictionOf } from './check-redis.ts'
import { type Engine, type OnError, queueNameOf, type Ring, rooms } from './engine.ts'
import { type Asking, migrateInside, PGlitePool } from './pglite-pool.ts'
import { within } from './within.ts'

/** What the queue stands on. The PGlite is its caller's; the rest is opened and closed by the bell. */
export type Footing =
  | { readonly kind: 'pglite'; readonly db: PGlite }
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'redis'; readonly url: string; readonly prefix?: string }

/** A bell is not tried again and leaves nothing behind: what it was for is a row, and the sweep rings for rows. */
const ringOptions = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const

/** Ten slots: with as many slots as jobs in flight, wake-ups for an empty queue eat most of the rate. A stalled bell is not rung again. */
const workerOptions = { autorun: false, concurrency: 10, maxStalledCount: 0, drainDelay: 60, runRetryDelay: 1000 } as const

/**
 * Opens the bell on a footing. Resolves at once, whether or not the queue can be reached: it is opened in the background, tried again
 * every second, and `isUp` tells. Disposing stops fetching, waits for the bells in hand, then closes workers, queues and connections,
 * in this order; it ends even while the queue is away.
 */
export async function openBell(footing: Footing, options: BellOptions): Promise<Bell & AsyncDisposable> {
  const { answerWithinMs = 3000, ownRooms = 0 } = options
  return ringing((onError) => engineOn(footing, onError, answerWithinMs, ownRooms), options)
}

/**
 * Makes BullMQ's tables in a PostgreSQL, or brings them to this version. Repeatable; several at once wait for each other. False when there
 * was nothing to do. A bell does the same when it opens; this is for a role that may create tables where the one that runs Dale may not.
 */
export async function migrateQueue(url: string, connectWithinMs = 10_000): Promise<boolean> {
  const client = new pg.Client({ connectionString: withSearchPath(url), connectionTimeoutMillis: connectWithinMs })
  client.on('error', () => undefined) // A connection that breaks fails its query, which is enough.
  await client.connect()
  try {
    // Asked first: the role that runs Dale may be one that is not allowed to create tables.
    if (!(await needsMigration(client))) return false
    await runMigrations(client)
    return true
  } finally {
    await client.end()
  }
}

/** BullMQ on a footing. Connects in the background; `onError` hears every error of every connection, queue and worker. */
function engineOn(footing: Footing, onError: OnError, answerWithinMs: number, ownRooms: number): Engine {
  switch (footing.kind) {
    case 'pglite':
      return onPGlite(footing.db, onError)
    case 'postgres':
      return onPostgres(footing.url, onError, answerWithinMs, ownRooms)
    case 'redis':
      return onRedis(footing.url, footing.prefix ?? 'dale', onError, answerWithinMs)
  }
}

function onPGlite(db: PGlite, onError: OnError): Engine {
  const pool = new PGlitePool(db)
  return {
    ...postgresMaker(pool as unknown as PgPool, onError),
    async prepare() {
      // BullMQ's own queries name no schema. The session may have been opened for others' tables only.
      await pool.query(`select set_config('search_path', current_setting('search_path') || ', bullmq', false)
        where not 'bullmq' = any (string_to_array(replace(current_setting('search_path'), ' ', ''), ','))`)
      if (await needsMigration(pool)) await migrateInside(db, (client) => runMigrations(client))
    },
    isConnected: () => !db.closed,
    async probe() {
      if (db.closed) throw new Error('the embedded database is closed')
    },
    trouble: async () => undefined,
    close: () => pool.end(),
  }
}

function onPostgres(url: string, onError: OnError, answerWithinMs: number, ownRooms: number): Engine {
  const connectionString = withSearchPath(url)
  const pool = new pg.Pool({
    connectionString,
    // Every worker keeps one connection to listen on; the rest is for queries.
    max: rooms.length + ownRooms + 6,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: answerWithinMs,
    // No query of BullMQ's takes long. A socket that fell silent fails its query, and the pool then throws that connection away.
    query_timeout: 2 * answerWithinMs,
  })
  pool.setMaxListeners(0) // Every queue and worker listens for the pool's errors.
  pool.on('error', (error) => onError(error))
  return {
    // BullMQ declares `query` narrower than @types/pg does; at run time a pg.Pool is what it expects.
    ...postgresMaker(pool as unknown as PgPool, onError),
    prepare: async () => void (await migrateQueue(url, answerWithinMs)),
    isConnected: () => !pool.ending,
    probe: async () => void (await within(answerWithinMs, 'asking PostgreSQL', pool.query('select 1'))),
    trouble: async () => undefined,
    close: () => pool.end(),
  }
}

function onRedis(url: string, prefix: string, onError: OnError, answerWithinMs: number): Engine {
  const common = {
    connectTimeout: answerWithinMs,
    disconnectTimeout: answerWithinMs,
    keepAlive: 10_000,
    retryStrategy: (times: number) => Math.min(50 * 2 ** times, 1000),
  }
  // Who rings must not wait while Redis is away; who works must, for ever. One connection cannot be both.
  const producer = new Redis(url, {
    ...common,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: 2 * answerWithinMs,
  })
  const consumer = new Redis(url, { ...common, maxRetriesPerRequest: null })
  for (const client of [producer, consumer]) client.on('error', (error) => onError(error))
  const { Queue, Worker } = withBackend(createRedisBackend)
  return {
    async prepare() {
      if (producer.status !== 'ready') await within(answerWithinMs, 'connecting to Redis', once(producer, 'ready'))
    },
    queue(room) {
      const queue = new Queue<Ring>(queueNameOf(room), { connection: producer, prefix, defaultJobOptions: ringOptions })
      queue.on('error', (error) => onError(error, room))
      return queue
    },
    worker(room, onRing) {
      const worker = new Worker<Ring>(queueNameOf(room), (job) => onRing(job.data.id), {
        ...workerOptions,
        connection: consumer,
        prefix,
      })
      worker.on('error', (error) => onError(error, room))
      return worker
    },
    isConnected: () => producer.status === 'ready',
    async probe() {
      await Promise.all([producer, consumer].map((client) => answers(client, answerWithinMs)))
    },
    trouble: () => evictionOf(producer),
    async close() {
      for (const client of [producer, consumer]) client.disconnect()
    },
  }
}

function postgresMaker(connection: PgPool, onError: OnError): Pick<Engine, 'queue' | 'worker'> {
  const { Queue, Worker } = withBackend(createPostgresBackend)
  return {
    queue(room) {
      const queue = new Queue<Ring>(queueNameOf(room), { connection, defaultJobOptions: ringOptions })
      queue.on('error', (error) => onError(error, room))
      return queue
    },
    worker(room, onRing) {
      const worker = new Worker<Ring>(queueNameOf(room), (job) => onRing(job.data.id), { ...workerOptions, connection })
      worker.on('error', (error) => onError(error, room))
      return worker
    },
  }
}

async function needsMigration(client: Asking | pg.Client): Promise<boolean> {
  try {
    return (await assertSchemaCompatibility(client as Asking)) < LATEST_SCHEMA_VERSION
  } catch (error) {
    if (error instanceof SchemaMigrationRequiredError) return true
    throw error
  }
}

/** An address may bring options of its own, and the driver then forgets those given beside it. */
function withSearchPath(url: string): string {
  const at = new URL(url)
  const own = at.searchParams.get('options')
  at.searchParams.set('options', `${own === null ? '' : `${own} `}-c search_path=bullmq`)
  return at.href
}

async function answers(client: Redis, answerWithinMs: number): Promise<void> {
  if (client.status !== 'ready') throw new Error(`Redis is not reachable (${client.status})`)
  try {
    await within(answerWithinMs, 'asking Redis', client.ping())
  } catch (error) {
    client.disconnect(true)
    throw error
  }
}
