import { expect, it } from 'vitest'
import { forgetOwners } from '../../src/store/forget-owners.ts'
import { anEmptyStore } from '../support/embedded.ts'
import { aConversation, anId, aProposal, placed } from '../support/proposals.ts'
import { aMessage, chatter, toAgent } from './contract/under-test.ts'

it('gives everything that a dead process held to the next one at once, and nothing that it did is forgotten', async () => {
  const { db, store } = await anEmptyStore()
  const elsewhere = { account: 'tienda', chat: 'elsewhere' }
  await store.lease('telegram:1', 'dead', 60_000)
  await store.keep('main', [aMessage('hola')])
  await store.nextInbound(aConversation, 'dead', 60_000)
  await toAgent(store, aMessage('otra', { conversation: elsewhere }))
  const turn = await store.nextTurn(elsewhere, 60_000, anId())
  await store.commit({ say: [chatter('1')] })
  await store.nextOutgoing(aConversation, 60_000)
  const nowMs = await store.now()
  const running = aProposal({ state: 'executing' })
  const sent = {
    ...running,
    state: { ...running.state, leaseUntilMs: nowMs + 60_000, sent: { atMs: nowMs, fence: running.state.fence } },
  }
  await placed(store, sent)
  expect((await store.due(10)).leaseless).toEqual([])
  await db.query(`insert into dale.hook_call (proposal, event, at) values ('${sent.id}', 'proposed', 1)`)
  await store.nextHookCall(60_000)
  expect(await store.hookCallsWait()).toBe(false)

  await forgetOwners({ kind: 'pglite', db })

  expect(await store.lease('telegram:1', 'next', 60_000)).toEqual({ fence: 2 })
  expect((await store.nextInbound(aConversation, 'next', 1000))?.event).toMatchObject({ body: { text: 'hola' } })
  expect(await store.nextTurn(elsewhere, 1000, anId())).toMatchObject({ id: turn?.id, fence: 2 })
  expect(await store.nextOutgoing(aConversation, 1000)).toMatchObject({ mayHaveArrived: true, fence: 2 })
  expect((await store.due(10)).leaseless).toEqual([sent.id])
  expect(await store.hookCallsWait()).toBe(true)
  expect((await store.proposal(sent.id))?.proposal.state).toMatchObject({ name: 'executing', sent: sent.state.sent })
})
