import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { ConfigError } from '../core/errors.ts'
import { connect, type Database, type Footing } from './database.ts'
import { applyLaws, lawsVersion } from './laws.ts'
import { first } from './migrations/0001-first.ts'

/** Every migration, by name, in order. Listed here rather than read from a folder, so that the built package has them too. */
const migrations: Readonly<Record<string, Migration>> = { '0001-first': first }

const migratorOf = (db: Kysely<unknown>): Migrator =>
  new Migrator({
    db,
    provider: { getMigrations: async () => ({ ...migrations }) },
    migrationTableSchema: 'dale',
    migrationTableName: 'migration',
    migrationLockTableName: 'migration_lock',
  })

/**
 * Brings schema `dale` to this version: all or nothing, in one transaction, one process at a time. Repeatable. Answers which
 * migrations it ran. Throws `ConfigError` when the database belongs to a newer Dale.
 */
export async function migrate(footing: Footing): Promise<readonly string[]> {
  await using connection = connect(footing, () => {})
  return await connection.db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('dale:migrate', 0))`.execute(tx)
    const db = tx as unknown as Kysely<unknown>
    const { error, results } = await migratorOf(db).migrateToLatest()
    if (error !== undefined) throw new ConfigError([{ path: 'DATABASE_URL', message: `Schema dale could not be migrated: ${error instanceof Error ? error.message : String(error)}` }], { cause: error })
    await applyLaws(db)
    return (results ?? []).map(({ migrationName }) => migrationName)
  })
}

/** Throws `ConfigError` unless schema `dale` is exactly what this version of Dale expects. */
export async function checkSchema(db: Database): Promise<void> {
  const { rows: there } = await sql<{ readonly found: boolean }>`select to_regclass('dale.migration') is not null as found`.execute(db)
  if (there[0]?.found !== true) throw schemaError('has no schema dale yet: run dale migrate')
  const { rows: ran } = await sql<{ readonly name: string }>`select name from dale.migration order by name`.execute(db)
  const names = ran.map(({ name }) => name)
  const unknown = names.filter((name) => !(name in migrations))
  if (unknown.length > 0) throw schemaError(`belongs to a newer Dale (${unknown.join(', ')}): update this one`)
  const { rows: laws } = await sql<{ readonly version: string }>`select version from dale.laws`.execute(db)
  if (names.length < Object.keys(migrations).length || laws[0]?.version !== lawsVersion) throw schemaError('is older than this Dale: run dale migrate')
}

const schemaError = (message: string): ConfigError => new ConfigError([{ path: 'DATABASE_URL', message: `The database ${message}` }])
