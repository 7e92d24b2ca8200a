import { expect, it } from 'vitest'
import type { Conversation } from '../../../src/core/conversation.ts'
import type { Due, Halt } from '../../../src/ports/store.ts'
import { aConversation, anId, aProposal, minutes, moved, placed, someTimeMs } from '../../support/proposals.ts'
import { aMessage, aShowing, cardOf, chatter, sendNext, toAgent, type UnderTest } from './under-test.ts'

const nothing: Due = {
  inbound: [],
  turns: [],
  deliveries: [],
  executions: [],
  overdue: [],
  stale: [],
  escalations: [],
  leaseless: [],
}
const group: Conversation = { account: 'tienda', chat: '-5' }
const topic: Conversation = { account: 'tienda', chat: '-5', topic: '7' }

export function recordsContract(under: UnderTest): void {
  it('tells the time of the database, and moves with it', async () => {
    const { store, moveClock } = under()
    const before = await store.now()
    expect(Math.abs(before - Date.now())).toBeLessThan(60_000)
    await moveClock(minutes(90))
    expect((await store.now()) - before).toBeGreaterThanOrEqual(minutes(90))
    expect(await store.isUp()).toBe(true)
  })

  it('finds nothing due in an empty store', async () => {
    expect(await under().store.due(10)).toEqual(nothing)
  })

  it('finds what waits without anybody at it', async () => {
    const { store, moveClock } = under()
    await store.keep('main', [aMessage('1'), aMessage('2', { conversation: group })])
    await toAgent(store, aMessage('3', { conversation: topic }))
    await store.commit({ say: [chatter('4', topic), chatter('5', group)] })
    expect(await store.due(10)).toEqual({
      ...nothing,
      inbound: [aConversation, group],
      turns: [topic],
      deliveries: [topic, group],
    })
    expect(await store.due(1)).toEqual({ ...nothing, inbound: [aConversation], turns: [topic], deliveries: [topic] })
    await store.nextInbound(aConversation, 'here', 60_000)
    await store.nextTurn(topic, 60_000, anId())
    await store.nextOutgoing(topic, 60_000)
    expect(await store.due(10)).toEqual({ ...nothing, inbound: [group], deliveries: [group] })
    await moveClock(60_000)
    expect(await store.due(10)).toEqual({
      ...nothing,
      inbound: [aConversation, group],
      turns: [topic],
      deliveries: [topic, group],
    })
  })

  it('finds what one account is to send, and lets none hide what another has', async () => {
    const { store, moveClock } = under()
    const other = (chat: string) => ({ account: 'otra', chat })
    await store.commit({ say: [chatter('1', topic), chatter('2'), chatter('3', other('a')), chatter('4', other('b'))] })
    expect((await store.due(1)).deliveries).toEqual([topic, other('a')])
    expect(await store.dueDeliveries('otra', 10)).toEqual([other('a'), other('b')])
    expect(await store.dueDeliveries('otra', 1)).toEqual([other('a')])
    expect(await store.dueDeliveries('nadie', 10)).toEqual([])
    const row = (await store.nextOutgoing(other('a'), 60_000))!
    expect(await store.dueDeliveries('otra', 10)).toEqual([other('b')])
    await moveClock(60_000)
    expect(await store.dueDeliveries('otra', 10)).toEqual([other('a'), other('b')])
    const again = { kind: 'again', notBeforeMs: (await store.now()) + minutes(1), mayHaveArrived: false, code: 'x' } as const
    await store.commit({ delivered: { id: row.id, fence: row.fence, delivery: again } })
    expect(await store.dueDeliveries('otra', 10)).toEqual([other('b')])
  })

  it('does not find a message before its time', async () => {
    const { store, moveClock } = under()
    await store.commit({ say: [chatter('1')] })
    const row = (await store.nextOutgoing(aConversation, 1000))!
    await store.commit({
      delivered: {
        id: row.id,
        fence: row.fence,
        delivery: { kind: 'again', notBeforeMs: (await store.now()) + minutes(1), mayHaveArrived: false, code: 'x' },
      },
    })
    expect(await store.due(10)).toEqual(nothing)
    await moveClock(minutes(1))
    expect((await store.due(10)).deliveries).toEqual([aConversation])
  })

  it('finds the proposals whose time has come', async () => {
    const { store, moveClock } = under()
    const now = await store.now()
    const waiting = await placed(
      store,
      aProposal({ state: { name: 'pending', shownAtMs: now, expiresAtMs: now + minutes(30), refusals: 0 } }),
    )
    const draft = await placed(store, aProposal({ state: 'draft', createdAtMs: now }))
    const { state: approvedState } = aProposal({ state: 'approved' })
    const approved = await placed(store, aProposal({ state: { ...approvedState, executeByMs: now + minutes(20) } }))
    const held = await placed(
      store,
      aProposal({ state: { ...approvedState, executeByMs: now + minutes(20), holdUntilMs: now + minutes(5) } }),
    )
    const executing = await placed(
      store,
      aProposal({ state: { ...aProposal({ state: 'executing' }).state, leaseUntilMs: now + minutes(10) } }),
    )
    const { state: doubt } = aProposal({ state: 'in_doubt' })
    const retried = await placed(store, aProposal({ state: { ...doubt, retryAtMs: now + minutes(5) } }))
    await placed(store, aProposal({ state: doubt }))
    expect(await store.due(10)).toEqual({ ...nothing, executions: [approved.id] })
    await moveClock(minutes(5))
    expect(await store.due(10)).toEqual({ ...nothing, executions: [approved.id, held.id, retried.id] })
    await moveClock(minutes(25))
    expect(await store.due(10)).toEqual({
      ...nothing,
      executions: [retried.id],
      overdue: [waiting.id],
      stale: [approved.id, held.id],
      leaseless: [executing.id],
    })
    await moveClock(minutes(24 * 60))
    expect((await store.due(10)).overdue).toEqual([waiting.id, draft.id])
  })

  it('finds what a role is to be asked too, from its first showing on, and writes that down once', async () => {
    const { store, moveClock } = under()
    const now = await store.now()
    const escalate = { afterMs: minutes(10), to: 'manager' }
    const state = { name: 'pending', shownAtMs: now, expiresAtMs: now + minutes(30), refusals: 0 } as const
    const proposal = await placed(store, aProposal({ state, ttlMs: minutes(30), escalate }))
    await placed(store, aProposal({ state, ttlMs: minutes(30) }))
    expect(await store.commit({ escalate: proposal.id })).toEqual({ kind: 'lost', what: 'proposal' })
    await moveClock(minutes(10))
    expect((await store.due(10)).escalations).toEqual([proposal.id])
    expect(await store.commit({ escalate: proposal.id })).toEqual({ kind: 'committed' })
    expect(await store.commit({ escalate: proposal.id })).toEqual({ kind: 'lost', what: 'proposal' })
    expect((await store.due(10)).escalations).toEqual([])
    const read = await store.proposal(proposal.id)
    expect(read?.proposal).toEqual({ ...proposal, escalatedAtMs: expect.any(Number) })
    expect((await store.history(proposal.id)).at(-1)).toMatchObject({
      event: 'escalate',
      by: 'sweep',
      from: 'pending',
      to: 'pending',
    })
  })

  it('finds whom to remind only in accounts where that may be, and once in each', async () => {
    const { store } = under()
    const now = await store.now()
    const state = { name: 'pending', shownAtMs: now, expiresAtMs: now + minutes(30), refusals: 0 } as const
    const proposal = await placed(store, aProposal({ state, ttlMs: minutes(30) }))
    const { account } = proposal.conversation
    await store.commit({ showing: aShowing(proposal, { acceptedAtMs: now - minutes(6) }) })
    const remind = (beforeMs: number, ...windows: readonly { readonly account: string; readonly withinMs: number }[]) =>
      store.dueReminders({ beforeMs, windows }, 10)
    expect(await remind(minutes(40))).toEqual([])
    expect(await remind(minutes(40), { account: 'otra', withinMs: minutes(40) })).toEqual([])
    expect(await remind(minutes(5), { account, withinMs: minutes(5) })).toEqual([])
    const found = [{ id: proposal.id, account }]
    expect(await remind(minutes(40), { account, withinMs: minutes(40) })).toEqual(found)
    expect(await remind(minutes(5), { account, withinMs: minutes(60) })).toEqual(found)
    await store.commit({ say: [{ ...cardOf(proposal), once: `reminder:${proposal.id}:${account}` }] })
    expect(await remind(minutes(40), { account, withinMs: minutes(40) })).toEqual([])
  })

  it('knows people by their identities, and who is unknown by the identity itself', async () => {
    const { store } = under()
    const chats = [group, aConversation]
    await store.seedPeople(
      [
        { id: 'bea', roles: ['manager'], identities: ['tg:1', 'wa:1'] },
        { id: 'leo', roles: [], identities: ['tg:2'] },
      ],
      chats.map((conversation) => ({ role: 'manager', conversation })),
    )
    expect(await store.person('wa:1')).toEqual({ id: 'bea', roles: ['manager'], formerly: [] })
    expect(await store.person('tg:2')).toEqual({ id: 'leo', roles: [], formerly: [] })
    expect(await store.person('tg:3')).toEqual({ id: 'tg:3', roles: [], formerly: [] })
    expect(await store.roleChats('manager')).toEqual(chats)
    expect(await store.peopleWith('manager')).toEqual(['bea'])
  })

  it('makes people be as told last, and nothing else', async () => {
    const { store } = under()
    await store.seedPeople([{ id: 'bea', roles: ['manager'], identities: ['tg:1'] }], [{ role: 'manager', conversation: group }])
    await store.seedPeople([{ id: 'leo', roles: ['manager'], identities: ['tg:1'] }], [])
    expect(await store.person('tg:1')).toEqual({ id: 'leo', roles: ['manager'], formerly: [] })
    expect(await store.peopleWith('manager')).toEqual(['leo'])
    expect(await store.roleChats('manager')).toEqual([])
  })

  it('remembers what is halted until it is resumed', async () => {
    const { store, moveClock } = under()
    const stops: readonly Omit<Halt, 'sinceMs'>[] = [
      { scope: { kind: 'action', name: 'crear_acuerdo' }, by: 'operator:leo', reason: 'prices are wrong' },
      { scope: { kind: 'account', name: 'tienda' }, by: 'operator:leo' },
      { scope: { kind: 'all' }, by: 'operator:bea' },
    ]
    for (const stop of stops) {
      await store.halt(stop)
      await moveClock(1000)
    }
    await store.halt({ scope: { kind: 'all' }, by: 'operator:leo' })
    expect(await store.halts()).toEqual(stops.map((stop) => ({ ...stop, sinceMs: expect.any(Number) })))
    expect(await store.resume({ kind: 'action', name: 'crear_acuerdo' })).toBe(true)
    expect(await store.resume({ kind: 'action', name: 'crear_acuerdo' })).toBe(false)
    expect((await store.halts()).map(({ scope }) => scope.kind)).toEqual(['account', 'all'])
  })

  it('lends a name to one owner, and a higher fence to the next', async () => {
    const { store, moveClock } = under()
    expect(await store.lease('wa:tienda', 'a', 30_000)).toEqual({ fence: 1 })
    expect(await store.lease('wa:tienda', 'b', 30_000)).toBeUndefined()
    await moveClock(20_000)
    expect(await store.lease('wa:tienda', 'a', 30_000)).toEqual({ fence: 1 })
    await moveClock(29_000)
    expect(await store.lease('wa:tienda', 'b', 30_000)).toBeUndefined()
    await moveClock(1_000)
    expect(await store.lease('wa:tienda', 'b', 30_000)).toEqual({ fence: 2 })
    expect(await store.lease('wa:otra', 'a', 30_000)).toEqual({ fence: 1 })
  })

  it('lends a name again as soon as its owner gives it up', async () => {
    const { store } = under()
    await store.lease('wa:tienda', 'a', 30_000)
    await store.releaseLease('wa:tienda', 'b')
    expect(await store.lease('wa:tienda', 'b', 30_000)).toBeUndefined()
    await store.releaseLease('wa:tienda', 'a')
    expect(await store.lease('wa:tienda', 'a', 30_000)).toEqual({ fence: 2 })
  })

  it('lends a name to one of many that ask at once', async () => {
    const { another } = under()
    const takers = [await another(), await another()]
    const lent = await Promise.all(
      ['a', 'b', 'c', 'd'].map((owner, place) => takers[place % 2]!.lease('wa:tienda', owner, 30_000)),
    )
    expect(lent.filter((lease) => lease !== undefined)).toEqual([{ fence: 1 }])
  })

  it('keeps the showing, the delivery and the move in one change', async () => {
    const { store } = under()
    const draft = await placed(store, aProposal({ state: 'draft' }))
    await store.commit({ say: [cardOf(draft)] })
    const row = (await store.nextOutgoing(aConversation, 1000))!
    const after = moved(draft, aProposal().state)
    const showing = aShowing(after, { messageIds: ['77'] })
    const change = {
      moves: [{ before: draft, after, event: 'show', by: 'channel' }],
      delivered: { id: row.id, fence: row.fence, delivery: { kind: 'accepted', messageIds: ['77'] } },
      showing,
    } as const
    expect(await store.commit(change)).toEqual({ kind: 'committed' })
    expect(await store.isOurs('tienda', '77')).toBe(true)
    expect(await store.showings(draft.id)).toEqual([showing])
  })

  it('moves a chat with its topics, and what waits, was said and is open there', async () => {
    const { store } = under()
    const other: Conversation = { account: 'tienda', chat: '-55' }
    const proposal = await placed(store, aProposal({ conversation: topic }))
    const stays = await placed(store, aProposal({ conversation: other }))
    await store.commit({
      showing: aShowing(proposal, { messageIds: ['1'] }),
      say: [chatter('dicho', topic), chatter('espera', topic)],
    })
    await sendNext(store, ['2'], topic)
    await store.keep('main', [aMessage('hola', { conversation: topic })])
    await store.seedPeople([], [{ role: 'manager', conversation: group }])
    for (let time = 0; time < 2; time += 1) await store.moveChat('tienda', '-5', '-100')
    const there = { account: 'tienda', chat: '-100', topic: '7' }
    expect((await store.proposal(proposal.id))?.proposal).toEqual({ ...proposal, conversation: there })
    expect((await store.proposal(stays.id))?.proposal).toEqual(stays)
    const situation = await store.situation({
      conversation: there,
      identity: 'ana',
      before: { atMs: someTimeMs },
      inboxId: 0,
      naming: { by: 'message', messageId: '1' },
    })
    // The new chat numbers its messages anew: what a number named before, it must not name there.
    expect(situation.open.map((shown) => shown.showings)).toEqual([
      [aShowing(proposal, { messageIds: [], conversation: there, moment: { atMs: someTimeMs } })],
    ])
    expect(situation.named).toBeUndefined()
    expect(situation.said).toHaveLength(1)
    expect((await store.nextInbound(there, 'here', 1000))?.event.conversation).toEqual(there)
    expect((await store.nextOutgoing(there, 1000))?.conversation).toEqual(there)
    expect(await store.roleChats('manager')).toEqual([{ account: 'tienda', chat: '-100' }])
    expect(await store.due(10)).toMatchObject({ inbound: [], deliveries: [] })
  })

  it('remembers what a chat was called, through every move, and only for its account', async () => {
    const { store } = under()
    await store.moveChat('tienda', '-5', '-100')
    await store.moveChat('tienda', '-100', '-200')
    await store.moveChat('otra', '-9', '-200')
    expect(await store.formerChats('tienda', '-200')).toEqual(['-100', '-5'])
    expect(await store.formerChats('tienda', '-5')).toEqual([])
  })

  it('counts what is unfinished, whoever has it in hand', async () => {
    const { store } = under()
    expect(await store.backlog()).toEqual({ inbound: 0, turns: 0, outgoing: 0, parked: 0, executions: 0, doubts: 0 })
    await store.keep('main', [aMessage('1'), aMessage('2', { conversation: group })])
    await toAgent(store, aMessage('3', { conversation: topic }))
    await store.commit({ say: [chatter('4', topic)] })
    await placed(store, aProposal({ state: 'approved' }))
    await placed(store, aProposal({ state: 'executing' }))
    await placed(store, aProposal({ state: 'in_doubt' }))
    const waiting = { inbound: 2, turns: 1, outgoing: 1, parked: 0, executions: 2, doubts: 1 }
    expect(await store.backlog()).toEqual(waiting)
    await store.nextInbound(group, 'here', 60_000)
    await store.nextTurn(topic, 60_000, anId())
    await store.nextOutgoing(topic, 60_000)
    expect(await store.backlog()).toEqual(waiting)
  })

  it('lets no move through that a halt forbids, also when the halt comes after the reading', async () => {
    const { store } = under()
    const approved = await placed(store, aProposal({ state: 'approved' }))
    expect((await store.proposal(approved.id))?.halted).toBe(false)
    await store.halt({ scope: { kind: 'action', name: approved.action }, by: 'operator:leo' })
    expect((await store.proposal(approved.id))?.halted).toBe(true)
    const claim = {
      before: approved,
      after: moved(approved, aProposal({ state: 'executing' }).state),
      event: 'claim',
      by: 'worker',
    } as const
    expect(await store.commit({ moves: [{ ...claim, unlessHalted: true }] })).toEqual({ kind: 'lost', what: 'proposal' })
    await store.resume({ kind: 'action', name: approved.action })
    expect(await store.commit({ moves: [{ ...claim, unlessHalted: true }] })).toEqual({ kind: 'committed' })
  })
}
