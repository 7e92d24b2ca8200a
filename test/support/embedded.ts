import type { Store } from '../../src/ports/store.ts'
import { type Embedded, openEmbedded } from '../../src/store/embedded.ts'
import { migrate } from '../../src/store/migrate.ts'
import { openStore } from '../../src/store/open.ts'
import { type Client, empty, letClockMove, moveClock, type TestStore } from './database.ts'

let started: Promise<Embedded> | undefined

/** The PGlite of this vitest worker: started once, migrated, with a clock that can be moved. Nobody closes it. */
export function workersEmbedded(): Promise<Embedded> {
  started ??= start()
  return started
}

async function start(): Promise<Embedded> {
  const embedded = await openEmbedded('memory')
  await migrate({ kind: 'pglite', db: embedded.db })
  await letClockMove(clientOf(embedded))
  return embedded
}

const clientOf = ({ db }: Embedded): Client => ({
  run: async (text, values = []) => (await db.query<Record<string, unknown>>(text, [...values])).rows,
})

/** An empty store on this worker's PGlite: one test at a time. Call it in `beforeEach`. */
export async function anEmptyStore(): Promise<TestStore & Embedded> {
  const { db } = await workersEmbedded()
  const client = clientOf({ db, [Symbol.asyncDispose]: async () => {} })
  await empty(client)
  const another = (): Promise<Store> => openStore({ kind: 'pglite', db })
  return {
    db,
    store: await another(),
    another,
    run: client.run,
    moveClock: (byMs) => moveClock(client, byMs),
    [Symbol.asyncDispose]: async () => {},
  }
}
