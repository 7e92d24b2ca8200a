import { expect, it } from 'vitest'
import type { Inbound } from '../../../src/core/inbound.ts'
import type { Store } from '../../../src/ports/store.ts'
import { aConversation } from '../../support/proposals.ts'
import { aMessage, aPress, type UnderTest } from './under-test.ts'

const elsewhere = { account: 'tienda', chat: 'tg:7' }

export function inboxContract(under: UnderTest): void {
  it('keeps the first of two arrivals with one id', async () => {
    const { store } = under()
    const first = aMessage('hola')
    const kept = await store.keep('main', [first])
    expect(kept.map(({ event }) => event)).toEqual([first])
    expect(await store.keep('main', [{ ...first, body: { kind: 'text', text: 'otra' } }])).toEqual([])
    expect((await store.nextInbound(aConversation, 'here', 1000))?.event).toEqual(first)
  })

  it('keeps a batch in its order, and of one id in it the first', async () => {
    const { store } = under()
    const events = [aMessage('1'), aPress(), aMessage('3')]
    const kept = await store.keep('main', [...events, events[1]!])
    expect(kept.map(({ event }) => event)).toEqual(events)
    expect(kept.map(({ id }) => id)).toEqual(kept.map(({ id }) => id).toSorted((a, b) => a - b))
  })

  it('keeps one id of two accounts as two events', async () => {
    const { store } = under()
    const here = aMessage('hola')
    const there = { ...here, conversation: { account: 'otra', chat: 'tg:42000001' } }
    expect(await store.keep('main', [here, there])).toHaveLength(2)
  })

  it('gives back what a person wrote, even what text columns refuse', async () => {
    const { store } = under()
    const odd = aMessage('a\0b \ud83d "\\u0000" 👍🏽', { sender: { id: 'ana', name: 'Ana\0' } })
    await store.keep('main', [odd])
    expect((await store.nextInbound(aConversation, 'here', 1000))?.event).toEqual(odd)
  })

  it('gives back every kind of event', async () => {
    const { store } = under()
    const moment = { atMs: 1000, order: 3 }
    const events: readonly Inbound[] = [
      aMessage('hola'),
      aPress({ messageId: 'm9' }),
      { kind: 'said', conversation: aConversation, providerId: 's1', by: 'owner', moment },
      { kind: 'report', conversation: aConversation, providerId: 'r1', messageId: 'm1', status: 'delivered', moment },
      { kind: 'moved', conversation: aConversation, providerId: 'v1', toChat: '-100' },
    ]
    expect((await store.keep('main', events)).map(({ event }) => event)).toEqual(events)
  })

  it('gives the events of a conversation one at a time, oldest first', async () => {
    const { store } = under()
    const [first, second] = await store.keep('main', [aMessage('1'), aMessage('2')])
    expect(await store.nextInbound(aConversation, 'here', 1000)).toEqual(first)
    expect(await store.nextInbound(aConversation, 'there', 1000)).toBeUndefined()
    await store.commit({ handled: { inboxId: first!.id, road: 'converse', toAgent: false, by: 'here' } })
    expect(await store.nextInbound(aConversation, 'there', 1000)).toEqual(second)
  })

  it('lets one conversation wait without holding up another', async () => {
    const { store } = under()
    const [, there] = await store.keep('main', [aMessage('1'), aMessage('2', { conversation: elsewhere })])
    await store.nextInbound(aConversation, 'here', 1000)
    expect(await store.nextInbound(elsewhere, 'here', 1000)).toEqual(there)
  })

  it('gives an event again once the lease of its taker is over', async () => {
    const { store, moveClock } = under()
    const [row] = await store.keep('main', [aMessage('1')])
    await store.nextInbound(aConversation, 'here', 60_000)
    await moveClock(59_000)
    expect(await store.nextInbound(aConversation, 'there', 60_000)).toBeUndefined()
    await moveClock(1_000)
    expect(await store.nextInbound(aConversation, 'there', 60_000)).toEqual(row)
  })

  it('lets an event be handled once', async () => {
    const { store } = under()
    const [row] = await store.keep('main', [aMessage('1')])
    const handled = { inboxId: row!.id, road: 'converse', toAgent: true, by: 'here' }
    expect(await store.commit({ handled })).toEqual({ kind: 'committed' })
    expect(await store.commit({ handled })).toEqual({ kind: 'lost', what: 'fence' })
  })

  it('hands out each event once and in order while two processes take and a third keeps', async () => {
    const { store, another } = under()
    const events = Array.from({ length: 30 }, (_, place) => aMessage(String(place)))
    const taken: string[] = []
    let holders = 0
    const take = async (taker: Store, owner: string): Promise<void> => {
      while (taken.length < events.length) {
        const row = await taker.nextInbound(aConversation, owner, 60_000)
        if (row === undefined) continue
        holders += 1
        expect(holders).toBe(1)
        taken.push(row.event.providerId)
        holders -= 1
        expect(await taker.commit({ handled: { inboxId: row.id, road: 'converse', toAgent: false, by: owner } })).toEqual({
          kind: 'committed',
        })
      }
    }
    const keep = async (): Promise<void> => {
      for (const event of events) await store.keep('main', [event])
    }
    await Promise.all([keep(), take(await another(), 'a'), take(await another(), 'b')])
    expect(taken).toEqual(events.map(({ providerId }) => providerId))
  })
}
