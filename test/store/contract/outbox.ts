import { expect, it } from 'vitest'
import type { OutboxDraft, OutboxRow, Store } from '../../../src/ports/store.ts'
import { aConversation, aProposal, minutes, moved, placed } from '../../support/proposals.ts'
import { aShowing, cardOf, chatter, outcome, receipt, sendNext, type UnderTest, wordsOf } from './under-test.ts'

const take = (store: Store): Promise<OutboxRow | undefined> => store.nextOutgoing(aConversation, 10_000)
const again = (row: OutboxRow, notBeforeMs: number, mayHaveArrived = false) =>
  ({
    delivered: { id: row.id, fence: row.fence, delivery: { kind: 'again', notBeforeMs, mayHaveArrived, code: 'rate_limited' } },
  }) as const

async function sentOrder(store: Store): Promise<readonly (string | undefined)[]> {
  const words: (string | undefined)[] = []
  for (let row = await sendNext(store); row !== undefined; row = await sendNext(store)) words.push(wordsOf(row))
  return words
}

export function outboxContract(under: UnderTest): void {
  it('gives a message back as it was written', async () => {
    const { store } = under()
    const proposal = await placed(store, aProposal())
    const card: OutboxDraft = { ...cardOf(proposal), once: 'card:1' }
    await store.commit({ say: [card] })
    expect(await take(store)).toEqual({
      ...card,
      id: expect.any(Number),
      attempts: 0,
      mayHaveArrived: false,
      fence: 1,
      ref: expect.stringMatching(/^[0-9a-f]{17,64}$/),
    })
  })

  it('sends what was written in its order', async () => {
    const { store } = under()
    await store.commit({ say: [chatter('1'), chatter('2')] })
    await store.commit({ say: [chatter('3')] })
    expect(await sentOrder(store)).toEqual(['1', '2', '3'])
  })

  it('writes a message once that is to be written once', async () => {
    const { store } = under()
    const told = { ...receipt('Listo'), once: 'told:1' }
    expect(await store.commit({ say: [told, told] })).toEqual({ kind: 'committed' })
    expect(await store.commit({ say: [told, chatter('otra')] })).toEqual({ kind: 'committed' })
    expect(await sentOrder(store)).toEqual(['Listo', 'otra'])
    await store.commit({ say: [told] })
    expect(await sentOrder(store)).toEqual([])
  })

  it('lets receipts and outcomes overtake chatter, and nothing overtake a card', async () => {
    const { store } = under()
    const proposal = await placed(store, aProposal())
    await store.commit({
      say: [chatter('a'), chatter('b'), receipt('r'), outcome('o'), cardOf(proposal), receipt('r2'), chatter('c')],
    })
    expect(await sentOrder(store)).toEqual(['r', 'o', 'a', 'b', proposal.id, 'r2', 'c'])
  })

  it('tells no end before what was said of the same proposal, whatever else waits', async () => {
    const { store } = under()
    const { id: proposalId } = await placed(store, aProposal())
    await store.commit({
      say: [chatter('a'), { ...chatter('doing it'), proposalId }, { ...outcome('done'), proposalId }, outcome('other')],
    })
    expect(await sentOrder(store)).toEqual(['a', 'doing it', 'done', 'other'])
  })

  it('has one sender per conversation', async () => {
    const { store, another } = under()
    await store.commit({ say: [chatter('1'), receipt('2')] })
    expect(await take(store)).toBeDefined()
    expect(await (await another()).nextOutgoing(aConversation, 10_000)).toBeUndefined()
  })

  it('holds back later chatter and cards while a message waits, not receipts', async () => {
    const { store, moveClock } = under()
    const proposal = await placed(store, aProposal())
    await store.commit({ say: [chatter('first'), chatter('later'), cardOf(proposal)] })
    await store.commit(again((await take(store))!, (await store.now()) + minutes(1)))
    expect(await take(store)).toBeUndefined()
    await store.commit({ say: [receipt('behind the card')] })
    expect(await take(store)).toBeUndefined()
    await moveClock(minutes(1))
    expect(await sentOrder(store)).toEqual(['first', 'later', proposal.id, 'behind the card'])
    await store.commit({ say: [chatter('waits')] })
    await store.commit(again((await take(store))!, (await store.now()) + minutes(1)))
    await store.commit({ say: [receipt('overtakes')] })
    expect(await sentOrder(store)).toEqual(['overtakes'])
  })

  it('counts the sendings, and remembers that one may have arrived', async () => {
    const { store } = under()
    await store.commit({ say: [chatter('1')] })
    const first = (await take(store))!
    expect(first).toMatchObject({ attempts: 0, mayHaveArrived: false, fence: 1 })
    await store.commit(again(first, 0, false))
    const second = (await take(store))!
    expect(second).toMatchObject({ attempts: 1, mayHaveArrived: false, fence: 2 })
    await store.commit(again(second, 0, true))
    const third = (await take(store))!
    expect(third).toMatchObject({ attempts: 2, mayHaveArrived: true })
    await store.commit(again(third, 0, false))
    expect(await take(store)).toMatchObject({ attempts: 3, mayHaveArrived: true })
  })

  it('gives a message again, before all others, when its sender vanished', async () => {
    const { store, moveClock } = under()
    await store.commit({ say: [chatter('1'), receipt('2')] })
    const receiptRow = await take(store)
    await moveClock(9_000)
    expect(await take(store)).toBeUndefined()
    await moveClock(1_000)
    expect(await take(store)).toEqual({ ...receiptRow, attempts: 1, mayHaveArrived: true, fence: 2 })
  })

  it('lets a sender that lost its fence settle nothing', async () => {
    const { store, moveClock } = under()
    await store.commit({ say: [chatter('1')] })
    const slow = (await take(store))!
    await moveClock(10_000)
    const quick = (await take(store))!
    const settle = (row: OutboxRow) =>
      store.commit({
        delivered: { id: row.id, fence: row.fence, delivery: { kind: 'accepted', messageIds: ['x'] } },
        say: [chatter('and more')],
      })
    expect(await settle(slow)).toEqual({ kind: 'lost', what: 'fence' })
    expect(await settle(quick)).toEqual({ kind: 'committed' })
    expect(await settle(quick)).toEqual({ kind: 'lost', what: 'fence' })
    expect(await sentOrder(store)).toEqual(['and more'])
  })

  it('lets a sender settle after its lease, as long as nobody took over', async () => {
    const { store, moveClock } = under()
    await store.commit({ say: [chatter('1')] })
    const row = (await take(store))!
    await moveClock(20_000)
    expect(
      await store.commit({ delivered: { id: row.id, fence: row.fence, delivery: { kind: 'accepted', messageIds: [] } } }),
    ).toEqual({ kind: 'committed' })
  })

  it('sends no card of a proposal that no longer waits, nor one that a newer card replaced', async () => {
    const { store, run } = under()
    const rejected = await placed(store, aProposal())
    const renewed = await placed(store, aProposal())
    const waiting = await placed(store, aProposal({ state: 'draft' }))
    await store.commit({ say: [cardOf(rejected), cardOf(renewed), cardOf(waiting), chatter('después')] })
    const { state } = aProposal({ state: 'rejected' })
    await store.commit({
      moves: [{ before: rejected, after: moved(rejected, state), event: 'reject', by: 'ana', decision: state.decision }],
    })
    await store.commit({
      moves: [
        {
          before: renewed,
          after: { ...moved(renewed, { name: 'draft', refusals: 1 }), cardRevision: 2 },
          event: 'withhold',
          by: 'channel',
        },
      ],
    })
    expect(await sentOrder(store)).toEqual([waiting.id, 'después'])
    expect(
      await run(`select outcome, refusal from dale.outbox where proposal = any($1) order by id`, [[rejected.id, renewed.id]]),
    ).toEqual([
      { outcome: 'refused', refusal: 'card_over' },
      { outcome: 'refused', refusal: 'card_over' },
    ])
  })

  it('still updates the card of a proposal that ended', async () => {
    const { store } = under()
    const ended = await placed(store, aProposal({ state: 'rejected' }))
    const update: OutboxDraft = {
      conversation: aConversation,
      lane: 'receipt',
      proposalId: ended.id,
      cardRevision: 1,
      body: { do: 'update', card: { code: ended.code, lines: [], controls: [], severity: 'normal' } },
    }
    await store.commit({ say: [update] })
    expect(await take(store)).toMatchObject(update)
  })

  it('knows its own messages', async () => {
    const { store } = under()
    await store.commit({ say: [chatter('1')] })
    await sendNext(store, ['a', 'b'])
    expect(await store.isOurs('tienda', 'a')).toBe(true)
    expect(await store.isOurs('tienda', 'b')).toBe(true)
    expect(await store.isOurs('tienda', 'c')).toBe(false)
    expect(await store.isOurs('otra', 'a')).toBe(false)
  })

  it('sends each message once and in order while two processes send', async () => {
    const { store, another } = under()
    const sent: (string | undefined)[] = []
    const words = Array.from({ length: 20 }, (_, place) => String(place))
    for (const word of words) await store.commit({ say: [chatter(word)] })
    const send = async (sender: Store): Promise<void> => {
      while (sent.length < words.length) {
        const row = await take(sender)
        if (row === undefined) continue
        sent.push(wordsOf(row))
        expect(
          await sender.commit({ delivered: { id: row.id, fence: row.fence, delivery: { kind: 'accepted', messageIds: [] } } }),
        ).toEqual({ kind: 'committed' })
      }
    }
    await Promise.all([send(await another()), send(await another())])
    expect(sent).toEqual(words)
  })

  it('settles a message and hands out the next in one go, and hands out nothing when the fence was lost', async () => {
    const { store } = under()
    await store.commit({ say: [chatter('1'), chatter('2')] })
    const first = (await take(store))!
    const accepted = { id: first.id, fence: first.fence, delivery: { kind: 'accepted', messageIds: ['7'] } } as const
    const late = await store.commitThenNext({ delivered: { ...accepted, fence: first.fence + 1 } }, aConversation, 10_000)
    expect(late).toEqual({ committed: { kind: 'lost', what: 'fence' } })
    const settled = await store.commitThenNext({ delivered: accepted }, aConversation, 10_000)
    expect(settled).toMatchObject({ committed: { kind: 'committed' }, next: { attempts: 0, body: chatter('2').body } })
    expect(await take(store)).toBeUndefined()
  })

  it('names with an update every message that shows its card here', async () => {
    const { store } = under()
    const proposal = await placed(store, aProposal())
    await store.commit({ showing: aShowing(proposal, { messageIds: ['1', '2'] }) })
    await store.commit({ showing: aShowing(proposal, { messageIds: ['5'] }) })
    await store.commit({
      showing: aShowing(proposal, { messageIds: ['9'], conversation: { account: 'tienda', chat: 'elsewhere' } }),
    })
    const card = { code: proposal.code, lines: [], controls: [], severity: 'normal' } as const
    await store.commit({
      say: [{ conversation: aConversation, lane: 'receipt', body: { do: 'update', card }, proposalId: proposal.id }],
    })
    expect((await take(store))?.shownAs).toEqual([['1', '2'], ['5']])
  })
}
