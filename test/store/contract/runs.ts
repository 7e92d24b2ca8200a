import { expect, it } from 'vitest'
import type { Store, TurnRow } from '../../../src/ports/store.ts'
import { aConversation, anId, aProposal, minutes, placed } from '../../support/proposals.ts'
import { aMessage, chatter, toAgent, type UnderTest } from './under-test.ts'

const take = (store: Store): Promise<TurnRow | undefined> => store.nextTurn(aConversation, 60_000, anId())
const end = (store: Store, { id, fence }: TurnRow) => store.commit({ turn: { id, fence } })
function there<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('There is nothing')
  return value
}
const resuming = { origin: 'human', resumes: { depth: 0 } } as const

export function runsContract(under: UnderTest): void {
  it('starts a turn with the end of a proposal that asks for it, once, and again after a crash', async () => {
    const { store, moveClock } = under()
    const ended = await placed(store, aProposal({ ...resuming, state: 'rejected' }))
    expect((await store.due(10)).turns).toEqual([aConversation])
    expect((await store.backlog()).turns).toBe(1)
    const turn = await take(store)
    expect(turn).toMatchObject({ person: 'ana', messages: [], resumed: ended, fence: 1, attempts: 0 })
    expect(turn?.sinceMs).toBeUndefined()
    expect(await take(store)).toBeUndefined()
    await moveClock(minutes(2))
    const again = await take(store)
    expect(again).toMatchObject({ id: turn?.id, resumed: ended, fence: 2, attempts: 1 })
    await end(store, there(again))
    expect([await take(store), (await store.due(10)).turns, (await store.backlog()).turns]).toEqual([undefined, [], 0])
  })

  it.each(['superseded', 'edited', 'discarded', 'pending', 'in_doubt'] as const)(
    'starts none with one that is %s',
    async (state) => {
      const { store } = under()
      await placed(store, aProposal({ ...resuming, state }))
      expect(await take(store)).toBeUndefined()
    },
  )

  it('starts none with one that asks for none, and lets a turn of an outcome go before what was written', async () => {
    const { store } = under()
    await placed(store, aProposal({ state: 'rejected' }))
    expect(await take(store)).toBeUndefined()
    await placed(store, aProposal({ ...resuming, state: 'expired' }))
    await toAgent(store, aMessage('hola'))
    const first = await take(store)
    expect(first?.resumed?.state.name).toBe('expired')
    await end(store, there(first))
    expect((await take(store))?.messages).toHaveLength(1)
  })

  it('keeps the origin with a proposal and in its history', async () => {
    const { store } = under()
    const { id } = await placed(store, aProposal({ origin: 'schedule', state: 'draft' }))
    expect((await store.proposal(id))?.proposal.origin).toBe('schedule')
    expect((await store.history(id)).map(({ event, note }) => [event, note])).toEqual([['propose', { origin: 'schedule' }]])
  })

  it('takes a delivery after a turn once, and none after it has proposed', async () => {
    const { store } = under()
    await toAgent(store, aMessage('hola'))
    const turn = there(await take(store))
    await end(store, turn)
    const push = (id: string, proposes = false) =>
      store.commit({ push: { turn: turn.id, id, proposes }, say: [chatter(id)] }).then(({ kind }) => kind)
    const read = async (id: string) => {
      const now = await store.turn(turn.id, id)
      return [now?.isPushed, now?.hasProposed]
    }
    expect(await store.turn(turn.id, 'd1')).toMatchObject({ id: turn.id, person: 'ana', beganAtMs: expect.any(Number) })
    expect(await read('d1')).toEqual([false, false])
    expect([await push('d1'), await push('d1')]).toEqual(['committed', 'lost'])
    expect(await read('d1')).toEqual([true, false])
    expect([await push('d2', true), await push('d3', true)]).toEqual(['committed', 'lost'])
    expect([await read('d2'), await read('d3')]).toEqual([
      [true, true],
      [false, true],
    ])
    expect(await store.turn('no-such-turn', 'd1')).toBeUndefined()
  })

  it('hands out what hooks are to be told of, one proposal in order, once at a time, and again when it was not ended', async () => {
    const { store, run, moveClock } = under()
    const [one, other] = [
      await placed(store, aProposal({ state: 'rejected' })),
      await placed(store, aProposal({ state: 'pending' })),
    ]
    await run(
      `insert into dale.hook_call (proposal, event, at) values ($1, 'proposed', 1), ($1, 'settled', 2), ($2, 'proposed', 3)`,
      [one.id, other.id],
    )
    const next = () => store.nextHookCall(60_000)
    const first = there(await next())
    expect(first).toMatchObject({ event: 'proposed', proposal: one, atMs: 1, attempts: 0 })
    // The end of the same proposal waits for that.
    expect(await next()).toMatchObject({ event: 'proposed', proposal: { id: other.id } })
    expect([await next(), await store.hookCallsWait()]).toEqual([undefined, false])
    await store.endHookCall(first, { kind: 'again', inMs: 5_000 })
    expect(await next()).toBeUndefined()
    await moveClock(6_000)
    const second = there(await next())
    expect([second.proposal.id, second.attempts]).toEqual([one.id, 1])
    // Whoever had it before can end nothing.
    await store.endHookCall(first, { kind: 'told' })
    expect(await next()).toBeUndefined()
    await store.endHookCall(second, { kind: 'told' })
    expect(await next()).toMatchObject({ event: 'settled', proposal: { id: one.id } })
    await moveClock(61_000)
    expect(await store.hookCallsWait()).toBe(true)
  })
}
