import { afterAll, beforeAll, describe } from 'vitest'
import { storeContract } from '../contracts/store.ts'
import { aDatabase, hasPostgres, storeOn, type TestDatabase } from '../support/database.ts'

describe.runIf(await hasPostgres())('on PostgreSQL (needs DATABASE_URL or a server on 127.0.0.1:5432)', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await aDatabase()
  })
  afterAll(async () => {
    await database[Symbol.asyncDispose]()
  })

  storeContract(() => storeOn(database))
})
