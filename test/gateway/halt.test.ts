import { describe, expect, it } from 'vitest'
import { takeIn } from '../../src/gateway/take-in.ts'
import { embeddedStage } from '../support/house.ts'
import { aPhonesHouse } from '../support/house-phones.ts'
import { judged, racers, waitingProposals, words } from '../support/house-races.ts'
import { bookingAction, Ledger } from '../support/ledger.ts'

const asks = 'registrá 3 cajas'
const scope = { kind: 'action', name: 'registrar' } as const

describe('what operations has stopped', () => {
  it('B104: is not proposed, and what was approved meanwhile is halted and told; nothing is called', async () => {
    await using test = await aPhonesHouse()
    const [ana, beto] = [test.phone('ana'), test.phone('beto')]
    await ana.says(asks)
    await test.stage.store.halt({ scope, by: 'ops', reason: 'wrong prices' })
    await beto.says(asks)
    await ana.says('sí')
    expect((await test.proposals()).map(({ state }) => state)).toEqual([{ name: 'halted', by: 'switch' }])
    expect(ana.sees().at(-1)?.text).toBe('Operaciones frenó esto por ahora: no se hizo nada.')
    expect(beto.sees().some(({ kind }) => kind === 'card')).toBe(false)
    expect(test.ledger.calls).toEqual([])
  })

  it('B104: while it is in doubt is not called again, and goes on by itself once it may', async () => {
    await using test = await aPhonesHouse()
    const ana = test.phone('ana')
    test.ledger.next('dropped')
    await ana.says(asks)
    await ana.says('sí')
    await test.stage.store.halt({ scope: { kind: 'all' }, by: 'ops' })
    for (let n = 0; n < 3; n += 1) {
      await test.later(600_000)
      await test.quiet()
    }
    expect((await test.proposals())[0]?.state.name).toBe('in_doubt')
    expect(test.ledger.calls).toHaveLength(1)
    await test.stage.store.resume({ kind: 'all' })
    await test.later(600_000)
    await test.quiet()
    expect((await test.proposals())[0]?.state.name).toBe('succeeded')
    expect(test.ledger.calls).toHaveLength(2)
    expect(test.ledger.effects).toHaveLength(1)
  })

  it('B104: goes on to be proposed and run once it may', async () => {
    await using test = await aPhonesHouse()
    const ana = test.phone('ana')
    await test.stage.store.halt({ scope, by: 'ops' })
    await ana.says(asks)
    await test.stage.store.resume(scope)
    await ana.says(asks)
    await ana.says('sí')
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['succeeded'])
  })
})

describe('a no after the yes', () => {
  it('counts while every worker is down: one that comes back calls nothing', async () => {
    const ledger = new Ledger()
    const stage = await embeddedStage()
    const settings = {
      stage,
      ledger,
      actions: [bookingAction(ledger)],
      people: racers,
      roleChats: { supervisor: { account: 'demo', chat: 'turno' } },
    }
    const down = await aPhonesHouse({ ...settings, start: { gateway: true, workers: false } })
    const [approved] = await waitingProposals(stage, 'approved', 1)
    if (approved === undefined) throw new Error('Nothing was approved')
    await takeIn(down.house, 'demo', [words('dario', approved, 'no', await stage.store.now())])
    await judged(stage)
    await down[Symbol.asyncDispose]()
    await using back = await aPhonesHouse(settings)
    await back.quiet()
    expect((await back.proposals()).map(({ state }) => state)).toEqual([{ name: 'halted', by: 'refusal', person: 'dario' }])
    expect(ledger.calls).toEqual([])
  })
})
