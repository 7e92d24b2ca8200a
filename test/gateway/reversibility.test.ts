import { expect, it } from 'vitest'
import { aPhonesHouse } from '../support/house-phones.ts'
import { bookingAction, Ledger } from '../support/ledger.ts'

const heavy = (ledger: Ledger) =>
  bookingAction(ledger, {
    reversibilityOf: ({ cajas }) =>
      cajas === 13 ? ('never' as never) : cajas > 100 ? 'irreversible' : cajas > 10 ? 'observed' : 'reversible',
  })

it('a call that weighs more than its action is asked for as such', async () => {
  const ledger = new Ledger()
  await using test = await aPhonesHouse({
    ledger,
    actions: [heavy(ledger)],
    policies: [{ action: '*', then: 'allow' }],
    trouble: true,
  })
  const ana = test.phone('ana')
  await ana.says('registrá 3 cajas')
  await ana.says('ok')
  expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['succeeded'])
  await ana.says('registrá 11 cajas')
  await ana.says('ok')
  expect((await test.proposals()).map(({ state, reversibility }) => [state.name, reversibility])).toEqual([
    ['succeeded', 'reversible'],
    ['pending', 'observed'],
  ])
  await ana.says('sí')
  // Nobody could ever approve it: two persons are needed, and it is asked of one. And what cannot be told is not asked for.
  for (const text of ['registrá 101 cajas', 'registrá 13 cajas']) await ana.says(text)
  expect(await test.proposals()).toHaveLength(2)
  expect(test.counted.filter(({ what }) => what === 'proposal_refused').map(({ labels }) => labels.code)).toEqual([
    'nobody_can_decide',
    'denied',
  ])
})

it('never less than its action', async () => {
  const ledger = new Ledger()
  const action = bookingAction(ledger, { reversibility: 'observed', reversibilityOf: () => 'reversible' })
  await using test = await aPhonesHouse({ ledger, actions: [action] })
  await test.phone('ana').says('registrá 3 cajas')
  expect((await test.proposals())[0]?.reversibility).toBe('observed')
})
