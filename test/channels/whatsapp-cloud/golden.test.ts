import { afterEach, describe, expect, it } from 'vitest'
import { aCloudHouse, type CloudHouse } from '../../support/house-cloud.ts'

let test: CloudHouse
afterEach(() => test[Symbol.asyncDispose]())

describe('a talk on the Cloud API', () => {
  it('in Spanish goes from what was asked to a card, a “dale”, one effect and its outcome', async () => {
    test = await aCloudHouse()
    const ana = test.phone('Ana')
    await ana.says('¿cuánto sale?')
    await ana.says('registrá 3 cajas')
    const card = ana.card()
    expect(card).toMatchObject({ labels: ['Confirmar', 'Cancelar'], text: expect.stringContaining('Cajas: 3') })
    expect(test.ledger.effects).toEqual([])
    await ana.says('dale')
    expect(test.ledger.effects).toMatchObject([{ args: { cajas: 3 } }])
    const said = ana.sees().map(({ text }) => text)
    expect(said.slice(0, 2)).toEqual(['Cada caja sale 10 pesos.', 'Preparé el registro.'])
    expect(said.slice(3)).toEqual([expect.stringContaining('Recibido'), expect.stringContaining('Hecho')])
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['succeeded'])
    // Everything came by signed webhooks, and none of it once more.
    test.server.webhooks.again()
    await test.quiet()
    expect(test.ledger.effects).toHaveLength(1)
    expect(ana.sees()).toHaveLength(5)
  })

  it('decides by a tap, and the second button gets the truth, once', async () => {
    test = await aCloudHouse()
    const ana = test.phone('Ana')
    await ana.says('registrá 3 cajas')
    const { id } = ana.card()
    await ana.presses('Confirmar')
    expect(test.ledger.effects).toHaveLength(1)
    const before = ana.sees().length
    await ana.presses('Cancelar', { on: id })
    await ana.presses('Cancelar', { on: id })
    expect(ana.sees().slice(before)).toEqual([expect.objectContaining({ text: expect.stringContaining('Hecho') })])
    expect(test.ledger.effects).toHaveLength(1)
  })

  it('takes nothing that was not signed', async () => {
    test = await aCloudHouse()
    const ana = test.phone('Ana')
    await ana.says('registrá 3 cajas')
    await test.read()
    const [text] = test.server.webhooks.told
    const forged = Buffer.from(String(text).replace('registrá 3 cajas', 'dale').replace('wamid.TEST000001', 'wamid.FORGED'))
    expect(await test.request(forged, { 'x-hub-signature-256': test.server.webhooks.sign(text ?? forged) })).toEqual({
      status: 401,
    })
    await test.quiet()
    expect(test.ledger.effects).toEqual([])
  })
})
