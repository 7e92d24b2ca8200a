import { expect, it } from 'vitest'
import type { Store } from '../../../src/ports/store.ts'
import { aConversation, anId } from '../../support/proposals.ts'
import { aMessage, chatter, receipt, sendNext, toAgent, type UnderTest } from './under-test.ts'

/** One turn in which ana writes and the agent answers. */
async function exchange(store: Store, asks: string, answers: string): Promise<void> {
  await toAgent(store, aMessage(asks))
  const turn = await store.nextTurn(aConversation, 60_000, anId())
  if (turn === undefined) throw new Error('There is no turn to take')
  await store.commit({ turn: { id: turn.id, fence: turn.fence }, say: [chatter(answers)] })
  await sendNext(store)
}
const wordsOf = (lines: readonly { readonly by: string; readonly text: string }[]) =>
  lines.map(({ by, text }) => `${by}: ${text}`)

export function memoryContract(under: UnderTest): void {
  it('tells what people and the agent said, and nothing of the runtime’s or of the turn itself', async () => {
    const { store } = under()
    await exchange(store, 'hola', 'buenas')
    await store.commit({ say: [receipt('Hecho.')] })
    await sendNext(store)
    await store.keep('main', [aMessage('dale')])
    await toAgent(store, aMessage('otra cosa'))
    const turn = await store.nextTurn(aConversation, 60_000, anId())
    const past = await store.past(aConversation, turn?.id ?? '', 40)
    expect(past).toEqual({ lines: expect.any(Array), overflow: [] })
    expect(wordsOf(past.lines)).toEqual(['person: hola', 'agent: buenas'])
  })

  it('hands over what no longer fits, and has a summary in its place once there is one', async () => {
    const { store, moveClock } = under()
    for (const [asks, answers] of [
      ['uno', 'a'],
      ['dos', 'b'],
      ['tres', 'c'],
    ] as const) {
      await exchange(store, asks, answers)
      await moveClock(1000)
    }
    const past = await store.past(aConversation, 'none', 2)
    expect(wordsOf(past.lines)).toEqual(['person: tres', 'agent: c'])
    expect(wordsOf(past.overflow)).toEqual(['person: uno', 'agent: a', 'person: dos', 'agent: b'])
    await store.remember(aConversation, 'contó hasta dos', past.overflow.at(-1)?.atMs ?? 0)
    const next = await store.past(aConversation, 'none', 2)
    expect(next.summary).toBe('contó hasta dos')
    expect([wordsOf(next.overflow), wordsOf(next.lines)]).toEqual([[], ['person: tres', 'agent: c']])
  })

  it('keeps the later of two summaries, and forgets on request', async () => {
    const { store } = under()
    await store.remember(aConversation, 'later', 2000)
    await store.remember(aConversation, 'earlier', 1000)
    expect((await store.past(aConversation, 'none', 2)).summary).toBe('later')
    await store.forgetPast(aConversation)
    expect(await store.past(aConversation, 'none', 2)).toEqual({ lines: [], overflow: [] })
  })

  it('forgets what was said on request, and takes up what is said after that', async () => {
    const { store, moveClock } = under()
    await exchange(store, 'uno', 'a')
    await store.forgetPast(aConversation)
    expect(await store.past(aConversation, 'none', 40)).toEqual({ lines: [], overflow: [] })
    await moveClock(1000)
    await exchange(store, 'dos', 'b')
    expect(wordsOf((await store.past(aConversation, 'none', 40)).lines)).toEqual(['person: dos', 'agent: b'])
  })
}
