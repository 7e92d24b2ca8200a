import { afterAll, beforeAll } from 'vitest'
import { openBell } from '../../src/queue/bullmq.ts'
import { type Embedded, openEmbedded } from '../../src/store/embedded.ts'
import { migrate } from '../../src/store/migrate.ts'
import { bellContract } from '../contracts/bell.ts'

let embedded: Embedded
beforeAll(async () => {
  embedded = await openEmbedded('memory')
  await migrate({ kind: 'pglite', db: embedded.db })
})
afterAll(() => embedded[Symbol.asyncDispose]())

bellContract({ name: 'PGlite, beside our own tables', open: (log) => openBell({ kind: 'pglite', db: embedded.db }, { log }) })
