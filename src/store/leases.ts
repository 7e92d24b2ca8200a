import { sql } from 'kysely'
import { asking, type Database, nowMs } from './database.ts'

/** Takes or renews a named lease; undefined while another holds it. */
export function lease(db: Database, name: string, owner: string, ttlMs: number): Promise<{ readonly fence: number } | undefined> {
  return asking(`taking the lease ${name}`, async () => {
    const { rows } = await sql<{ readonly fence: number }>`
      insert into dale.lease as held (name, owner, until, fence) values (${name}, ${owner}, ${nowMs} + ${ttlMs}::bigint, 1)
      on conflict (name) do update set owner = excluded.owner, until = excluded.until, fence = case when held.owner = excluded.owner then held.fence else held.fence + 1 end
      where held.owner = excluded.owner or held.until <= ${nowMs}
      returning fence`.execute(db)
    return rows[0]
  })
}

/** Gives a lease up; its fence stays, so that the next holder's is higher. */
export function releaseLease(db: Database, name: string, owner: string): Promise<void> {
  return asking(`releasing the lease ${name}`, async () => {
    await db.updateTable('dale.lease').set({ until: 0, owner: '' }).where('name', '=', name).where('owner', '=', owner).execute()
  })
}
