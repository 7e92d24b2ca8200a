import { describe, expect, it } from 'vitest'
import { aPhonesHouse } from '../support/house-phones.ts'
import { Ledger } from '../support/ledger.ts'

const minutes = (n: number) => n * 60_000
const cards = (test: { phone(who: string): { sees(): readonly { kind: string; text: string }[] } }) =>
  test
    .phone('ana')
    .sees()
    .filter(({ kind }) => kind === 'card')

describe('a card whose time is nearly over', () => {
  it('is shown once more, and a word that answers it decides', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({ ledger, limits: { remindBeforeMs: minutes(5) } })
    await test.phone('ana').says('registrá 3 cajas')
    await test.later(minutes(24))
    await test.quiet()
    expect(cards(test)).toHaveLength(1)
    await test.later(minutes(2))
    await test.quiet()
    expect(cards(test).map(({ text }) => text.split('\n')[0])).toEqual([
      'Registrar 3 cajas en el depósito',
      'Esto sigue esperando tu respuesta.',
    ])
    await test.later(minutes(1))
    await test.quiet()
    expect(cards(test)).toHaveLength(2)
    await test.phone('ana').says('dale')
    expect(ledger.effects).toHaveLength(1)
  })

  it('is left alone where nobody asked for reminders', async () => {
    await using test = await aPhonesHouse({ ledger: new Ledger() })
    await test.phone('ana').says('registrá 3 cajas')
    await test.later(minutes(29))
    await test.quiet()
    expect(cards(test)).toHaveLength(1)
  })
})
