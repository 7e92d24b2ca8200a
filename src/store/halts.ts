import { sql } from 'kysely'
import type { Halt } from '../ports/store.ts'
import { asking, type Database, nowMs } from './database.ts'

/** Everything that is stopped now, oldest first. */
export function halts(db: Database): Promise<readonly Halt[]> {
  return asking('reading what is halted', async () => {
    const rows = await db.selectFrom('dale.halt').selectAll().orderBy('since').orderBy('scope').orderBy('name').execute()
    return rows.map(({ scope, name, made_by, since, reason }) => ({
      scope: scope === 'all' ? { kind: scope } : { kind: scope, name },
      by: made_by,
      sinceMs: since,
      ...(reason === null ? {} : { reason }),
    }))
  })
}

const nameOf = (scope: Halt['scope']): string => (scope.kind === 'all' ? '' : scope.name)

/** Stops a scope. One that is stopped already stays as it is: who stopped it first is what operators look for. */
export function halt(db: Database, { scope, by, reason }: Omit<Halt, 'sinceMs'>): Promise<void> {
  return asking('halting', async () => {
    await db
      .insertInto('dale.halt')
      .values({ scope: scope.kind, name: nameOf(scope), made_by: by, since: nowMs, reason: reason ?? null })
      .onConflict((conflict) => conflict.columns(['scope', 'name']).doNothing())
      .execute()
  })
}

/** Lets a scope go on; false when it was not stopped. */
export function resume(db: Database, scope: Halt['scope']): Promise<boolean> {
  return asking('resuming', async () => {
    const { rows } =
      await sql`delete from dale.halt where scope = ${scope.kind} and name = ${nameOf(scope)} returning scope`.execute(db)
    return rows.length > 0
  })
}
