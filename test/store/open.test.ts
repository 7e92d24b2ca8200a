import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { ConfigError } from '../../src/core/errors.ts'
import { migrate } from '../../src/store/migrate.ts'
import { openStore } from '../../src/store/open.ts'
import { aDatabase, type TestDatabase } from '../support/database.ts'
import { describeOn } from '../support/describe-on.ts'
import { aProposal } from '../support/proposals.ts'

/** Every migration that there is, in order: one that is not listed in the code would not run. */
const migrations = readdirSync(join(import.meta.dirname, '..', '..', 'src', 'store', 'migrations'))
  .map((file) => file.replace(/\.ts$/, ''))
  .sort()

describeOn('postgres', 'opening a store', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await aDatabase()
  })
  afterAll(async () => {
    await database[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    await database.run('drop schema if exists dale cascade')
  })

  const footing = () => ({ kind: 'postgres', url: database.url }) as const
  const problemsOf = async (): Promise<unknown> => {
    try {
      await using _store = await openStore(footing(), { check: true })
      return []
    } catch (error) {
      return error instanceof ConfigError ? error.problems.map(({ message }) => message) : error
    }
  }

  it('asks for a migration where there is no schema', async () => {
    expect(await problemsOf()).toEqual(['The database has no schema dale yet: run dale migrate'])
  })

  it('opens what was migrated', async () => {
    expect(await migrate(footing())).toEqual(migrations)
    expect(await problemsOf()).toEqual([])
  })

  it('migrates once, and again without doing anything', async () => {
    await migrate(footing())
    expect(await migrate(footing())).toEqual([])
  })

  it('migrates once when several processes start together', async () => {
    const ran = await Promise.all([migrate(footing()), migrate(footing()), migrate(footing())])
    expect(ran.flat()).toEqual(migrations)
  })

  it('asks for a migration where the laws are of another version, and puts them in place', async () => {
    await migrate(footing())
    await database.run(`update dale.laws set version = 'older'`)
    await database.run('drop trigger guard_proposal on dale.proposal')
    expect(await problemsOf()).toEqual(['The database is older than this Dale: run dale migrate'])
    expect(await migrate(footing())).toEqual([])
    expect(await problemsOf()).toEqual([])
    await using store = await openStore(footing())
    await expect(store.commit({ create: [aProposal({ state: 'approved' })] })).rejects.toThrow('begins as approved')
  })

  it('refuses the database of a newer Dale, opened or migrated', async () => {
    await migrate(footing())
    await database.run(`insert into dale.migration (name, timestamp) values ('9999-later', 'x')`)
    expect(await problemsOf()).toEqual(['The database belongs to a newer Dale: update this one'])
    await expect(migrate(footing())).rejects.toThrow(ConfigError)
  })

  it('keeps what is stored when it migrates again', async () => {
    await migrate(footing())
    await using store = await openStore(footing())
    const draft = aProposal({ state: 'draft' })
    await store.commit({ create: [draft] })
    await database.run(`update dale.laws set version = 'older'`)
    await migrate(footing())
    expect((await store.proposal(draft.id))?.proposal).toEqual(draft)
  })

  it('is down where nobody listens, and says what it was doing', async () => {
    const heard: Error[] = []
    await using store = await openStore(
      { kind: 'postgres', url: 'postgres://postgres@127.0.0.1:1/none' },
      { onError: (error) => heard.push(error) },
    )
    expect(await store.isUp()).toBe(false)
    expect(heard).toHaveLength(1)
    await expect(store.now()).rejects.toThrow('The database could not be asked while reading the clock')
  })

  it('goes on after the server has closed its connections', async () => {
    await migrate(footing())
    const heard: Error[] = []
    await using store = await openStore(footing(), { onError: (error) => heard.push(error) })
    await store.now()
    await database.run(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'dale'`,
    )
    await expect.poll(() => store.isUp()).toBe(true)
    expect(await store.now()).toBeGreaterThan(0)
  })
})
