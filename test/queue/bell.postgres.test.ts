import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBell } from '../../src/queue/bullmq.ts'
import { bellContract, Told } from '../contracts/bell.ts'
import { describeOn } from '../support/describe-on.ts'
import { asAdmin, freshDatabase } from '../support/services.ts'

describeOn('postgres', 'PostgreSQL', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>
  beforeAll(async () => {
    database = await freshDatabase()
  })
  afterAll(() => database[Symbol.asyncDispose]())

  bellContract({
    name: 'PostgreSQL',
    open: (log) => openBell({ kind: 'postgres', url: database.url }, { log, ownRooms: 3 }),
    outage: {
      begin: async () => {
        await asAdmin(`alter database ${database.name} allow_connections false`)
        await asAdmin('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database.name])
      },
      end: () => asAdmin(`alter database ${database.name} allow_connections true`),
    },
  })

  test("an account's own room takes one connection while it is worked, and gives it back", async () => {
    await using other = await freshDatabase()
    await using bell = await openBell({ kind: 'postgres', url: other.url }, { log: new Told(), ownRooms: 2 })
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const listening = async (): Promise<number> => {
      const { rows } = await client.query<{ readonly count: number }>(
        `select count(*)::int from pg_stat_activity where datname = $1 and query ilike '%listen%bullmq_jobs%'`,
        [other.name],
      )
      return rows[0]?.count ?? 0
    }
    const heard: string[] = []
    const hear = async (id: string) => void heard.push(id)
    for (const room of ['turns', 'executions', 'deliveries'] as const) await bell.work(room, hear)
    await expect.poll(listening, { timeout: 10_000 }).toBe(3)
    for (let changes = 0; changes < 3; changes += 1) {
      const shifts = await Promise.all([bell.work('deliveries:front', hear), bell.work('deliveries:shop', hear)])
      await Promise.all([bell.ring('deliveries:front', `front ${changes}`), bell.ring('deliveries:shop', `shop ${changes}`)])
      await expect.poll(listening, { timeout: 10_000 }).toBe(5)
      await expect.poll(() => heard.length, { timeout: 10_000 }).toBe(2 * (changes + 1))
      await Promise.all(shifts.map((shift) => shift[Symbol.asyncDispose]()))
      await expect.poll(listening, { timeout: 10_000 }).toBe(3)
    }
    await client.end()
  })
})
