import pg from 'pg'
import type { Store } from '../../src/ports/store.ts'
import { migrate } from '../../src/store/migrate.ts'
import { openStore } from '../../src/store/open.ts'
import { freshDatabase } from './services.ts'

/** What sets up a test's database: any client that can run SQL. */
export interface Client {
  run(text: string, values?: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>
}

/** A database of its own on the tests' server, migrated, with a clock that can be moved; dropped when disposed. */
export interface TestDatabase extends AsyncDisposable, Client {
  readonly url: string
}

export async function aDatabase(): Promise<TestDatabase> {
  await using cleanup = new AsyncDisposableStack()
  const { url } = cleanup.use(await freshDatabase())
  await migrate({ kind: 'postgres', url })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  cleanup.defer(() => client.end())
  const run: Client['run'] = async (text, values = []) => (await client.query<Record<string, unknown>>(text, [...values])).rows
  await letClockMove({ run })
  const opened = cleanup.move()
  return { url, run, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/** Replaces the database's clock by one that the tests can move, for every connection and process, and adds `dale.test_empty`. */
export async function letClockMove({ run }: Client): Promise<void> {
  await run('create table dale.test_clock (ahead_ms bigint not null)')
  await run('insert into dale.test_clock values (0)')
  await run(`create or replace function dale.clock() returns timestamptz language sql stable as
    $$ select statement_timestamp() + (select ahead_ms from dale.test_clock) * interval '1 millisecond' $$`)
  const tables = await run(
    `select tablename from pg_tables where schemaname = 'dale' and tablename not in ('migration', 'migration_lock', 'laws', 'test_clock')`,
  )
  // Small tables are emptied faster row by row than by TRUNCATE, which makes new files; the laws are out of force meanwhile.
  await run(`create function dale.test_empty() returns void language plpgsql set session_replication_role = replica as $$ begin
    ${tables.map(({ tablename }) => `delete from dale.${String(tablename)};`).join(' ')}
    update dale.test_clock set ahead_ms = 0;
  end $$`)
}

/** Moves the database's clock forward, or back with a negative number. */
export async function moveClock({ run }: Client, byMs: number): Promise<void> {
  await run('update dale.test_clock set ahead_ms = ahead_ms + $1::bigint', [byMs])
}

/** Empties every table of schema `dale` and puts its clock right. */
export async function empty({ run }: Client): Promise<void> {
  await run('select dale.test_empty()')
}

/** A store that a test uses, on its own empty tables, and the clock that it goes by. */
export interface TestStore extends AsyncDisposable, Client {
  readonly store: Store
  /** Another connection to the same tables, as another process has it. Disposed with this one. */
  another(): Promise<Store>
  /** Moves the database's clock, for every connection. */
  moveClock(byMs: number): Promise<void>
}

/** An empty store on a PostgreSQL database made by `aDatabase`. */
export async function storeOn(database: TestDatabase): Promise<TestStore> {
  await empty(database)
  const open: Store[] = []
  const another = async (): Promise<Store> => {
    const store = await openStore({ kind: 'postgres', url: database.url, connections: 4 })
    open.push(store)
    return store
  }
  return {
    store: await another(),
    another,
    run: database.run,
    moveClock: (byMs) => moveClock(database, byMs),
    [Symbol.asyncDispose]: async () => {
      for (const store of open) await store[Symbol.asyncDispose]()
    },
  }
}
