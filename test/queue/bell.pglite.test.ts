import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll } from 'vitest'
import { openBell } from '../../src/queue/bullmq.ts'
import { bellContract } from '../contracts/bell.ts'

let db: PGlite
beforeAll(async () => {
  db = await PGlite.create()
})
afterAll(() => db.close())

bellContract({ name: 'PGlite', open: (log) => openBell({ kind: 'pglite', db }, { log }) })
