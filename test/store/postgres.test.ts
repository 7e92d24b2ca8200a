import { afterAll, beforeAll } from 'vitest'
import { storeContract } from '../contracts/store.ts'
import { aDatabase, storeOn, type TestDatabase } from '../support/database.ts'
import { describeOn } from '../support/describe-on.ts'

describeOn('postgres', 'on PostgreSQL', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await aDatabase()
  })
  afterAll(async () => {
    await database[Symbol.asyncDispose]()
  })

  storeContract(() => storeOn(database))
})
