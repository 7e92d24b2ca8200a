import { expect, test } from 'vitest'
import { openBell } from '../../src/queue/bullmq.ts'
import { Told } from '../contracts/bell.ts'
import { describeOn } from '../support/describe-on.ts'
import { asAdmin, freshDatabase } from '../support/services.ts'

const soon = { timeout: 10_000, interval: 20 }

describeOn('postgres', 'PostgreSQL that ends every connection again and again', () => {
  test('neither ends the process nor deafens a worker: each time it hears again within seconds (BQ-018)', async () => {
    await using database = await freshDatabase()
    const told = new Told()
    await using bell = await openBell({ kind: 'postgres', url: database.url }, { log: told })
    const heard = new Set<string>()
    await bell.work('executions', async (id) => void heard.add(id))
    await bell.work('turns', async (id) => void heard.add(id))
    for (const blow of ['first', 'second', 'third']) {
      await asAdmin('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database.name])
      await expect
        .poll(async () => {
          await Promise.all([bell.ring('executions', `${blow}/executions`), bell.ring('turns', `${blow}/turns`)])
          return [heard.has(`${blow}/executions`), heard.has(`${blow}/turns`)]
        }, soon)
        .toEqual([true, true])
    }
    expect(bell.isUp()).toBe(true)
  })
})
