import type { PGlite } from '@electric-sql/pglite'
import type { Clock } from '../ports/clock.ts'

/** Noon of a day, UTC: every rehearsal begins then, so that what cards say does not depend on the day it is played. */
const beginning = Date.UTC(2026, 0, 5, 15)

/**
 * A clock that stands still until it is moved. The database goes by it too (`dale.clock()` is replaced), so deadlines, leases and
 * review times are as exact as the file says them.
 */
export class StillClock implements Clock {
  readonly #db: PGlite
  #nowMs = beginning

  constructor(db: PGlite) {
    this.#db = db
  }

  /** Puts the clock in place of the database's own, at the beginning. Repeatable. */
  async begin(): Promise<void> {
    await this.#db.exec(`create table if not exists dale.rehearsal_clock (at_ms bigint not null)`)
    await this.#db.exec(`truncate dale.rehearsal_clock`)
    await this.#db.exec(`insert into dale.rehearsal_clock values (${beginning})`)
    await this.#db.exec(`create or replace function dale.clock() returns timestamptz language sql stable as
      $$ select timestamptz 'epoch' + (select at_ms from dale.rehearsal_clock) * interval '1 millisecond' $$`)
    this.#nowMs = beginning
  }

  async move(byMs: number): Promise<void> {
    this.#nowMs += byMs
    await this.#db.query('update dale.rehearsal_clock set at_ms = $1', [this.#nowMs])
  }

  get nowMs(): number {
    return this.#nowMs
  }

  now(): Promise<number> {
    return Promise.resolve(this.#nowMs)
  }
}
