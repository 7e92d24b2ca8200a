import { beforeEach, expect, test } from 'vitest'
import type { Store } from '../../src/ports/store.ts'
import { anEmptyStore, workersEmbedded } from '../support/embedded.ts'
import { aProposal } from '../support/proposals.ts'

let store: Store
beforeEach(async () => {
  await workersEmbedded()
  store = (await anEmptyStore()).store
}, 60_000)

test('av-285, av-338: an id is taken once', async () => {
  const first = aProposal({ state: 'draft' })
  expect(await store.commit({ create: [first] })).toEqual({ kind: 'committed' })
  const second = { ...aProposal({ state: 'draft' }), id: first.id, requester: 'beto', canonicalArgs: '{"monto":"1"}' }
  const refused = await store.commit({ create: [second] }).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(Error)
  expect(String(refused)).not.toContain('ana')
  expect((await store.proposal(first.id))?.proposal).toEqual(first)
})
