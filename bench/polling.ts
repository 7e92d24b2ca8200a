import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { percentile } from './queue.ts'

/** P0: a worker that looks once a second and runs one thing at a time, as an approval column and a cron job do; approve → executed. */
export async function measureP0(url: string, count: number): Promise<{ readonly p50Ms: number }> {
  const pool = new pg.Pool({ connectionString: url, max: 4 })
  await pool.query('create table p0 (id int primary key, approved_at double precision, done_at double precision)')
  let done = 0
  const took: number[] = []
  const working = (async () => {
    while (done < count) {
      for (;;) {
        const { rows } = await pool.query<{ id: number; approved_at: number }>(
          'select id, approved_at from p0 where done_at is null order by id limit 1',
        )
        const [row] = rows
        if (row === undefined) break
        await pool.query('update p0 set done_at = $2 where id = $1', [row.id, performance.now()])
        took.push(performance.now() - row.approved_at)
        done += 1
      }
      await sleep(1000)
    }
  })()
  for (let id = 1; id <= count; id += 1) {
    await sleep(130 + ((id * 37) % 240))
    await pool.query('insert into p0 values ($1, $2, null)', [id, performance.now()])
  }
  await working
  await pool.query('drop table p0')
  await pool.end()
  return { p50Ms: percentile(took, 50) }
}
