import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { StoreAwayError } from '../../src/core/errors.ts'
import { asking, connect } from '../../src/store/database.ts'
import { openStore } from '../../src/store/open.ts'
import { aDatabase, empty, type TestDatabase } from '../support/database.ts'
import { describeOn } from '../support/describe-on.ts'
import { faultyLine } from '../support/faulty-line.ts'
import { postgresStage } from '../support/house.ts'
import { aTelegramHouse } from '../support/house-telegram.ts'
import { aMessage } from './contract/under-test.ts'

const answerWithinMs = 400

describeOn('postgres', 'a PostgreSQL that does not answer', () => {
  let database: TestDatabase
  let other: pg.Client
  beforeAll(async () => {
    database = await aDatabase()
    other = new pg.Client({ connectionString: database.url })
    await other.connect()
  })
  afterAll(async () => {
    await other.end()
    await database[Symbol.asyncDispose]()
  })

  const opened = (url = database.url) => openStore({ kind: 'postgres', url, connections: 2, answerWithinMs })
  const tookMs = async (work: Promise<unknown>): Promise<number> => {
    const began = performance.now()
    await work
    return performance.now() - began
  }

  it('because somebody holds a lock counts as away after a while, with nothing written, and is asked again as if nothing had been', async () => {
    await empty(database)
    await using store = await opened()
    await other.query('begin; lock table dale.inbox in access exclusive mode')
    const kept = store.keep('main', [aMessage('1')])
    expect(await tookMs(expect(kept).rejects.toThrow(StoreAwayError))).toBeGreaterThanOrEqual(answerWithinMs - 50)
    // More at once than there are connections: none waits behind another's lock for longer.
    const all = await Promise.allSettled(Array.from({ length: 6 }, (_, n) => store.keep('main', [aMessage(`2 ${n}`)])))
    expect(all.map(({ status }) => status)).toEqual(Array(6).fill('rejected'))
    await other.query('rollback')
    expect(await database.run('select 1 from dale.inbox')).toEqual([])
    expect(await store.keep('main', [aMessage('1')])).toHaveLength(1)
  })

  it('because the line fell silent counts as away a little later, and is reached on another connection', async () => {
    const server = new URL(database.url)
    await using line = await faultyLine(server.hostname, Number(server.port || 5432))
    server.host = `127.0.0.1:${line.port}`
    await using store = await opened(server.href)
    await store.now()
    line.silence()
    const asked = expect(store.now()).rejects.toThrow(StoreAwayError)
    expect(await tookMs(asked)).toBeLessThan(answerWithinMs + 5000)
    expect(await store.isUp()).toBe(true)
  })

  it('does not keep a transaction open that its process forgot: its locks are free again, and it writes nothing', async () => {
    await empty(database)
    await using connection = connect({ kind: 'postgres', url: database.url }, () => undefined, answerWithinMs)
    const [locked, remembered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const written = asking('writing and forgetting', () =>
      connection.db.transaction().execute(async (tx) => {
        await sql`insert into dale.halt (scope, name, made_by, since) values ('all', '', 'nobody', 0)`.execute(tx)
        await sql`lock table dale.halt in access exclusive mode`.execute(tx)
        locked.resolve()
        await remembered.promise
      }),
    )
    const lost = expect(written).rejects.toThrow(StoreAwayError)
    await locked.promise
    // Waits for the lock, and gets it.
    expect((await other.query('select 1 from dale.halt')).rows).toEqual([])
    remembered.resolve()
    await lost
  })

  it('hangs no provider at the door: it is told to come again', { timeout: 30_000 }, async () => {
    await using stage = await postgresStage(database)
    await using test = await aTelegramHouse({
      stage: { ...stage, footing: { kind: 'postgres', url: database.url, connections: 4, answerWithinMs } },
      trouble: true,
    })
    const update = {
      update_id: 1,
      message: {
        message_id: 9000,
        date: test.nowS(),
        chat: { id: 42_000_001, type: 'private' },
        from: { id: 42_000_001, is_bot: false, first_name: 'Ana' },
        text: 'cuánto sale',
      },
    }
    await other.query('begin; lock table dale.inbox in access exclusive mode')
    expect((await test.request(JSON.stringify(update)))?.status).toBe(503)
    await other.query('rollback')
    expect((await test.request(JSON.stringify(update)))?.status).toBe(200)
    await test.quiet()
    expect(test.turns).toHaveLength(1)
  })
})
