import type { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { sustained } from './queue.ts'

type Ask = (text: string, values: readonly unknown[]) => Promise<unknown>

/** D0, the reference for the database: the three steps of a proposal's life as bare statements; lives a second with 50 in flight. */
export async function measureD0(ground: { readonly url: string } | { readonly db: PGlite }, count: number): Promise<number> {
  const pool = 'url' in ground ? new pg.Pool({ connectionString: ground.url, max: 10 }) : undefined
  const ask: Ask = async (text, values) => {
    if (pool !== undefined) return await pool.query(text, [...values])
    return 'db' in ground ? await ground.db.query(text, [...values]) : undefined
  }
  await ask('create schema if not exists d0', [])
  await ask('create table if not exists d0.life (id int primary key, state text, revision int)', [])
  await ask('create table if not exists d0.event (id int, revision int, state text)', [])
  await ask('truncate d0.life, d0.event', [])
  await ask(`insert into d0.life select n, 'pending', 1 from generate_series(1, $1::int) n`, [count])
  const step = (id: number, from: string, to: string) =>
    ask(
      `with moved as (update d0.life set state = $3, revision = revision + 1 where id = $1 and state = $2 returning id, revision, state)
       insert into d0.event select id, revision, state from moved`,
      [id, from, to],
    )
  let next = 0
  const perSecond = await sustained(
    async () => {
      const id = ++next
      await step(id, 'pending', 'approved')
      await step(id, 'approved', 'executing')
      await step(id, 'executing', 'succeeded')
    },
    50,
    count,
  )
  await ask('drop schema d0 cascade', [])
  await pool?.end()
  return perSecond
}
