import { afterEach, describe, expect, it } from 'vitest'
import { aShopNumber, type ShopNumber } from '../../support/house-whatsapp.ts'
import { until } from '../../support/until.ts'

const ids = { lid: '99900002222', phone: '5491155550101', userId: 'AR.1350000001' }

let shop: ShopNumber
afterEach(() => shop[Symbol.asyncDispose]())

describe('a talk through a linked device', { timeout: 40_000 }, () => {
  it('in Spanish goes from what was asked to a card, a “dale”, one effect and its outcome', async () => {
    shop = await aShopNumber()
    await shop.pair()
    await using test = await shop.opens('whatsapp-baileys')
    const customer = await shop.customer('Ana', ids)
    const ana = test.phone(customer)
    await ana.says('¿cuánto sale?')
    await ana.says('registrá 3 cajas')
    expect(ana.card().text).toContain('Cajas: 3')
    expect(test.ledger.effects).toEqual([])
    const yes = await ana.says('dale')
    expect(test.ledger.effects).toMatchObject([{ args: { cajas: 3 } }])
    const said = ana.sees().map(({ text }) => text)
    expect(said.slice(0, 2)).toEqual(['Cada caja sale 10 pesos.', 'Preparé el registro.'])
    expect(said.slice(3)).toEqual([expect.stringContaining('Recibido'), expect.stringContaining('Hecho')])
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['succeeded'])
    expect(test.turns.map(({ messages }) => messages.length)).toEqual([1, 1])
    // The provider delivers the yes once more.
    const received = () => test.counted.filter(({ what }) => what === 'received').length
    const before = received()
    await customer.linked.repeats(yes)
    await until(() => received() > before)
    await test.quiet()
    expect(test.ledger.effects).toHaveLength(1)
    expect(ana.sees()).toHaveLength(5)
    expect(shop.whatsapp.problems).toEqual([])
  })

  it('decides by a vote on the card’s poll', async () => {
    shop = await aShopNumber()
    await shop.pair()
    await using test = await shop.opens('whatsapp-baileys', { controls: 'poll' })
    const ana = test.phone(await shop.customer('Ana', ids))
    await ana.says('registrá 3 cajas')
    const poll = ana.sees().at(-1)
    expect(poll).toMatchObject({ labels: ['Confirmar', 'Cancelar'], code: ana.card().code })
    await ana.presses('Confirmar', { on: poll?.id ?? '' })
    expect(test.ledger.effects).toMatchObject([{ args: { cajas: 3 } }])
    expect(ana.sees().at(-1)?.text).toContain('Hecho')
  })
})
