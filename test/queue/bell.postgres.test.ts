import { afterAll, beforeAll } from 'vitest'
import { openBell } from '../../src/queue/bullmq.ts'
import { bellContract } from '../contracts/bell.ts'
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
    open: (log) => openBell({ kind: 'postgres', url: database.url }, { log }),
    outage: {
      begin: async () => {
        await asAdmin(`alter database ${database.name} allow_connections false`)
        await asAdmin('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database.name])
      },
      end: () => asAdmin(`alter database ${database.name} allow_connections true`),
    },
  })
})
