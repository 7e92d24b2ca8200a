import { expect, it } from 'vitest'
import type { AskingQuery } from '../../../src/ports/asking.ts'
import { aProposal, minutes, placed } from '../../support/proposals.ts'
import { aShowing, type UnderTest } from './under-test.ts'

const asked: AskingQuery = { requester: 'ana', actions: ['pagar'], withinMs: minutes(60), historyOf: 'pagar' }
const paid = (monto: number) => ({ action: 'pagar', requester: 'ana', canonicalArgs: `{"monto":${monto}}` })

export function askingContract(under: UnderTest): void {
  it('counts what is open, approved or done in the time, and tells what was done, the latest first', async () => {
    const { store, moveClock } = under()
    await placed(store, aProposal({ ...paid(1), state: 'succeeded' }))
    await moveClock(minutes(61))
    const done = await placed(store, aProposal({ ...paid(2), state: 'succeeded' }))
    await moveClock(1000)
    const waiting = await placed(store, aProposal({ ...paid(3), replacementKey: 'luz' }))
    const approved = await placed(store, aProposal({ ...paid(4), state: 'approved' }))
    for (const state of ['failed', 'rejected', 'expired', 'superseded', 'halted'] as const)
      await placed(store, aProposal({ ...paid(5), state }))
    await placed(store, aProposal({ ...paid(6), requester: 'bea' }))
    await placed(store, aProposal({ ...paid(7), action: 'otra' }))

    const past = await store.askingPast(asked)
    expect(past.counted.map(({ id, waits }) => [id, waits])).toEqual([
      [done.id, false],
      [waiting.id, true],
      [approved.id, false],
    ])
    expect(past.counted[1]).toEqual({
      id: waiting.id,
      conversation: waiting.conversation,
      action: 'pagar',
      canonicalArgs: '{"monto":3}',
      fingerprint: waiting.fingerprint,
      replacementKey: 'luz',
      waits: true,
    })
    expect(past.nowMs - (past.counted[0]?.doneAtMs ?? 0)).toBeLessThan(60_000)
    expect(past.done).toEqual(['{"monto":2}', '{"monto":1}'])
    expect(await store.askingPast({ ...asked, actions: [], withinMs: 0 })).not.toHaveProperty('until')
  })

  it('counts what holds a character that the database cannot read, as everything that looks into a proposal does', async () => {
    const { store } = under()
    const nul = 'a\0b \\u0000'
    const preview = { summary: nul, fields: [{ key: 'nota', label: nul, value: { kind: 'text', text: nul } as const }] }
    const one = await placed(
      store,
      aProposal({ ...paid(1), preview, replacementKey: 'luz', state: { name: 'succeeded', verification: 'none', result: nul } }),
    )
    expect((await store.askingPast(asked)).counted).toMatchObject([{ id: one.id, replacementKey: 'luz' }])
    expect((await store.list({ tenant: one.tenant, limit: 5 })).map(({ id, preview: { summary } }) => [id, summary])).toEqual([
      [one.id, 'a\uFFFDb \\u0000'],
    ])
    expect((await store.proposal(one.id))?.proposal.state).toMatchObject({ result: 'a\uFFFDb \\u0000' })
  })

  it('knows a person by what they asked for before their account was known to be theirs, and their roles now', async () => {
    const { store } = under()
    const before = await placed(store, aProposal({ ...paid(1), requester: 'tg:1' }))
    await store.seedPeople([{ id: 'ana', roles: ['ventas'], identities: ['tg:1'] }], [])
    const past = await store.askingPast(asked)
    expect(past.person).toEqual({ id: 'ana', roles: ['ventas'], formerly: ['tg:1'] })
    expect(past.counted.map(({ id }) => id)).toEqual([before.id])
  })

  it('creates nothing once more was asked for than was added up', async () => {
    const { store } = under()
    const { until } = await store.askingPast(asked)
    const one = aProposal({ ...paid(1), state: 'draft', createdAtMs: await store.now() })
    const other = aProposal({ ...paid(2), state: 'draft', createdAtMs: await store.now() })
    expect(await store.commit({ create: [one], askedUntil: [until!] })).toEqual({ kind: 'committed' })
    expect(await store.commit({ create: [other], askedUntil: [until!] })).toEqual({ kind: 'lost', what: 'asked' })
    expect(await store.proposal(other.id)).toBeUndefined()
    const { until: now } = await store.askingPast(asked)
    expect(await store.commit({ create: [other], askedUntil: [now!] })).toEqual({ kind: 'committed' })
  })

  it('lets one of many through that ask at once after the same look', async () => {
    const { store, another } = under()
    const stores = [store, await another(), await another()]
    const { until } = await store.askingPast(asked)
    const createdAtMs = await store.now()
    const drafts = Array.from({ length: 9 }, (_, at) => aProposal({ ...paid(at), state: 'draft', createdAtMs }))
    const came = await Promise.all(drafts.map((draft, at) => stores[at % 3]!.commit({ create: [draft], askedUntil: [until!] })))
    expect(came.filter(({ kind }) => kind === 'committed')).toHaveLength(1)
  })

  it('tells how people answered, action by action, and how fast', async () => {
    const { store, moveClock } = under()
    const sinceMs = await store.now()
    const shown = async (state: Parameters<typeof aProposal>[0], afterMs: number) => {
      const proposal = await placed(store, aProposal({ ...paid(1), createdAtMs: await store.now(), ...state }))
      await store.commit({ showing: { ...aShowing(proposal), acceptedAtMs: (await store.now()) - afterMs } })
      return proposal
    }
    await shown({ state: 'succeeded' }, 2000)
    await shown({ state: 'rejected' }, 4000)
    await shown({ state: 'approved' }, 10_000)
    const again = await shown({ state: 'expired' }, 0)
    await store.commit({
      counts: [
        { proposalId: again.id, what: 'shown_again' },
        { proposalId: again.id, what: 'shown_again' },
      ],
    })
    await placed(store, aProposal({ action: 'otra', createdAtMs: await store.now() }))
    const nothing = {
      approved: 0,
      rejected: 0,
      edited: 0,
      expired: 0,
      superseded: 0,
      changed: 0,
      shownAgain: 0,
      showingsAgain: 0,
    }
    const [otra, pagar] = await store.consentSince(sinceMs)
    expect(otra).toEqual({ ...nothing, action: 'otra', requested: 1, via: {} })
    expect(pagar).toEqual({
      ...nothing,
      action: 'pagar',
      requested: 4,
      approved: 2,
      rejected: 1,
      expired: 1,
      shownAgain: 1,
      showingsAgain: 2,
      medianSeconds: expect.closeTo(4, 0),
      p90Seconds: expect.closeTo(8.8, 0),
      via: expect.any(Object),
    })
    expect(Object.values(pagar?.via ?? {}).reduce((sum, times) => sum + times, 0)).toBe(3)
    await moveClock(minutes(10))
    expect(await store.consentSince(await store.now())).toEqual([])
  })
}
