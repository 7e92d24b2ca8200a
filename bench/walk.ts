/**
 * The walk from the webhook to the outcome, on the three footings, beside what it stands on, all in one run:
 * `node --conditions=dale-source bench/walk.ts [--quick]`. Needs PostgreSQL and Redis as the tests do. Only the ratios carry over to
 * another machine. Figures are medians of five rounds after one that does not count (with `--quick`, of one).
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { findServices } from '../scripts/services.ts'
import { openEmbedded } from '../src/store/embedded.ts'
import { migrate } from '../src/store/migrate.ts'
import { measureD0 } from './database.ts'
import { openFarSide } from './far-side.ts'
import { type Ground, openNullPath, openWalk, type Path } from './paths.ts'
import { measureP0 } from './polling.ts'
import { measureB0, openRawQueue, paced, percentile, slots, sustained } from './queue.ts'

const quick = process.argv.includes('--quick')
const rounds = quick ? 1 : 5
const far = await openFarSide()

/** Medians of a figure over the rounds. */
async function median(once: () => Promise<number>): Promise<number> {
  await once()
  const all: number[] = []
  for (let n = 0; n < rounds; n += 1) all.push(await once())
  return percentile(all, 50)
}

/** Decisions a second with 50 in flight. */
const rateOf = (path: Path, count: number) =>
  median(async () => {
    await path.prepare(count)
    return await sustained(path.decide, 50, count)
  })

async function latencyOf(path: Path, perSecond: number, seconds: number) {
  await path.prepare(perSecond * seconds)
  return await paced(path.decide, perSecond, seconds)
}

const rows: Record<string, Record<string, number | string>> = {}
const keep = (name: string, row: Record<string, number>) => {
  rows[name] = Object.fromEntries(Object.entries(row).map(([key, value]) => [key, Math.round(value * 100) / 100]))
  console.error(name, JSON.stringify(rows[name]))
}

const services = await findServices()
if (services.postgres === undefined || services.redis === undefined)
  throw new Error('bench/walk.ts needs PostgreSQL and Redis: set DATABASE_URL and REDIS_URL')
const admin = new pg.Client(services.postgres.url)
await admin.connect()
const name = `dale_bench_${randomBytes(4).toString('hex')}`
await admin.query(`create database ${name}`)
const url = Object.assign(new URL(services.postgres.url), { pathname: `/${name}` }).href
await migrate({ kind: 'postgres', url })

try {
  {
    const queue = { kind: 'redis', url: services.redis.url, prefix: `dale-bench-${randomBytes(4).toString('hex')}` } as const
    const ground: Ground = {
      store: { kind: 'postgres', url },
      queue,
      variables: { DATABASE_URL: url, REDIS_URL: services.redis.url },
    }
    const b0 = await measureB0(queue, 2000)
    keep('B0 Redis', b0)
    const d0 = await median(() => measureD0({ url }, 2000))
    keep('D0 PostgreSQL', { perSecond: d0 })
    const nothing = await openNullPath(ground, far)
    const n0 = await rateOf(nothing, 1000)
    keep('N0 Redis', { perSecond: n0, ...(await latencyOf(nothing, 100, 5)) })
    await nothing[Symbol.asyncDispose]()
    const walk = await openWalk(ground, far)
    const rate = await rateOf(walk, 1000)
    const latency = await latencyOf(walk, 100, 5)
    await walk[Symbol.asyncDispose]()
    keep('walk PostgreSQL + Redis', {
      perSecond: rate,
      ...latency,
      'S1 of N0 (≥ 0.55)': rate / n0,
      'S2 p50 of B0 (≤ 3.5)': latency.p50Ms / b0.p50Ms,
      'S2 p99 of B0 (≤ 5)': latency.p99Ms / b0.p99Ms,
    })
    const p0 = await measureP0(url, 20)
    keep('P0 polling', { ...p0, 'S5 of the walk (≥ 100)': p0.p50Ms / latency.p50Ms })
  }
  {
    const ground: Ground = {
      store: { kind: 'postgres', url },
      queue: { kind: 'postgres', url },
      variables: { DATABASE_URL: url },
    }
    const b0 = await measureB0(ground.queue, 500)
    keep('B0 PostgreSQL', b0)
    const walk = await openWalk(ground, far)
    const rate = await rateOf(walk, 300)
    const latency = await latencyOf(walk, 50, 5)
    await walk[Symbol.asyncDispose]()
    keep('walk PostgreSQL alone', {
      perSecond: rate,
      ...latency,
      'S3 of B0 (≥ 0.5)': rate / b0.perSecond,
      'S3 p99 ms (≤ 20)': latency.p99Ms,
    })
  }
  {
    const folder = await mkdtemp(join(tmpdir(), 'dale-bench-'))
    const embedded = await openEmbedded(join(folder, 'dale'))
    const store = { kind: 'pglite', db: embedded.db } as const
    await migrate(store)
    const walk = await openWalk({ store, queue: store, variables: {} }, far)
    const rate = await rateOf(walk, 100)
    const [ten, one] = [await latencyOf(walk, 10, 10), await latencyOf(walk, 1, quick ? 10 : 30)]
    await walk[Symbol.asyncDispose]()
    const hops = await rawHops(store)
    keep('walk embedded, fsync on', {
      perSecond: rate,
      ...ten,
      'at 1/s p50Ms': one.p50Ms,
      'at 1/s p99Ms': one.p99Ms,
      'S4 of raw hops (≥ 0.6)': rate / hops,
      'S4 per second (≥ 60)': rate,
    })
    keep('raw hops, PGlite', { perSecond: hops })
    await embedded[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  }
} finally {
  await admin.query(`drop database ${name} with (force)`)
  await admin.end()
  await far[Symbol.asyncDispose]()
}
console.log(`worker slots: ${slots}, node ${process.version}`)
console.table(rows)
for (const found of Object.values(services)) await found?.stop()
process.exit(0)

/** Chains of the bells that one decision rings, on a bare queue: execution, then two deliveries. */
async function rawHops(footing: Ground['queue']): Promise<number> {
  const queue = await openRawQueue(footing)
  const chain = async () => {
    for (let hop = 0; hop < 3; hop += 1) await queue.addToCompleted()
  }
  const rate = await median(() => sustained(chain, 50, 100))
  await queue[Symbol.asyncDispose]()
  return rate
}
