import { describe, expect, it } from 'vitest'
import type { Action } from '../../src/ports/action.ts'
import { aPhonesHouse } from '../support/house-phones.ts'
import { bookingAction, Ledger } from '../support/ledger.ts'

const asks = 'registrá 3 cajas'
const rounds = Number(process.env.DALE_RACES ?? 25)

const editable = (ledger: Ledger, over: Partial<Action> = {}): Action => ({
  ...bookingAction(ledger),
  editable: ['cajas'],
  ...over,
})

describe('an edited copy', () => {
  it('is a proposal of its own, with who edited it, and takes the place of the other in the moment its card is accepted', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({ ledger, actions: [editable(ledger)] })
    const ana = test.phone('ana')
    await ana.says(asks)
    await ana.says('editar')
    await ana.says('5')
    const [old, copy] = await test.proposals()
    expect(old?.state).toEqual({ name: 'edited', by: copy?.id })
    expect(copy).toMatchObject({
      editedFrom: old?.id,
      editors: ['sim:ana'],
      canonicalArgs: '{"cajas":5}',
      state: { name: 'pending' },
    })
    expect(copy?.fingerprint).not.toBe(old?.fingerprint)
    const moves = [...(await test.stage.store.history(old?.id ?? '')), ...(await test.stage.store.history(copy?.id ?? ''))]
    expect(moves.filter(({ event }) => event === 'edit' || event === 'show').map(({ event, by }) => [event, by])).toEqual([
      ['show', 'channel'],
      ['edit', 'sim:ana'],
      ['show', 'channel'],
    ])
    await ana.says('dale')
    expect(ledger.effects).toMatchObject([{ args: { cajas: 5 } }])
  })

  it('leaves the other to be decided until its card is there, and gives way to what was decided', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({ ledger, actions: [editable(ledger)] })
    const ana = test.phone('ana')
    await ana.says(asks)
    const { id } = ana.card()
    await ana.says('editar')
    test.fails({ kind: 'refuse', code: 'busy', permanent: false, retryAfterMs: 60_000 })
    await ana.says('5')
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['pending', 'draft'])
    await ana.presses('Confirmar', { on: id })
    await test.later(70_000)
    await test.quiet()
    const [old, copy] = await test.proposals()
    expect([old?.state.name, copy?.state]).toEqual(['succeeded', { name: 'discarded', reason: 'original_ended' }])
    expect(ledger.effects).toMatchObject([{ args: { cajas: 3 } }])
    expect(ana.card()).toMatchObject({ code: copy?.code, labels: [] })
    expect(ana.sees().at(-1)?.text).toMatch(/^La tarjeta original ya se decidió o terminó/)
  })

  it('whose card never gets there leaves the other as it was', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({ ledger, actions: [editable(ledger)], trouble: true })
    const ana = test.phone('ana')
    await ana.says(asks)
    await ana.says('editar')
    test.fails({ kind: 'refuse', code: 'too_long', permanent: true })
    await ana.says('5')
    const [old, copy] = await test.proposals()
    expect([old?.state.name, copy?.state]).toEqual(['pending', { name: 'expired', reason: 'card_undeliverable' }])
  })

  it('is judged by the rules as if it were asked for: a denial leaves the card as it was', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({
      ledger,
      actions: [editable(ledger)],
      policies: [
        {
          action: 'registrar',
          when: (args) => (args as { cajas: number }).cajas > 10,
          then: 'deny',
          reason: { code: 'CUSTOM_POLICY_REQUIREMENT', message: 'Más de diez no.' },
        },
      ],
    })
    const ana = test.phone('ana')
    await ana.says(asks)
    await ana.says('editar')
    await ana.says('11')
    expect(ana.sees().at(-1)?.text).toBe(`No es posible: Más de diez no. La tarjeta #${ana.card().code} queda como estaba.`)
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['pending'])
  })

  it('is judged as what its editor asks for too: what they may not ask for they make of nobody else’s wish', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({
      ledger,
      actions: [editable(ledger)],
      people: [
        { id: 'beto', name: 'Beto', roles: ['supervisor'], identities: ['sim:beto'] },
        { id: 'eva', name: 'Eva', roles: ['supervisor'], identities: ['sim:eva'] },
      ],
      roleChats: { supervisor: [{ account: 'demo', chat: 'beto' }] },
      policies: [
        {
          action: 'registrar',
          people: ['beto'],
          when: (args) => (args as { cajas: number }).cajas > 10,
          then: 'deny',
          reason: { code: 'CUSTOM_POLICY_REQUIREMENT', message: 'Beto no.' },
        },
        {
          action: 'registrar',
          then: 'confirm',
          approvers: { kind: 'role', role: 'supervisor', second: false },
          reason: { code: 'HIGH_COST' },
        },
      ],
    })
    await test.phone('ana').says(asks)
    const beto = test.phone('beto')
    await beto.presses('Editar')
    await beto.says('11')
    expect(beto.sees().at(-1)?.text).toMatch(/^No es posible: Beto no\./)
    await beto.presses('Editar')
    await beto.says('9')
    expect((await test.proposals()).map(({ state, canonicalArgs }) => [state.name, canonicalArgs])).toEqual([
      ['edited', '{"cajas":3}'],
      ['pending', '{"cajas":9}'],
    ])
  })

  it('takes no slot beside the one that it replaces', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({ ledger, actions: [editable(ledger)], limits: { slots: 'single' } })
    const ana = test.phone('ana')
    await ana.says(asks)
    await ana.says('editar')
    await ana.says('5')
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['edited', 'pending'])
  })

  it('replaces as much as its own wish would: the same key is no older card of its own', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({ ledger, actions: [editable(ledger, { replacementKey: () => 'caja' })] })
    const ana = test.phone('ana')
    await ana.says(asks)
    await ana.says('editar')
    await ana.says('5')
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['edited', 'pending'])
  })

  it(`and an approval that race have one winner, ${rounds} times`, async () => {
    const seen = { edited: 0, approved: 0 }
    for (let round = 0; round < rounds; round += 1) {
      const ledger = new Ledger()
      await using test = await aPhonesHouse({ ledger, actions: [editable(ledger)] })
      const ana = test.phone('ana')
      await ana.says(asks)
      const { id } = ana.card()
      await ana.says('editar')
      await test.read()
      await test.channel.says('ana', 'ana', '5')
      // What was asked for is in hand by now, at another point each time.
      for (let ticks = 0; ticks < round % 8; ticks += 1) await new Promise((resolve) => setImmediate(resolve))
      await test.channel.presses('ana', 'ana', id, 'Confirmar')
      await test.quiet()
      const [old, copy] = await test.proposals()
      if (old?.state.name === 'edited') {
        seen.edited += 1
        expect([copy?.state.name, ledger.effects]).toEqual(['pending', []])
        continue
      }
      seen.approved += 1
      expect(old?.state.name).toBe('succeeded')
      expect(copy === undefined || copy.state.name === 'discarded').toBe(true)
      expect(ledger.effects).toMatchObject([{ args: { cajas: 3 } }])
    }
    expect(seen.edited + seen.approved).toBe(rounds)
  }, 120_000)
})

describe('a question of an edit', () => {
  it('is answered once, however often the answer is delivered', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({ ledger, actions: [editable(ledger)] })
    const ana = test.phone('ana')
    await ana.says(asks)
    await ana.says('editar')
    await ana.says('5')
    await test.channel.redelivers('ana')
    await test.quiet()
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['edited', 'pending'])
  })

  it('is nobody else’s to answer', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({ ledger, actions: [editable(ledger)] })
    const ana = test.phone('ana')
    await ana.says(asks)
    await ana.says('editar')
    await test.channel.says('ana', 'eva', '5')
    await test.quiet()
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['pending'])
    expect(test.turns.at(-1)?.messages.map(({ text }) => text)).toEqual(['5'])
  })

  it('av-380: SKIP to it leaves it, and the card as it was', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({ ledger, actions: [editable(ledger)], locales: { default: 'en' } })
    const ana = test.phone('ana')
    await ana.says(asks)
    await ana.says('edit')
    await ana.says('SKIP')
    expect(ana.sees().at(-1)?.text).toBe(`It stays as it was: card #${ana.card().code} still waits for your answer.`)
    await ana.says('5')
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['pending'])
  })

  it('at-405: is begun on a card that has all there is to look at, and Confirm, Edit and Cancel', async () => {
    const ledger = new Ledger()
    const preview: Action['preview'] = async () => ({
      kind: 'ready',
      summary: 'Presupuesto 2044 para Henderson',
      fields: [{ key: 'cajas', label: 'Descuento', value: { kind: 'number', number: 12 }, unusual: 'lo habitual es 5' }],
      artefact: { label: 'Presupuesto 2044', url: 'https://example.com/2044' },
      alsoWill: ['Se manda un correo'],
    })
    await using test = await aPhonesHouse({
      ledger,
      actions: [editable(ledger, { preview })],
      policies: [{ action: 'registrar', then: 'confirm', reason: { code: 'HIGH_COST' } }],
    })
    const ana = test.phone('ana')
    await ana.says('registrá 12 cajas')
    expect(ana.card().labels).toEqual(['Confirmar', 'Editar', 'Cancelar'])
    for (const part of [
      'Presupuesto 2044 para Henderson',
      'Descuento: 12 ⚠ fuera de lo habitual: lo habitual es 5',
      'Para revisar: Presupuesto 2044 · https://example.com/2044',
      'Además: Se manda un correo',
      'Pregunto por el monto.',
    ])
      expect(ana.card().text).toContain(part)
  })
})
