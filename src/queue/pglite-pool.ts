import { EventEmitter } from 'node:events'
import type { PGlite, Transaction } from '@electric-sql/pglite'

/** The part of a query's result that BullMQ's PostgreSQL backend reads. */
export interface Answer<R> {
  rows: R[]
  rowCount: number
}

/** Sends one query, or several without parameters, and answers with the last one's result. */
export interface Asking {
  query<R>(text: string, params?: readonly unknown[]): Promise<Answer<R>>
}

/**
 * What BullMQ's PostgreSQL backend needs of a `pg.Pool`, over the one session of a PGlite. The database stays its owner's: `end`
 * closes nothing. A query inside somebody else's open transaction waits for its end, as every query on that session does.
 */
export class PGlitePool extends EventEmitter implements Asking {
  /** In the process there is no socket that could drop unseen: a waiting worker need not poll. */
  readonly options = { keepAlive: true }
  readonly #db: PGlite

  constructor(db: PGlite) {
    super()
    this.setMaxListeners(0)
    this.#db = db
  }

  query<R>(text: string, params?: readonly unknown[]): Promise<Answer<R>> {
    return ask<R>(this.#db, text, params)
  }

  async connect(): Promise<PGliteClient> {
    return new PGliteClient(this.#db)
  }

  async end(): Promise<void> {}
}

/** One borrowed connection, which hears notifications until it is released. */
export class PGliteClient extends EventEmitter implements Asking {
  readonly #db: PGlite
  readonly #stopHearing: () => void

  constructor(db: PGlite) {
    super()
    this.setMaxListeners(0)
    this.#db = db
    // One session: what anyone LISTENs to is heard by all, and each listener filters. BullMQ's LISTEN text begins with comments;
    // a client that parses it to know what to hear is deaf, and every bell then waits for the next poll.
    this.#stopHearing = db.onNotification((channel, payload) => this.emit('notification', { channel, payload }))
  }

  query<R>(text: string, params?: readonly unknown[]): Promise<Answer<R>> {
    return ask<R>(this.#db, text, params)
  }

  release(): void {
    this.#stopHearing()
  }
}

/**
 * Runs migrations that send BEGIN and COMMIT of their own in one transaction of PGlite's. Sent as they are, other callers' queries on
 * the same session would fall into that transaction. All or nothing; safe to repeat.
 */
export function migrateInside(db: PGlite, migrate: (client: Asking) => Promise<unknown>): Promise<void> {
  return db.transaction(async (tx) => {
    await migrate({
      query: async <R>(text: string, params?: readonly unknown[]) =>
        /^(begin|commit|rollback)$/i.test(text.trim()) ? { rows: [], rowCount: 0 } : ask<R>(tx, text, params),
    })
  })
}

async function ask<R>(db: PGlite | Transaction, text: string, params: readonly unknown[] = []): Promise<Answer<R>> {
  if (params.length > 0) {
    const { rows, affectedRows } = await db.query<R>(text, [...params])
    return { rows, rowCount: affectedRows ?? rows.length }
  }
  const last = (await db.exec(text)).at(-1)
  const rows = (last?.rows ?? []) as R[]
  return { rows, rowCount: last?.affectedRows ?? rows.length }
}
