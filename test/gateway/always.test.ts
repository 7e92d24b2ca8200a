import { describe, expect, it } from 'vitest'
import { scriptedAgent } from '../../src/agents/scripted.ts'
import type { Proposal } from '../../src/core/proposal.ts'
import { type Asked, propose } from '../../src/gateway/propose.ts'
import { embeddedStage } from '../support/house.ts'
import { aPhonesHouse, type PhonesHouse } from '../support/house-phones.ts'
import { bookingAction, Ledger } from '../support/ledger.ts'

const always = { times: 3, days: 7 } as const
const yes = 'sí siempre en esta conversación'

const states = async (test: PhonesHouse): Promise<readonly string[]> => (await test.proposals()).map(({ state }) => state.name)

/** What the same person asks for once more, in the same chat, by a message. */
const anotherOf = (first: Proposal | undefined, over: Partial<Asked> = {}): Asked => ({
  conversation: first?.conversation ?? { account: '', chat: '' },
  ...(first?.requester === undefined ? {} : { requester: first.requester }),
  origin: 'human',
  sinceMs: Number.MAX_SAFE_INTEGER,
  action: 'registrar',
  args: { cajas: 5 },
  ...over,
})

describe('always', () => {
  it('av-113: said with a code decides that card, and is remembered', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({ ledger, actions: [bookingAction(ledger, { always })] })
    const ana = test.phone('ana')
    await ana.says('registrá 3 cajas')
    const [first] = await test.proposals()
    await ana.says(`${yes} #${first?.code}`)
    expect(await states(test)).toEqual(['succeeded'])
    expect(await test.stage.store.decisions(first?.id ?? '')).toMatchObject([{ via: 'code', always: true, verdict: 'approve' }])
    expect(await test.stage.store.grants({ holding: true, limit: 9 })).toMatchObject([
      { id: first?.id, person: 'sim:ana', times: 3, uses: 0 },
    ])
  })

  it('av-352: the next one is asked for while the first is still being done', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({ ledger, actions: [bookingAction(ledger, { always })] })
    const ana = test.phone('ana')
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    ledger.next({ held })
    await ana.says('registrá 3 cajas')
    await ana.says(yes)
    await ana.says('registrá 5 cajas')
    expect(await states(test)).toEqual(['executing', 'pending'])
    release()
    await test.quiet()
    expect(await states(test)).toEqual(['succeeded', 'pending'])
  })

  it('av-353: after the first success the next one is not asked for, and is prepared, checked and told all the same', async () => {
    const ledger = new Ledger()
    const looked: string[] = []
    const action = bookingAction(ledger, {
      always,
      preflight: async ({ cajas }) => {
        looked.push(`preflight ${cajas}`)
        return cajas > 8 ? { kind: 'denied', message: 'No hay lugar.' } : { kind: 'ready' }
      },
    })
    await using test = await aPhonesHouse({ ledger, actions: [action] })
    const ana = test.phone('ana')
    await ana.says('registrá 3 cajas')
    await ana.says(yes)
    await ana.says('registrá 5 cajas')
    await ana.says('registrá 9 cajas')
    const [first, second] = await test.proposals()
    expect(await states(test)).toEqual(['succeeded', 'succeeded', 'failed'])
    expect(second).toMatchObject({ under: first?.id })
    expect(await test.stage.store.decisions(second?.id ?? '')).toEqual([
      { person: 'sim:ana', verdict: 'approve', via: 'grant', grant: first?.id, atMs: expect.any(Number) },
    ])
    expect((await test.stage.store.history(second?.id ?? '')).map(({ event }) => event)).toEqual([
      'propose',
      'grant',
      'claim',
      'send',
      'succeed',
    ])
    expect(looked).toEqual(['preflight 3', 'preflight 5', 'preflight 9'])
    expect(ledger.effects).toHaveLength(2)
    expect(test.turns.at(-1)?.facts.filter(({ executed }) => executed)).not.toEqual([])
  })

  it('passes no more often than it says, however many ask at once', async () => {
    const ledger = new Ledger()
    const agent = scriptedAgent([
      { when: 'registrá {cajas:number} cajas', propose: { action: 'registrar', args: { cajas: '{cajas}' } } },
    ])
    await using test = await aPhonesHouse({
      ledger,
      agent,
      actions: [bookingAction(ledger, { always })],
      limits: { maxOpenPerConversation: 20 },
    })
    await test.phone('ana').says('registrá 1 cajas')
    await test.phone('ana').says(yes)
    const [first] = await test.proposals()
    const asked = await Promise.all(
      Array.from({ length: 10 }, (_, n) => propose(test.house, anotherOf(first, { args: { cajas: n + 2 } }), [])),
    )
    const committed = await Promise.all(
      asked.map((one) =>
        one.kind === 'new'
          ? test.stage.store.commit({ create: [one.proposal], moves: one.moves, say: one.say })
          : Promise.reject(new Error(one.kind)),
      ),
    )
    expect(committed.filter(({ kind }) => kind === 'committed')).toHaveLength(3)
    expect(committed.filter((one) => one.kind === 'lost' && one.what === 'grant')).toHaveLength(7)
    await test.quiet()
    expect(ledger.effects).toHaveLength(4)
  })

  it('is not for what no message of its person asked', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({ ledger, actions: [bookingAction(ledger, { always })] })
    await test.phone('ana').says('registrá 1 cajas')
    await test.phone('ana').says(yes)
    const [first] = await test.proposals()
    const proposed = await propose(test.house, anotherOf(first, { origin: 'api' }), [])
    expect(proposed).toMatchObject({ kind: 'new', moves: [], proposal: { state: { name: 'draft' } } })
  })

  it('that is revoked between the yes and the call stops the call', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({ ledger, actions: [bookingAction(ledger, { always })] })
    const { store } = test.stage
    const ana = test.phone('ana')
    await ana.says('registrá 3 cajas')
    await ana.says(yes)
    const [first] = await test.proposals()
    const proposed = await propose(test.house, anotherOf(first), [])
    if (proposed.kind !== 'new') throw new Error(proposed.kind)
    // Nobody has rung for it yet.
    await store.commit({ create: [proposed.proposal], moves: proposed.moves, say: proposed.say })
    expect((await test.proposals())[1]?.state).toMatchObject({ name: 'approved', decision: { via: 'grant' } })
    await store.revokeGrant(first?.id ?? '', 'operator:beto')
    await test.quiet()
    expect((await test.proposals())[1]?.state).toEqual({ name: 'failed', reason: 'authorization_revoked' })
    expect(ledger.calls).toHaveLength(1)
  })

  it('of another version of the action stands for nothing', async () => {
    const [ledger, stage] = [new Ledger(), await embeddedStage()]
    {
      await using test = await aPhonesHouse({ ledger, stage, actions: [bookingAction(ledger, { always })] })
      await test.phone('ana').says('registrá 3 cajas')
      await test.phone('ana').says(yes)
    }
    await using test = await aPhonesHouse({ ledger, stage, actions: [bookingAction(ledger, { always, version: '2' })] })
    await test.phone('ana').says('registrá 5 cajas')
    expect(await states(test)).toEqual(['succeeded', 'pending'])
  })
})
