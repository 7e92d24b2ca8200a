import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { ConfigError } from '../core/errors.ts'
import { connect, type Database, type Footing, oneRow } from './database.ts'
import { applyLaws, lawsVersion } from './laws.ts'
import { first } from './migrations/0001-first.ts'
import { secrets } from './migrations/0002-secrets.ts'
import { reports } from './migrations/0003-reports.ts'
import { words } from './migrations/0004-words.ts'
import { contacts } from './migrations/0005-contacts.ts'
import { memory } from './migrations/0006-memory.ts'
import { pruning } from './migrations/0007-pruning.ts'
import { people } from './migrations/0008-people.ts'
import { questions } from './migrations/0009-questions.ts'
import { grants } from './migrations/0010-grants.ts'
import { api } from './migrations/0011-api.ts'
import { escalation } from './migrations/0012-escalation.ts'
import { origins } from './migrations/0013-origins.ts'

/** Every migration, by name, in order. Listed here rather than read from a folder, so that the built package has them too. */
const migrations: Readonly<Record<string, Migration>> = {
  '0001-first': first,
  '0002-secrets': secrets,
  '0003-reports': reports,
  '0004-words': words,
  '0005-contacts': contacts,
  '0006-memory': memory,
  '0007-pruning': pruning,
  '0008-people': people,
  '0010-grants': grants,
  '0009-questions': questions,
  '0011-api': api,
  '0012-escalation': escalation,
  '0013-origins': origins,
}

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
  if ((await schemaOf(connection.db)) === 'current') return []
  return await connection.db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('dale:migrate', 0))`.execute(tx)
    const db = tx as unknown as Kysely<unknown>
    const { error, results } = await migratorOf(db).migrateToLatest()
    if (error !== undefined)
      throw new ConfigError(
        [
          {
            path: 'DATABASE_URL',
            message: `Schema dale could not be migrated: ${error instanceof Error ? error.message : 'for a reason that is no error'}`,
          },
        ],
        { cause: error },
      )
    await applyLaws(db)
    return (results ?? []).map(({ migrationName }) => migrationName)
  })
}

/** How schema `dale` stands to this version of Dale. */
async function schemaOf(db: Database): Promise<'missing' | 'older' | 'current' | 'newer'> {
  const { rows: there } = await sql<{
    readonly found: boolean
  }>`select to_regclass('dale.migration') is not null and to_regclass('dale.laws') is not null as found`.execute(db)
  if (there[0]?.found !== true) return 'missing'
  const { names, laws } = await oneRow(
    db,
    sql<{ readonly names: readonly string[]; readonly laws: string | null }>`
    select (select coalesce(json_agg(name), '[]'::json) from dale.migration) as names, (select version from dale.laws) as laws`,
  )
  if (names.some((name) => !(name in migrations))) return 'newer'
  return names.length === Object.keys(migrations).length && laws === lawsVersion ? 'current' : 'older'
}

/** Throws `ConfigError` unless schema `dale` is exactly what this version of Dale expects. */
export async function checkSchema(db: Database): Promise<void> {
  switch (await schemaOf(db)) {
    case 'current':
      return
    case 'missing':
      throw schemaError('has no schema dale yet: run dale migrate')
    case 'older':
      throw schemaError('is older than this Dale: run dale migrate')
    case 'newer':
      throw schemaError('belongs to a newer Dale: update this one')
  }
}

const schemaError = (message: string): ConfigError =>
  new ConfigError([{ path: 'DATABASE_URL', message: `The database ${message}` }])
