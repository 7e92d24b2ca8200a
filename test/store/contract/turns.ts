import { expect, it } from 'vitest'
import type { Store, TurnRow } from '../../../src/ports/store.ts'
import { aConversation, anId, aProposal, minutes, moved, placed, someTimeMs } from '../../support/proposals.ts'
import { aMessage, chatter, toAgent, type UnderTest } from './under-test.ts'

const take = (store: Store, id = anId()): Promise<TurnRow | undefined> => store.nextTurn(aConversation, 60_000, id)
const wordsOf = (turn: TurnRow | undefined) =>
  turn?.messages.map(({ message }) => (message.body.kind === 'text' ? message.body.text : message.body.form))
const end = (store: Store, { id, fence }: TurnRow) => store.commit({ turn: { id, fence } })

export function turnsContract(under: UnderTest): void {
  it('takes what waits for the agent, and nothing else', async () => {
    const { store } = under()
    await store.keep('main', [aMessage('unhandled')])
    expect(await take(store)).toBeUndefined()
    const message = aMessage('hola')
    await toAgent(store, message)
    const turn = await take(store, 'turn-1')
    const { receivedAtMs } = turn!.messages[0]!
    expect(turn).toEqual({
      id: 'turn-1',
      fence: 1,
      attempts: 0,
      conversation: aConversation,
      person: 'ana',
      formerly: [],
      messages: [{ message, receivedAtMs }],
      proposals: [],
      sinceMs: receivedAtMs,
      nowMs: expect.any(Number),
    })
  })

  it('joins what one person wrote, up to where another one spoke', async () => {
    const { store } = under()
    for (const [person, words] of [
      ['ana', '1'],
      ['ana', '2'],
      ['bea', '3'],
      ['ana', '4'],
    ] as const)
      await toAgent(store, aMessage(words, { sender: { id: person } }))
    for (const [person, words] of [
      ['ana', ['1', '2']],
      ['bea', ['3']],
      ['ana', ['4']],
    ] as const) {
      const turn = (await take(store))!
      expect([turn.person, wordsOf(turn)]).toEqual([person, words])
      await end(store, turn)
    }
    expect(await take(store)).toBeUndefined()
  })

  it('joins what comes while a turn runs into the next', async () => {
    const { store } = under()
    await toAgent(store, aMessage('1'))
    const first = (await take(store))!
    await toAgent(store, aMessage('2'))
    await toAgent(store, aMessage('3'))
    expect(await take(store)).toBeUndefined()
    expect(await end(store, first)).toEqual({ kind: 'committed' })
    expect(wordsOf(await take(store))).toEqual(['2', '3'])
  })

  it('gives the same turn again with a higher fence once its lease is over', async () => {
    const { store, moveClock } = under()
    await toAgent(store, aMessage('1'))
    const first = (await take(store))!
    await toAgent(store, aMessage('2'))
    await moveClock(59_000)
    expect(await take(store)).toBeUndefined()
    await moveClock(1_000)
    const second = (await take(store))!
    expect(second).toEqual({ ...first, fence: 2, attempts: 1, nowMs: expect.any(Number) })
    expect(await store.commit({ turn: { id: first.id, fence: first.fence }, say: [chatter('too late')] })).toEqual({
      kind: 'lost',
      what: 'fence',
    })
    expect(await store.nextOutgoing(aConversation, 1000)).toBeUndefined()
    expect(await end(store, second)).toEqual({ kind: 'committed' })
    expect(await end(store, second)).toEqual({ kind: 'lost', what: 'fence' })
  })

  it('keeps a turn for who extends it', async () => {
    const { store, moveClock } = under()
    await toAgent(store, aMessage('1'))
    const turn = (await take(store))!
    await moveClock(59_000)
    expect(await store.extendTurn(turn.id, turn.fence, 60_000)).toBe(true)
    await moveClock(59_000)
    expect(await take(store)).toBeUndefined()
    await moveClock(1_000)
    expect(await take(store)).toMatchObject({ id: turn.id, fence: 2 })
    expect(await store.extendTurn(turn.id, turn.fence, 60_000)).toBe(false)
    await end(store, { ...turn, fence: 2 })
    expect(await store.extendTurn(turn.id, 2, 60_000)).toBe(false)
  })

  it('tells what moved since the turn before began, and what is open', async () => {
    const { store, moveClock } = under()
    await placed(store, aProposal({ state: 'rejected' }))
    const open = await placed(store, aProposal())
    await moveClock(1000)
    await toAgent(store, aMessage('1'))
    await end(store, (await take(store))!)
    const ended = await placed(store, aProposal({ state: 'expired' }))
    await placed(store, aProposal({ conversation: { account: 'tienda', chat: 'tg:9' } }))
    await toAgent(store, aMessage('2'))
    expect((await take(store))?.proposals).toEqual([open, ended])
  })

  it('gives each message to one turn while two processes take', async () => {
    const { store, another } = under()
    const [one, other] = [await another(), await another()]
    for (let round = 0; round < 10; round += 1) {
      await toAgent(store, aMessage(String(round), { moment: { atMs: someTimeMs + minutes(round) } }))
      const taken = (await Promise.all([one, other, one, other].map((taker) => take(taker)))).filter((turn) => turn !== undefined)
      expect(taken.map(wordsOf)).toEqual([[String(round)]])
      await end(store, taken[0]!)
    }
  })

  it('shows in a turn a proposal as it stands', async () => {
    const { store } = under()
    const before = await placed(store, aProposal())
    await toAgent(store, aMessage('1'))
    const { state } = aProposal({ state: 'discarded' })
    const after = moved(before, state)
    await store.commit({ moves: [{ before, after, event: 'discard', by: 'ana' }] })
    expect((await take(store))?.proposals).toEqual([after])
  })
}
