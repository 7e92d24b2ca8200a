import { describe, expect, it } from 'vitest'
import { aPhonesHouse } from '../support/house-phones.ts'
import { bookingAction, Ledger } from '../support/ledger.ts'

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

  describe('in quiet hours', () => {
    /** A house where it is noon, or so many minutes from it, of a day without a jump of the clock. */
    const aHouseAt = async (fromNoonMs: number, differs: { readonly ttlMs?: number } = {}) => {
      const ledger = new Ledger()
      const test = await aPhonesHouse({
        ledger,
        actions: [bookingAction(ledger, differs)],
        limits: { remindBeforeMs: minutes(5) },
        accounts: { demo: { channel: 'simulator', quietHours: { from: '12:00', to: '14:00', timeZone: 'Etc/UTC' } } },
      })
      const nowMs = await test.stage.store.now()
      const day = 24 * 60 * 60_000
      await test.later(day - (nowMs % day) + day / 2 + fromNoonMs)
      return test
    }

    it('is shown once more right before they begin, where its reminder would fall into them', async () => {
      await using test = await aHouseAt(-minutes(20))
      await test.phone('ana').says('registrá 3 cajas')
      await test.later(minutes(18))
      await test.quiet()
      expect(cards(test)).toHaveLength(1)
      await test.later(minutes(1.5))
      await test.quiet()
      expect(cards(test)).toHaveLength(2)
      await test.later(minutes(8))
      await test.quiet()
      expect(cards(test)).toHaveLength(2)
    })

    it('is left alone where it came in them and its time ends in them', async () => {
      await using test = await aHouseAt(minutes(1))
      await test.phone('ana').says('registrá 3 cajas')
      await test.later(minutes(27))
      await test.quiet()
      expect(cards(test)).toHaveLength(1)
    })

    it('is shown once more when they end, where it still waits then', async () => {
      await using test = await aHouseAt(minutes(1), { ttlMs: minutes(121) })
      await test.phone('ana').says('registrá 3 cajas')
      await test.later(minutes(118))
      await test.quiet()
      expect(cards(test)).toHaveLength(1)
      await test.later(minutes(1.5))
      await test.quiet()
      expect(cards(test)).toHaveLength(2)
    })

    it('is not shown a second time at once, where it came in the last minutes before them', async () => {
      await using test = await aHouseAt(-minutes(2))
      await test.phone('ana').says('registrá 3 cajas')
      await test.later(minutes(1.5))
      await test.quiet()
      expect(cards(test)).toHaveLength(1)
    })
  })
})
