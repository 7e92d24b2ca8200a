import { expect, it } from 'vitest'
import { embeddedStage } from '../support/house.ts'
import { aPhonesHouse } from '../support/house-phones.ts'
import { until } from '../support/until.ts'

const day = 24 * 3_600_000

it('what was said long ago is erased by whoever sweeps, what was decided is not, and the talk goes on', {
  timeout: 30_000,
}, async () => {
  const stage = await embeddedStage()
  const rows = async (table: string) => Number((await stage.run(`select count(*)::int as rows from dale.${table}`))[0]?.rows)
  {
    await using first = await aPhonesHouse({ stage, limits: { keepDays: 40 } })
    const ana = first.phone('ana')
    await ana.says('cuánto sale')
    await ana.says('registrá 3 cajas')
    await ana.presses('Confirmar')
    expect(await rows('inbox')).toBe(3)
  }
  await stage.moveClock(41 * day)
  await using test = await aPhonesHouse({ stage, limits: { keepDays: 40 } })
  await until(async () => (await rows('inbox')) === 0 && (await rows('outbox')) === 0)
  expect(await rows('sent_message')).toBe(0)
  expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['succeeded'])
  expect(test.logged.filter(({ event }) => event === 'pruned')).not.toEqual([])
  const ana = test.phone('ana')
  await ana.says('cuánto sale')
  expect(ana.sees().at(-1)?.text).toBe('Cada caja sale 10 pesos.')
  // The agent still hears what moved since its last turn.
  expect(test.turns.at(-1)?.facts.map(({ state }) => state)).toEqual(['succeeded'])
})
