import { describe, expect, it } from 'vitest'
import type { PersonConfig } from '../../src/config/config.ts'
import { execute } from '../../src/gateway/execute.ts'
import { aPhonesHouse } from '../support/house-phones.ts'
import { raceEnds, racers, waitingProposals } from '../support/house-races.ts'
import { bookingAction, Ledger } from '../support/ledger.ts'

const asks = 'registrá 3 cajas'

const person = (id: string, roles: readonly string[], ...identities: readonly string[]): PersonConfig => ({
  id,
  name: id,
  roles,
  identities: [`sim:${id}`, ...identities.map((identity) => `sim:${identity}`)],
})

/** Ana asks; whoever is a supervisor approves, in one chat. With `second` it takes two, and Ana is a supervisor herself. */
async function withSupervisors(second: boolean) {
  const ledger = new Ledger()
  const people = [person('ana', ['supervisor']), person('carla', ['supervisor'], 'carla-otra'), person('dario', ['supervisor'])]
  const test = await aPhonesHouse({
    ledger,
    actions: [
      bookingAction(ledger, {
        reversibility: second ? 'irreversible' : 'reversible',
        approvers: { kind: 'role', role: 'supervisor', second },
      }),
    ],
    people,
    roleChats: { supervisor: { account: 'demo', chat: 'turno' } },
    simulated: { groups: ['turno'] },
  })
  await test.phone('ana').says(asks)
  const states = async () => (await test.proposals()).map(({ state }) => state.name)
  const seed = (without: string) =>
    test.stage.store.seedPeople(
      people.map((one) => (one.id === without ? { ...one, roles: [] } : one)),
      [{ role: 'supervisor', conversation: { account: 'demo', chat: 'turno' } }],
    )
  return { test, ledger, states, seed, at: (who: string) => test.phone(who, 'turno') }
}

describe('two approvals', () => {
  it('B14: are never the requester’s, first or second', async () => {
    const { test: opened, states, at, ledger } = await withSupervisors(true)
    await using _test = opened
    expect(await at('ana').presses('Confirmar')).toBe('Esta no te toca decidirla a vos.')
    await at('carla').presses('Confirmar')
    expect(await at('ana').presses('Confirmar')).toBe('Esta no te toca decidirla a vos.')
    expect(await states()).toEqual(['awaiting_second'])
    expect(ledger.calls).toEqual([])
  })

  it('B15: are two persons, not two accounts of one', async () => {
    const { test: opened, states, at, ledger } = await withSupervisors(true)
    await using _test = opened
    await at('carla').presses('Confirmar')
    expect(await at('carla-otra').presses('Confirmar')).toBe('Tiene que confirmarlo una segunda persona, distinta.')
    expect(await states()).toEqual(['awaiting_second'])
    await at('dario').presses('Confirmar')
    expect(await states()).toEqual(['succeeded'])
    expect(ledger.effects).toHaveLength(1)
  })

  it('B16: do not count once the first of them may not any more', async () => {
    const { test: opened, states, at, seed, ledger } = await withSupervisors(true)
    await using _test = opened
    await at('carla').presses('Confirmar')
    await seed('carla')
    await at('dario').presses('Confirmar')
    expect(await states()).not.toContain('succeeded')
    expect(ledger.calls).toEqual([])
  })
})

describe('one approval', () => {
  it('B16: of somebody who lost the role before the tap does not count', async () => {
    const { test: opened, states, at, seed, ledger } = await withSupervisors(false)
    await using _test = opened
    await seed('carla')
    expect(await at('carla').presses('Confirmar')).toBe('Esta no te toca decidirla a vos.')
    expect(await states()).toEqual(['pending'])
    expect(ledger.calls).toEqual([])
  })

  it('B16: of somebody who lost the role before it was begun is not carried out, and that is told', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({
      ledger,
      actions: [bookingAction(ledger, { approvers: { kind: 'role', role: 'supervisor', second: false } })],
      people: racers,
      roleChats: { supervisor: { account: 'demo', chat: 'turno' } },
      start: { gateway: true, workers: false },
    })
    const [approved] = await waitingProposals(test.stage, 'approved', 1)
    await test.stage.store.seedPeople([person('dario', ['supervisor'])], [])
    await execute(test.house, approved?.id ?? '')
    expect((await test.proposals())[0]?.state).toEqual({ name: 'failed', reason: 'authorization_revoked' })
    expect(ledger.calls).toEqual([])
    expect((await raceEnds(test.stage, approved === undefined ? [] : [approved]))[0]?.told.carla).toEqual([
      'Quien lo confirmó ya no tiene permiso. No se hizo nada.',
    ])
  })
})

describe('a requester', () => {
  it('B62: has three cards open at most; a fourth wish is refused and told', async () => {
    await using test = await aPhonesHouse()
    const ana = test.phone('ana')
    for (const cajas of [1, 2, 3, 4]) await ana.says(`registrá ${cajas} cajas`)
    expect(await test.proposals()).toHaveLength(3)
    expect(test.counted.filter(({ what }) => what === 'proposal_refused').map(({ labels }) => labels.code)).toEqual(['slot_busy'])
    await ana.says(asks)
    expect(await test.proposals()).toHaveLength(3)
  })
})

describe('a key', () => {
  it('B79: that the far side may have forgotten is not used again: a person finds out', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({ ledger, actions: [bookingAction(ledger, { keyValidForMs: 60 * 60_000 })] })
    const ana = test.phone('ana')
    ledger.next('lost')
    await ana.says(asks)
    await ana.says('sí')
    await test.later(50 * 60_000)
    await test.quiet()
    expect(ledger.calls).toHaveLength(1)
    expect((await test.proposals())[0]?.state).toMatchObject({ name: 'in_doubt' })
    await test.later(24 * 60 * 60_000)
    await test.quiet()
    expect(ledger.calls).toHaveLength(1)
  })
})
