import { expect, it } from 'vitest'
import type { InboundReport } from '../../../src/core/inbound.ts'
import { saidByTool } from '../../../src/core/said-by-tool.ts'
import type { Delivery, OutboxRow, Report, Store } from '../../../src/ports/store.ts'
import { aConversation, aProposal, placed, someTimeMs } from '../../support/proposals.ts'
import { aMessage, aShowing, cardOf, chatter, outcome, receipt, sendNext, type UnderTest, wordsOf } from './under-test.ts'

const elsewhere = { account: 'tienda', chat: '-5' }
const take = (store: Store): Promise<OutboxRow | undefined> => store.nextOutgoing(aConversation, 10_000)
const settle = (store: Store, { id, fence }: OutboxRow, delivery: Delivery) =>
  store.commit({ delivered: { id, fence, delivery } })
const aReport = (messageId: string, status: Report['status'], over: Partial<Report> = {}): Report => ({
  account: 'tienda',
  messageId,
  status,
  atMs: someTimeMs,
  ...over,
})
const lost = { kind: 'again', notBeforeMs: 0, mayHaveArrived: true, code: 'network' } as const
const parked = { kind: 'parked', code: 'window_closed' } as const
const accepted = (...messageIds: string[]): Delivery => ({ kind: 'accepted', messageIds, followWithinMs: 1000 })
const situationOf = (store: Store) =>
  store.situation({ conversation: aConversation, identity: 'ana', before: { atMs: someTimeMs }, inboxId: 0 })

/** A card that its channel took as message `id`. */
async function aShownCard(store: Store, id: string) {
  const proposal = await placed(store, aProposal())
  await store.commit({ say: [cardOf(proposal)] })
  const row = (await take(store))!
  await store.commit({
    delivered: { id: row.id, fence: row.fence, delivery: { kind: 'accepted', messageIds: [id] } },
    showing: aShowing(proposal, { messageIds: [id] }),
  })
  return { proposal, row }
}

async function handled(store: Store, event: Parameters<Store['keep']>[1][number]): Promise<void> {
  const [row] = await store.keep('main', [event])
  await store.commit({ handled: { inboxId: row!.id, road: 'converse', toAgent: false, by: 'here' } })
}

export function reportsContract(under: UnderTest): void {
  it('keeps what came before the answer to the sending, and joins it', async () => {
    const { store } = under()
    const proposal = await placed(store, aProposal())
    expect(await store.report(aReport('early', 'delivered', { atMs: someTimeMs + 5 }))).toEqual({ kind: 'foreign' })
    await store.commit({ showing: aShowing(proposal, { messageIds: ['early'] }) })
    expect(await store.showings(proposal.id)).toEqual([
      aShowing(proposal, { messageIds: ['early'], deliveredAtMs: someTimeMs + 5 }),
    ])
  })

  it('tells the showing that a report is about, delivered when its last part first was', async () => {
    const { store } = under()
    const proposal = await placed(store, aProposal())
    const showing = aShowing(proposal, { messageIds: ['one', 'two'], conversation: elsewhere })
    await store.commit({ showing })
    const ours = { kind: 'ours', conversation: elsewhere, waits: false } as const
    expect(await store.report(aReport('one', 'delivered'))).toEqual({ ...ours, showing })
    expect(await store.report(aReport('two', 'delivered', { atMs: someTimeMs + 7 }))).toEqual({
      ...ours,
      showing: { ...showing, deliveredAtMs: someTimeMs + 7 },
    })
    expect(await store.report(aReport('two', 'delivered', { atMs: someTimeMs + 9 }))).toMatchObject({
      showing: { deliveredAtMs: someTimeMs + 7 },
    })
  })

  it('does not take a message that others reported on for its own', async () => {
    const { store } = under()
    await store.report(aReport('foreign', 'sent'))
    expect(await store.isOurs('tienda', 'foreign')).toBe(false)
  })

  it('knows a message by what its sending carried, while the answer is awaited, and only for its account', async () => {
    const { store } = under()
    await store.commit({ say: [chatter('1')] })
    const row = (await take(store))!
    expect(await store.report(aReport('w1', 'sent', { ref: row.ref, account: 'otra' }))).toEqual({ kind: 'foreign' })
    for (const ref of [`${row.ref}0`, row.ref.replace(/^./, (c) => (c === 'a' ? 'b' : 'a')), 'x', '', '9'.repeat(64)])
      expect(await store.report(aReport('w2', 'sent', { ref }))).toEqual({ kind: 'foreign' })
    expect(await store.report(aReport('w1', 'sent', { ref: row.ref }))).toEqual({
      kind: 'ours',
      conversation: aConversation,
      waits: true,
    })
    expect(await store.isOurs('tienda', 'w1')).toBe(true)
    expect(await settle(store, row, accepted('w1'))).toEqual({ kind: 'committed' })
  })

  it('lets a row whose answer was lost know that the provider has it, at once and whoever sends next', async () => {
    const { store, moveClock } = under()
    await store.commit({ say: [chatter('1'), chatter('2')] })
    const row = (await take(store))!
    const inAMinute = { ...lost, notBeforeMs: (await store.now()) + 60_000 }
    await settle(store, row, inAMinute)
    expect(await store.report(aReport('w1', 'sent', { ref: row.ref }))).toMatchObject({ kind: 'ours', waits: true })
    const again = (await take(store))!
    expect(again).toMatchObject({ id: row.id, reported: { messageId: 'w1', atMs: someTimeMs } })
    await settle(store, again, accepted('w1'))
    // So with one whose sender died over it, and one whose report came while it was being sent.
    const second = (await take(store))!
    await store.report(aReport('w2', 'sent', { ref: second.ref }))
    expect(await take(store)).toBeUndefined()
    await moveClock(10_000)
    expect(await take(store)).toMatchObject({ id: second.id, reported: { messageId: 'w2' } })
  })

  it('takes a card that failed for neither shown nor said, and counts how often it failed here', async () => {
    const { store } = under()
    const { proposal, row } = await aShownCard(store, 'c1')
    expect((await situationOf(store)).said).toHaveLength(1)
    const failed = await store.report(aReport('c1', 'failed', { code: '479' }))
    expect(failed).toEqual({
      kind: 'ours',
      conversation: aConversation,
      waits: false,
      failed: { sent: row, code: '479', final: false, isSeenTo: false, times: 1 },
    })
    expect(await store.report(aReport('c1', 'failed', { code: 'other', final: true }))).toEqual(failed)
    expect(await store.failedOf('tienda', ['c0', 'c1'])).toEqual([aReport('c1', 'failed', { code: '479' })])
    expect(await store.showings(proposal.id)).toEqual([])
    expect((await situationOf(store)).said).toEqual([])
    await store.commit({ say: [{ ...cardOf(proposal), once: `again:${row.id}` }] })
    expect(await store.report(aReport('c1', 'failed'))).toMatchObject({ failed: { isSeenTo: true } })
    await sendNext(store, ['c2'])
    expect(await store.report(aReport('c2', 'failed', { final: true }))).toMatchObject({
      failed: { code: 'failed', final: true, times: 2 },
    })
  })

  it('does not believe that a message failed that somebody got', async () => {
    const { store } = under()
    const { proposal } = await aShownCard(store, 'c1')
    await store.report(aReport('c1', 'read'))
    expect(await store.report(aReport('c1', 'failed'))).not.toHaveProperty('failed')
    expect(await store.showings(proposal.id)).toHaveLength(1)
  })

  it('says nothing of a failure before the answer to the sending is written', async () => {
    const { store } = under()
    await store.commit({ say: [outcome('Hecho')] })
    const row = (await take(store))!
    expect(await store.report(aReport('w1', 'failed', { ref: row.ref }))).not.toHaveProperty('failed')
    await settle(store, row, accepted('w1'))
    expect(await store.report(aReport('w1', 'failed'))).toMatchObject({ failed: { sent: { id: row.id, lane: 'outcome' } } })
  })

  it('takes back that another tool spoke, when the message turns out to be its own', async () => {
    const { store } = under()
    const report: InboundReport = {
      kind: 'report',
      conversation: aConversation,
      providerId: 'w1#sent',
      messageId: 'w1',
      status: 'sent',
      moment: { atMs: someTimeMs },
    }
    await store.commit({ say: [receipt('Listo')] })
    const row = (await take(store))!
    await handled(store, saidByTool(report))
    expect((await situationOf(store)).said).toMatchObject([{ what: { kind: 'outside' } }])
    await settle(store, row, accepted('w1'))
    expect((await situationOf(store)).said).toEqual([])
    expect(await store.keep('main', [saidByTool(report)])).toEqual([])
  })

  it('lets the next message leave when the one before it is reported, at the latest in its time', async () => {
    const { store, moveClock } = under()
    await store.commit({ say: [chatter('1'), receipt('2'), chatter('3'), chatter('4')] })
    await settle(store, (await take(store))!, accepted('w1'))
    expect(await take(store)).toBeUndefined()
    expect((await store.due(10)).deliveries).toEqual([])
    expect(await store.report(aReport('w1', 'sent'))).toMatchObject({ kind: 'ours', waits: true })
    expect((await store.due(10)).deliveries).toEqual([aConversation])
    const second = (await take(store))!
    expect(wordsOf(second)).toBe('1')
    await settle(store, second, accepted('w2'))
    await moveClock(900)
    expect(await take(store)).toBeUndefined()
    await moveClock(100)
    expect((await store.due(10)).deliveries).toEqual([aConversation])
    const third = (await take(store))!
    // A report that came before the answer was written holds nobody up.
    await store.report(aReport('w3', 'sent'))
    await settle(store, third, accepted('w3'))
    expect(wordsOf(await take(store))).toBe('4')
  })

  it('holds up no other conversation, and nobody where no reports come', async () => {
    const { store } = under()
    await store.commit({ say: [chatter('1'), chatter('2', elsewhere), chatter('3')] })
    await settle(store, (await take(store))!, { kind: 'accepted', messageIds: ['w1'] })
    const row = (await take(store))!
    expect(wordsOf(row)).toBe('3')
    await settle(store, row, accepted('w3'))
    expect(await store.nextOutgoing(elsewhere, 1000)).toBeDefined()
  })

  it('parks a message until its person writes: what comes after it passes, and nothing of it was said', async () => {
    const { store, moveClock } = under()
    await store.commit({ say: [chatter('1'), chatter('2'), { ...outcome('3'), parked: true }] })
    await settle(store, (await take(store))!, parked)
    expect(await store.parkedOf('other')).toBe(0)
    expect(wordsOf(await sendNext(store))).toBe('2')
    await moveClock(7 * 24 * 60 * 60_000)
    expect(await take(store)).toBeUndefined()
    expect(await store.due(10)).toMatchObject({ deliveries: [] })
    expect(await store.backlog()).toMatchObject({ outgoing: 0, parked: 2 })
    expect((await situationOf(store)).said).toHaveLength(1)
    await handled(store, {
      kind: 'said',
      by: 'owner',
      conversation: aConversation,
      providerId: 's1',
      moment: { atMs: someTimeMs },
    })
    await handled(store, aMessage('hola', { conversation: elsewhere }))
    expect(await take(store)).toBeUndefined()
    await handled(store, aMessage('hola'))
    expect(await store.backlog()).toMatchObject({ outgoing: 2, parked: 0 })
    expect((await store.due(10)).deliveries).toEqual([aConversation])
    await store.commit({ say: [receipt('4')] })
    expect([wordsOf(await sendNext(store)), wordsOf(await sendNext(store)), wordsOf(await sendNext(store))]).toEqual([
      '3',
      '4',
      '1',
    ])
  })

  it('tells a sender when somebody last wrote there', async () => {
    const { store } = under()
    await store.commit({ say: [chatter('1'), chatter('2')] })
    expect((await take(store))?.lastInboundAtMs).toBeUndefined()
    const [kept] = await store.keep('main', [aMessage('hola'), aMessage('chau', { conversation: elsewhere })])
    await store.keep('main', [{ kind: 'said', by: 'tool', conversation: aConversation, providerId: 's1', moment: { atMs: 1 } }])
    const again = under()
    await again.moveClock(10_000)
    expect((await take(store))?.lastInboundAtMs).toBe(kept?.receivedAtMs)
  })
}
