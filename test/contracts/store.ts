import { afterEach, beforeEach, describe } from 'vitest'
import { askingContract } from '../store/contract/asking.ts'
import { contactsContract } from '../store/contract/contacts.ts'
import { grantsContract } from '../store/contract/grants.ts'
import { inboxContract } from '../store/contract/inbox.ts'
import { memoryContract } from '../store/contract/memory.ts'
import { outboxContract } from '../store/contract/outbox.ts'
import { outsideContract } from '../store/contract/outside.ts'
import { peopleContract } from '../store/contract/people.ts'
import { proposalsContract } from '../store/contract/proposals.ts'
import { pruningContract } from '../store/contract/pruning.ts'
import { recordsContract } from '../store/contract/records.ts'
import { reportsContract } from '../store/contract/reports.ts'
import { runsContract } from '../store/contract/runs.ts'
import { situationContract } from '../store/contract/situation.ts'
import { turnsContract } from '../store/contract/turns.ts'
import type { TestStore } from '../support/database.ts'

/** What every store must do. `open` gives an empty one, which the suite disposes after each test. */
export function storeContract(open: () => Promise<TestStore>): void {
  let opened: TestStore
  const under = (): TestStore => opened

  beforeEach(async () => {
    opened = await open()
  })
  afterEach(async () => {
    await opened[Symbol.asyncDispose]()
  })

  describe('inbox', () => inboxContract(under))
  describe('contacts', () => contactsContract(under))
  describe('proposals', () => proposalsContract(under))
  describe('situation', () => situationContract(under))
  describe('outbox', () => outboxContract(under))
  describe('turns', () => turnsContract(under))
  describe('runs', () => runsContract(under))
  describe('what is old', () => pruningContract(under))
  describe('memory', () => memoryContract(under))
  describe('people', () => peopleContract(under))
  describe('what was asked for before', () => askingContract(under))
  describe('grants', () => grantsContract(under))
  describe('programs outside', () => outsideContract(under))
  describe('records', () => recordsContract(under))
  describe('reports', () => reportsContract(under))
}
