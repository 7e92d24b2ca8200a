import { Socket } from 'node:net'
import type { PGlite } from '@electric-sql/pglite'
import { Kysely, PGliteDialect, PostgresDialect, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import { BrokenInvariantError, ConfigError, StoreAwayError } from '../core/errors.ts'
import { lawBroken, sqlStateOf } from './sql-state.ts'
import type { Tables } from './tables.ts'

/** Where the truth lies: a PostgreSQL server, or PostgreSQL in this process. */
export type Footing =
  | {
      readonly kind: 'postgres'
      readonly url: string
      readonly connections?: number
      /** How long the store waits for one statement (10 s). Migrations take as long as they take. */
      readonly answerWithinMs?: number
    }
  | { readonly kind: 'pglite'; readonly db: PGlite }

export type Database = Kysely<Tables>

/** `dale.now_ms()`: the database's clock in milliseconds. */
export const nowMs = sql<number>`dale.now_ms()`

const int8 = 20

// Moments and ids are int8 and far below 2^53; PGlite reads them as numbers by itself.
const types: typeof pg.types = Object.assign(Object.create(pg.types), {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === int8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
})

/** How long the store waits for one statement: many times what any of ours takes, and less than providers wait for an answer. */
export const answerWithinMs = 10_000

/** How much later than the server itself a connection is given up that says nothing at all. */
const silenceAfterMs = 2000

/**
 * What keeps a statement, a forgotten transaction or a dead line from hanging a process. The server ends the first two by itself
 * (`statement_timeout`, `idle_in_transaction_session_timeout`: https://www.postgresql.org/docs/current/runtime-config-client.html). Where
 * nothing comes from it any more the socket ends, and the pool then makes another; pg's own `query_timeout` would leave it in the pool with
 * the query still in it.
 */
const within = (ms: number): pg.PoolConfig => ({
  statement_timeout: ms,
  idle_in_transaction_session_timeout: ms,
  stream: () => {
    const socket = new Socket()
    const limitMs = ms + silenceAfterMs
    return socket.setTimeout(limitMs, () => socket.destroy(new Error(`PostgreSQL has said nothing for ${limitMs} ms`)))
  },
})

/**
 * Connects Kysely to a footing; nothing is asked of the database yet. `onError` hears of idle connections that broke: the pool
 * replaces them, and without a listener one of them would end the process. With `limitMs` no statement takes longer. Disposing leaves a PGlite open: it is
 * its owner's.
 */
export function connect(
  footing: Footing,
  onError: (error: Error) => void,
  limitMs?: number,
): AsyncDisposable & { readonly db: Database } {
  if (footing.kind === 'pglite')
    return {
      db: new Kysely<Tables>({ dialect: new PGliteDialect({ pglite: footing.db }) }),
      [Symbol.asyncDispose]: async () => {},
    }
  const pool = new pg.Pool({
    connectionString: footing.url,
    max: footing.connections ?? 10,
    keepAlive: true,
    application_name: 'dale',
    connectionTimeoutMillis: 10_000,
    types,
    ...(limitMs === undefined ? {} : within(limitMs)),
  })
  pool.on('error', onError)
  // A connection that breaks in use fails its query, which is enough; its own event, unheard, would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined))
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  return { db, [Symbol.asyncDispose]: () => db.destroy() }
}

/** Asks a statement that always answers one row. */
export async function oneRow<T>(db: QueryExecutorProvider, statement: RawBuilder<T>): Promise<T> {
  const { rows } = await statement.execute(db)
  const [row] = rows
  if (row === undefined) throw new BrokenInvariantError('A statement that answers one row answered none')
  return row
}

const serializationFailure = '40001'
const deadlock = '40P01'
const attemptsAllowed = 5

/**
 * Asks the database. A deadlock or serialization failure wrote nothing and is asked again; a broken law or constraint is a bug
 * (`BrokenInvariantError`), and so is an error of our own; anything else means that the database could not be asked
 * (`StoreAwayError`). `doing` says what for, with ids only.
 */
export async function asking<T>(doing: string, ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask()
    } catch (error) {
      const state = sqlStateOf(error)
      if ((state === deadlock || state === serializationFailure) && attempt < attemptsAllowed) continue
      if (error instanceof ConfigError || error instanceof BrokenInvariantError) throw error
      if (state === lawBroken || state?.startsWith('23'))
        throw new BrokenInvariantError(`The database refused ${doing}: ${error instanceof Error ? error.message : state}`, {
          cause: error,
        })
      if (error instanceof TypeError || error instanceof ReferenceError)
        throw new BrokenInvariantError(`A bug in ${doing}`, { cause: error })
      throw new StoreAwayError(`The database could not be asked while ${doing}`, { cause: error })
    }
  }
}
