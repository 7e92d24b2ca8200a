import { expect, it } from 'vitest'
import type { Store } from '../../../src/ports/store.ts'
import { aConversation, anId, aProposal, minutes, moved, placed } from '../../support/proposals.ts'
import { aMessage, aShowing, cardOf, chatter, receipt, sendNext, toAgent, type UnderTest } from './under-test.ts'

const days = (n: number): number => n * 24 * 60 * minutes(1)
const group = { account: 'tienda', chat: 'tg:-100' }

/** Ana writes, the agent answers, and the answer is reported; all of it is over. */
async function aTalk(store: Store, words: string): Promise<void> {
  await toAgent(store, aMessage(words))
  const { id, fence } = (await store.nextTurn(aConversation, 60_000, anId())) ?? expect.fail('there is no turn')
  await store.commit({ turn: { id, fence }, say: [chatter(`re: ${words}`)] })
  await sendNext(store, [`sent ${words}`])
  for (const status of ['sent', 'delivered'] as const)
    await store.report({ account: 'tienda', messageId: `sent ${words}`, status, atMs: await store.now() })
}

export function pruningContract(under: UnderTest): void {
  const left = async () =>
    (
      await under().run(`select (select count(*)::int from dale.inbox) as events, (select count(*)::int from dale.turn) as turns,
        (select count(*)::int from dale.outbox) as messages, (select count(*)::int from dale.sent_message) as ids, (select count(*)::int from dale.report) as reports`)
    )[0]
  const pruneAll = async (limit = 100): Promise<number> => {
    let rows = 0
    for (let batch = 1; batch > 0; rows += batch) batch = await under().store.prune(90, limit)
    return rows
  }

  it('erases what is over for longer, batch by batch, and the latest turn of a conversation only with a later one', async () => {
    const { store, moveClock } = under()
    for (const words of ['1', '2', '3']) await aTalk(store, words)
    await store.report({ account: 'tienda', messageId: 'of another tool', status: 'read', atMs: await store.now() })
    await moveClock(days(89))
    expect(await pruneAll()).toBe(0)
    expect(await store.isOurs('tienda', 'sent 1')).toBe(true)
    await moveClock(days(2))
    // One of each: the event, the turn, the message with its id and both of its reports, and the report on the other tool's.
    expect(await store.prune(90, 1)).toBe(7)
    expect(await left()).toEqual({ events: 2, turns: 2, messages: 2, ids: 2, reports: 4 })
    await pruneAll()
    expect(await left()).toEqual({ events: 0, turns: 1, messages: 0, ids: 0, reports: 0 })
    await aTalk(store, '4')
    await pruneAll()
    expect(await left()).toEqual({ events: 1, turns: 1, messages: 1, ids: 1, reports: 2 })
  })

  it('keeps what is not done with, however old it is', async () => {
    const { store, moveClock } = under()
    await store.keep('main', [aMessage('unhandled')])
    await toAgent(store, aMessage('in a turn', { conversation: group }))
    expect(await store.nextTurn(group, 60_000, anId())).toBeDefined()
    await toAgent(store, aMessage('waits for a turn', { conversation: group }))
    await store.commit({ say: [receipt('unsettled')] })
    await moveClock(days(400))
    expect(await pruneAll()).toBe(0)
    expect(await left()).toEqual({ events: 3, turns: 1, messages: 1, ids: 0, reports: 0 })
  })

  it('keeps everything around a proposal until it ends, in the chat of its card too, and the proposal itself for good', async () => {
    const { store, moveClock, run } = under()
    for (const words of ['1', '2']) await aTalk(store, words)
    const waits = await placed(store, aProposal())
    await store.commit({ say: [cardOf(waits, group), chatter('beside it', group)] })
    await sendNext(store, ['card'], group)
    await sendNext(store, ['beside it'], group)
    await store.commit({ showing: aShowing(waits, { conversation: group, messageIds: ['card'] }) })
    await moveClock(days(91))
    // In the other chat only the card has to do with it.
    expect(await pruneAll()).toBe(2)
    expect(await left()).toEqual({ events: 2, turns: 2, messages: 3, ids: 3, reports: 4 })
    expect(await run('select proposal from dale.outbox where conversation like $1', ['%-100'])).toEqual([{ proposal: waits.id }])
    const after = moved(waits, { name: 'expired', reason: 'undecided' })
    expect(await store.commit({ moves: [{ before: waits, after, event: 'expire', by: 'sweep' }] })).toEqual({ kind: 'committed' })
    await pruneAll()
    expect(await left()).toEqual({ events: 0, turns: 1, messages: 0, ids: 0, reports: 0 })
    expect((await store.proposal(waits.id))?.proposal).toEqual(after)
    expect(await store.history(waits.id)).not.toEqual([])
    expect(await store.showings(waits.id)).toHaveLength(1)
  })
}
