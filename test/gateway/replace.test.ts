import { describe, expect, it } from 'vitest'
import { aPhonesHouse } from '../support/house-phones.ts'
import { aTelegramHouse } from '../support/house-telegram.ts'
import { bookingAction, Ledger } from '../support/ledger.ts'

const asks = 'registrá 3 cajas'

describe('a newer card of the same wish', () => {
  it('TG-050 B22: on a card that a newer one replaced is told so, and the newer one stays', async () => {
    const ledger = new Ledger()
    await using test = await aTelegramHouse({ ledger, actions: [bookingAction(ledger, { replacementKey: () => 'depot' })] })
    const ana = test.phone('Ana')
    const chat = test.server.person('Ana').user.id
    await ana.says(asks)
    const old = ana.card().id
    const button = test.server.shown(chat).find(({ message_id: id }) => String(id) === old)
    await ana.says('registrá 5 cajas')
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['superseded', 'pending'])
    expect(ana.sees().find(({ id }) => id === old)).toMatchObject({ labels: [], text: expect.stringMatching(/^↻ Reemplazado/) })
    await test.delivers({
      callback_query: {
        id: '77',
        from: test.server.person('Ana').user,
        message: button,
        chat_instance: '-1',
        data: button?.reply_markup?.inline_keyboard[0]?.[0]?.callback_data,
      },
    })
    expect(test.server.calls.findLast(({ method }) => method === 'answerCallbackQuery')?.payload).toMatchObject({
      text: 'Una tarjeta más nueva reemplazó a esta.',
    })
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['superseded', 'pending'])
    expect(ledger.calls).toEqual([])
  })

  it('AP-026: is what a yes decides, and the older one never runs', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({ ledger, actions: [bookingAction(ledger, { replacementKey: () => 'depot' })] })
    const ana = test.phone('ana')
    await ana.says('registrá 3 cajas')
    await ana.says('registrá 5 cajas')
    await ana.says('sí')
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['superseded', 'succeeded'])
    expect(ledger.effects).toMatchObject([{ args: { cajas: 5 } }])
    expect(ana.sees().filter(({ text }) => text.includes('Una tarjeta más nueva'))).toEqual([])
  })

  it('is known by an argument that is named', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({ ledger, actions: [bookingAction(ledger, { replacementKey: 'cajas', version: '2' })] })
    const ana = test.phone('ana')
    await ana.says('registrá 3 cajas')
    await ana.says('registrá 5 cajas')
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['pending', 'pending'])
    expect((await test.proposals()).map(({ replacementKey }) => replacementKey)).toEqual(['3', '5'])
  })

  it('leaves an approved one alone: that runs all the same', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({ ledger, actions: [bookingAction(ledger, { replacementKey: () => 'depot' })] })
    const ana = test.phone('ana')
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    ledger.next({ held })
    await ana.says('registrá 3 cajas')
    await ana.says('sí')
    await ana.says('registrá 5 cajas')
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['executing', 'pending'])
    expect(ana.card().text).toMatch(/^Atención: #\w{4}, del mismo tipo, se está haciendo ahora\./)
    release()
    await test.quiet()
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['succeeded', 'pending'])
  })

  it('does not come from a run that nothing written since asked for: that finds the slot busy', async () => {
    const ledger = new Ledger()
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    let runs = 0
    await using test = await aPhonesHouse({
      ledger,
      actions: [bookingAction(ledger, { replacementKey: () => 'depot' })],
      agent: {
        async *run() {
          runs += 1
          if (runs === 1) await held
          yield { kind: 'propose', action: 'registrar', args: { cajas: runs === 1 ? 3 : 5 } }
        },
      },
    })
    await test.channel.says('ana', 'ana', 'hacelo')
    await test.channel.says('ana', 'ana', 'hacelo ya')
    release()
    await test.quiet()
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['pending'])
    expect(test.phone('ana').card().text).toContain('Cajas: 3')
  })
})
