import { expect, it } from 'vitest'
import type { Conversation } from '../../../src/core/conversation.ts'
import type { Situation } from '../../../src/core/situation.ts'
import type { Naming, Store } from '../../../src/ports/store.ts'
import { aConversation, anId, aProposal, minutes, moved, placed, someTimeMs } from '../../support/proposals.ts'
import { aMessage, aShowing, cardOf, chatter, notice, receipt, sendNext, text, toAgent, type UnderTest } from './under-test.ts'

const operators: Conversation = { account: 'tienda', chat: 'tg:-100' }

const read = (store: Store, over: Partial<Parameters<Store['situation']>[0]> = {}): Promise<Situation> =>
  store.situation({
    conversation: aConversation,
    identity: 'ana',
    before: { atMs: someTimeMs + minutes(5) },
    inboxId: 0,
    ...over,
  })

const named = async (store: Store, naming: Naming, conversation = aConversation) =>
  (await read(store, { naming, conversation })).named

export function situationContract(under: UnderTest): void {
  it('reads an empty conversation of an unknown person', async () => {
    const { store } = under()
    expect(await read(store)).toEqual({
      nowMs: expect.any(Number),
      person: { id: 'ana', roles: [], formerly: [] },
      operators: false,
      open: [],
      said: [],
      shownAgain: {},
      hinted: [],
    })
  })

  it('knows the person behind an identity, and whether the chat is a role’s', async () => {
    const { store } = under()
    await store.seedPeople(
      [{ id: 'bea', roles: ['manager', 'cashier'], identities: ['tg:1', 'wa:1'] }],
      [{ role: 'manager', conversation: operators }],
    )
    expect(await read(store, { identity: 'wa:1', conversation: operators })).toMatchObject({
      person: { id: 'bea', roles: ['cashier', 'manager'], formerly: [] },
      operators: true,
    })
    expect(await read(store, { identity: 'wa:1' })).toMatchObject({ operators: false })
  })

  it('counts as open what waits for a person and was shown here, oldest first', async () => {
    const { store } = under()
    const pending = await placed(store, aProposal())
    const second = await placed(store, aProposal({ state: 'awaiting_second' }))
    const unshown = await placed(store, aProposal())
    const approved = await placed(store, aProposal({ state: 'approved' }))
    for (const proposal of [second, pending, approved]) await store.commit({ showing: aShowing(proposal) })
    await store.commit({ showing: aShowing(unshown, { conversation: operators }) })
    expect((await read(store)).open).toEqual([
      { proposal: pending, showings: [aShowing(pending)] },
      { proposal: second, showings: [aShowing(second)] },
    ])
  })

  it('gives every showing here, oldest first, with the delivery of its last part', async () => {
    const { store } = under()
    const proposal = await placed(store, aProposal())
    const { moment: _none, ...first } = aShowing(proposal, { messageIds: ['a', 'b'] })
    await store.commit({ showing: first })
    await store.commit({ showing: aShowing(proposal, { messageIds: ['c'], acceptedAtMs: someTimeMs + 1, cardRevision: 2 }) })
    await store.report({ account: 'tienda', messageId: 'a', status: 'delivered', atMs: someTimeMs + 10 })
    await store.report({ account: 'tienda', messageId: 'b', status: 'read', atMs: someTimeMs + 20 })
    expect((await read(store)).open).toEqual([
      {
        proposal,
        showings: [
          { ...first, deliveredAtMs: someTimeMs + 20 },
          aShowing(proposal, { messageIds: ['c'], acceptedAtMs: someTimeMs + 1, cardRevision: 2 }),
        ],
      },
    ])
  })

  it('counts a card as open in the role’s chat too, until it is decided', async () => {
    const { store } = under()
    const before = await placed(store, aProposal({ approvers: { kind: 'role', role: 'manager', second: false } }))
    await store.commit({ showing: aShowing(before, { conversation: operators }) })
    expect((await read(store, { conversation: operators })).open.map(({ proposal }) => proposal.id)).toEqual([before.id])
    const { state } = aProposal({ state: 'rejected' })
    await store.commit({ moves: [{ before, after: moved(before, state), event: 'reject', by: 'bea', decision: state.decision }] })
    expect((await read(store, { conversation: operators })).open).toEqual([])
  })

  it('names a proposal by its id, in whatever state, with its showings here', async () => {
    const { store } = under()
    const ended = await placed(store, aProposal({ state: 'rejected' }))
    await store.commit({ showing: aShowing(ended) })
    expect(await named(store, { by: 'proposal', id: ended.id })).toEqual({ proposal: ended, showings: [aShowing(ended)] })
    expect(await named(store, { by: 'proposal', id: ended.id }, operators)).toEqual({ proposal: ended, showings: [] })
    expect(await named(store, { by: 'proposal', id: anId() })).toBeUndefined()
  })

  it('names by a code of this account the open proposal, else the last that had it', async () => {
    const { store, moveClock } = under()
    const old = await placed(store, aProposal({ code: 'K7Q2', state: 'rejected' }))
    await placed(store, aProposal({ code: 'K7Q2', conversation: { account: 'otra', chat: 'tg:1' } }))
    expect((await named(store, { by: 'code', code: 'K7Q2' }))?.proposal).toEqual(old)
    await moveClock(minutes(8 * 24 * 60))
    const next = await placed(store, aProposal({ code: 'K7Q2' }))
    expect((await named(store, { by: 'code', code: 'K7Q2' }))?.proposal).toEqual(next)
  })

  it('names by any part of any showing here what the message showed', async () => {
    const { store } = under()
    const proposal = await placed(store, aProposal())
    await store.commit({ showing: aShowing(proposal, { messageIds: ['1', '2'] }) })
    await store.commit({ say: [chatter('hola')] })
    await sendNext(store, ['3'])
    expect((await named(store, { by: 'message', messageId: '1' }))?.proposal.id).toBe(proposal.id)
    expect((await named(store, { by: 'message', messageId: '2' }))?.proposal.id).toBe(proposal.id)
    expect(await named(store, { by: 'message', messageId: '3' })).toBeUndefined()
    expect(await named(store, { by: 'message', messageId: '1' }, operators)).toBeUndefined()
  })

  it('counts as said what a person may have read, newest first', async () => {
    const { store, moveClock } = under()
    const proposal = await placed(store, aProposal())
    await store.commit({
      say: [
        chatter('¿Algo más?'),
        cardOf(proposal),
        receipt('no dicho'),
        { conversation: aConversation, lane: 'chatter', body: { do: 'say', message: { kind: 'question', text: '¿Cuál?' } } },
        {
          conversation: aConversation,
          lane: 'chatter',
          body: { do: 'say', message: { kind: 'list', text: 'Varias', cards: [] } },
        },
        {
          conversation: aConversation,
          lane: 'receipt',
          body: { do: 'update', card: { code: proposal.code, lines: [], controls: [], severity: 'normal' } },
        },
      ],
    })
    for (let sent = await sendNext(store); sent !== undefined; sent = await sendNext(store)) await moveClock(1000)
    await store.keep('main', [
      { kind: 'said', conversation: aConversation, providerId: 'own-1', by: 'owner', moment: { atMs: someTimeMs, order: 99 } },
    ])
    const { said } = await read(store)
    expect(said.map(({ what }) => what)).toEqual([
      { kind: 'outside' },
      { kind: 'list' },
      { kind: 'question' },
      { kind: 'card', proposalId: proposal.id, cardRevision: 1 },
      { kind: 'text', text: '¿Algo más?' },
    ])
    expect(said.every(({ moment }) => moment?.atMs === someTimeMs)).toBe(true)
    expect(said.map(({ begunAtMs }) => begunAtMs)).toEqual(said.map(({ begunAtMs }) => begunAtMs).toSorted((a, b) => b - a))
  })

  it('knows what was asked of whom, about which card and what for, until it got its answer', async () => {
    const { store } = under()
    const proposal = await placed(store, aProposal())
    const asks = { kind: 'typed', cardRevision: 1, wrong: 2 } as const
    const question = {
      conversation: aConversation,
      lane: 'chatter',
      body: { do: 'say', message: { kind: 'question', text: '¿Cuál?' } },
      proposalId: proposal.id,
      asks: { person: 'ana', asks },
    } as const
    const asked = async () =>
      (await read(store)).said.map(({ what }) => (what.kind === 'question' ? { asked: what.asked } : { said: what.kind }))
    await store.commit({ say: [question] })
    expect(await asked()).toEqual([])
    const row = (await store.nextOutgoing(aConversation, 1000))!
    const expected = { id: row.id, person: 'ana', proposalId: proposal.id, asks }
    expect(await asked()).toEqual([{ asked: { ...expected, messageIds: [] } }])
    await store.commit({ delivered: { ...row, delivery: { kind: 'accepted', messageIds: ['q1'] } } })
    expect(await asked()).toEqual([{ asked: { ...expected, messageIds: ['q1'] } }])
    await store.commit({ say: [receipt('un aviso')] })
    await sendNext(store)
    expect(await asked()).toEqual([{ asked: { ...expected, messageIds: ['q1'] } }])
    await store.commit({ answered: row.id })
    expect(await asked()).toEqual([{ asked: undefined }])
    await store.commit({ answered: row.id })
    expect(await asked()).toEqual([{ asked: undefined }])
  })

  it('counts a message as said from its beginning until it is refused', async () => {
    const { store } = under()
    const said = async () => (await read(store)).said.map(({ what, moment }) => ({ what, moment }))
    await store.commit({ say: [chatter('hola')] })
    expect(await said()).toEqual([])
    const first = (await store.nextOutgoing(aConversation, 1000))!
    expect(await said()).toEqual([{ what: { kind: 'text', text: 'hola' }, moment: undefined }])
    await store.commit({
      delivered: { ...first, delivery: { kind: 'again', notBeforeMs: 0, mayHaveArrived: false, code: 'rate_limited' } },
    })
    expect(await said()).toEqual([])
    const second = (await store.nextOutgoing(aConversation, 1000))!
    await store.commit({
      delivered: { ...second, delivery: { kind: 'again', notBeforeMs: 0, mayHaveArrived: true, code: 'network' } },
    })
    expect(await said()).toHaveLength(1)
    const third = (await store.nextOutgoing(aConversation, 1000))!
    await store.commit({ delivered: { ...third, delivery: { kind: 'refused', code: 'blocked' } } })
    expect(await said()).toEqual([])
  })

  it('takes a message as said at our own time where the provider told none', async () => {
    const { store } = under()
    await store.commit({ say: [chatter('hola')] })
    const row = (await store.nextOutgoing(aConversation, 1000))!
    const before = await store.now()
    await store.commit({ delivered: { ...row, delivery: { kind: 'accepted', messageIds: ['1'] } } })
    const { said, nowMs } = await read(store)
    expect(said).toEqual([
      { what: { kind: 'text', text: 'hola' }, begunAtMs: expect.any(Number), moment: { atMs: expect.any(Number) } },
    ])
    const at = said[0]?.moment?.atMs
    expect([at, at]).toEqual([expect.toSatisfy((ms) => ms >= before), expect.toSatisfy((ms) => ms <= nowMs)])
  })

  it('remembers the person’s latest earlier message that goes to the agent', async () => {
    const { store } = under()
    await toAgent(store, aMessage('1', { moment: { atMs: someTimeMs, order: 1 } }))
    await toAgent(store, aMessage('2', { moment: { atMs: someTimeMs + minutes(1), order: 2 } }))
    await toAgent(store, aMessage('of another', { sender: { id: 'bea' }, moment: { atMs: someTimeMs + minutes(2), order: 3 } }))
    const [ignored] = await store.keep('main', [aMessage('to nobody', { moment: { atMs: someTimeMs + minutes(2), order: 4 } })])
    await store.commit({ handled: { inboxId: ignored!.id, road: 'decide', toAgent: false, by: 'here' } })
    const later = await toAgent(store, aMessage('5', { moment: { atMs: someTimeMs + minutes(3), order: 5 } }))
    const spoke = { moment: { atMs: someTimeMs + minutes(1), order: 2 }, receivedAtMs: expect.any(Number) }
    expect((await read(store, { inboxId: later })).spoke).toEqual(spoke)
    expect((await read(store, { before: { atMs: someTimeMs + minutes(9), order: 4 } })).spoke).toEqual(spoke)
    expect((await read(store, { before: { atMs: someTimeMs + minutes(1) } })).spoke).toEqual(spoke)
    expect((await read(store, { identity: 'bea' })).spoke?.moment.order).toBe(3)
    expect((await read(store, { conversation: operators })).spoke).toBeUndefined()
  })

  it('takes two identities of one person as one who spoke', async () => {
    const { store } = under()
    await store.seedPeople([{ id: 'bea', roles: [], identities: ['wa:1', 'wa:2'] }], [])
    await toAgent(store, aMessage('hola', { sender: { id: 'wa:1' } }))
    expect((await read(store, { identity: 'wa:2' })).spoke).toEqual({
      moment: { atMs: someTimeMs },
      receivedAtMs: expect.any(Number),
    })
  })

  it('knows what was decided or ended last here, and whether anything was said since', async () => {
    const { store, moveClock } = under()
    await placed(store, aProposal())
    await placed(store, aProposal({ state: 'expired' }))
    await moveClock(1000)
    const last = await placed(store, aProposal({ state: 'approved' }))
    await placed(store, aProposal({ state: 'rejected', conversation: operators }))
    await moveClock(1000)
    await store.commit({ say: [receipt('Listo')] })
    await sendNext(store)
    expect((await read(store)).lastEnded).toEqual({ proposal: last, atMs: expect.any(Number), quietSince: true, repeated: false })
    await store.commit({ counts: [{ proposalId: last.id, what: 'repeated' }] })
    expect((await read(store)).lastEnded?.repeated).toBe(true)
    await store.commit({ say: [chatter('¿Algo más?')] })
    expect((await read(store)).lastEnded?.quietSince).toBe(true)
    await sendNext(store)
    expect((await read(store)).lastEnded?.quietSince).toBe(false)
  })

  it.each([
    ['a message by anyone that goes to the agent', (store: Store) => toAgent(store, aMessage('hola', { sender: { id: 'bea' } }))],
    [
      'something said from outside',
      (store: Store) =>
        store.keep('main', [{ kind: 'said', conversation: aConversation, providerId: 'own-1', by: 'tool', moment: { atMs: 0 } }]),
    ],
  ])('is not quiet after %s', async (_what, happens) => {
    const { store, moveClock } = under()
    await placed(store, aProposal({ state: 'rejected' }))
    await moveClock(1000)
    expect((await read(store)).lastEnded?.quietSince).toBe(true)
    await happens(store)
    expect((await read(store)).lastEnded?.quietSince).toBe(false)
  })

  it('is still quiet for the very message that asks', async () => {
    const { store, moveClock } = under()
    await placed(store, aProposal({ state: 'rejected' }))
    await moveClock(1000)
    const inboxId = await toAgent(store, aMessage('dale'))
    expect((await read(store, { inboxId })).lastEnded?.quietSince).toBe(true)
  })

  it('counts what each open card has had', async () => {
    const { store } = under()
    const [one, other] = [await placed(store, aProposal()), await placed(store, aProposal())]
    for (const proposal of [one, other]) await store.commit({ showing: aShowing(proposal) })
    await store.commit({ counts: [{ proposalId: one.id, what: 'shown_again' }] })
    await store.commit({
      counts: [
        { proposalId: one.id, what: 'shown_again' },
        { proposalId: other.id, what: 'hinted' },
        { proposalId: other.id, what: 'repeated' },
      ],
    })
    expect(await read(store)).toMatchObject({ shownAgain: { [one.id]: 2 }, hinted: [other.id] })
  })

  it('keeps an agent’s text with a NUL', async () => {
    const { store } = under()
    await store.commit({
      say: [
        { conversation: aConversation, lane: 'chatter', body: { do: 'say', message: text('a\0?') } },
        { conversation: aConversation, lane: 'receipt', body: { do: 'say', message: notice('b\0') } },
      ],
    })
    expect((await sendNext(store))?.body).toEqual({ do: 'say', message: notice('b\0') })
    expect((await sendNext(store))?.body).toEqual({ do: 'say', message: text('a\0?') })
    expect((await read(store)).said[0]?.what).toEqual({ kind: 'text', text: 'a\uFFFD?' })
  })
}
