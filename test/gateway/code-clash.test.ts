import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ulidFrom } from '../../src/core/ulid.ts'
import type { House } from '../../src/gateway/house.ts'
import { aPhonesHouse } from '../support/house-phones.ts'
import { until } from '../support/until.ts'

/** Codes come in this order, and then the last again and again. */
function drawing(...codes: readonly string[]): House['mint'] & { readonly drawn: () => number } {
  let drawn = 0
  return {
    ulid: () => ulidFrom(Date.now(), randomBytes(16)),
    code: () => {
      drawn += 1
      return codes[Math.min(drawn, codes.length) - 1] ?? ''
    },
    drawn: () => drawn,
  }
}

describe('a code that somebody drew first', () => {
  it('costs the person nothing: another is drawn at once, and the agent is not asked again', async () => {
    const mint = drawing('K7Q2', 'K7Q2', 'K7Q2', 'M3N4')
    await using test = await aPhonesHouse({ mint })
    await test.phone('ana').says('registrá 3 cajas')
    const beto = test.phone('beto')
    await beto.says('registrá 4 cajas')
    expect(beto.card().code).toBe('M3N4')
    expect(beto.sees().filter(({ text }) => text === 'Preparé el registro.')).toHaveLength(1)
    expect(test.turns).toHaveLength(2)
    expect(mint.drawn()).toBe(4)
    expect((await test.proposals()).map(({ code, canonicalArgs }) => [code, canonicalArgs])).toEqual([
      ['K7Q2', '{"cajas":3}'],
      ['M3N4', '{"cajas":4}'],
    ])
  })

  it('is drawn five times at most: then the turn comes again under its id when its lease is over', async () => {
    const mint = drawing(...Array<string>(6).fill('K7Q2'), 'M3N4')
    await using test = await aPhonesHouse({ mint })
    await test.phone('ana').says('registrá 3 cajas')
    const beto = test.phone('beto')
    await test.channel.says('beto', 'beto', 'registrá 4 cajas')
    await until(() => mint.drawn() === 6)
    await until(() => test.logged.filter(({ event }) => event === 'turn_lost').length === 5)
    expect(beto.sees()).toEqual([])
    await test.later(31_000)
    await test.quiet()
    expect(beto.card().code).toBe('M3N4')
    const [, first, again] = test.turns.map(({ id }) => id)
    expect(again).toBe(first)
  })
})
