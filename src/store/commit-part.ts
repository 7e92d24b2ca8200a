import { type RawBuilder, sql } from 'kysely'
import type { Committed } from '../ports/store.ts'

/**
 * One thing that a change writes: the body of a CTE that hangs on `won`, a relation of one row if every move was won, else of none.
 * `lost` says what it means when the CTE does not return exactly one row.
 */
export interface Part {
  readonly name: string
  readonly body: RawBuilder<unknown>
  readonly lost?: Extract<Committed, { kind: 'lost' }>['what']
}

/** A value that may be absent, as a parameter of a known type: without the cast the server could not tell what it is. */
export const maybe = (value: string | number | boolean | undefined, type: 'text' | 'int' | 'bigint' | 'json'): RawBuilder<unknown> =>
  sql`${value ?? null}::${sql.raw(type)}`
