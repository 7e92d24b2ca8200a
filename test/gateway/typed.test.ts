import { describe, expect, it } from 'vitest'
import type { PersonConfig } from '../../src/config/config.ts'
import { aPhonesHouse } from '../support/house-phones.ts'
import { bookingAction, Ledger } from '../support/ledger.ts'

const asks = 'registrá 1234 cajas'
const rounds = Number(process.env.DALE_RACES ?? 25)

type Booking = NonNullable<Parameters<typeof bookingAction>[1]>

const irreversible = (ledger: Ledger, over: Booking = {}) =>
  bookingAction(ledger, { reversibility: 'irreversible', typeToConfirm: 'cajas', ...over })

const supervisor = (id: string): PersonConfig => ({ id, name: id, roles: ['supervisor'], identities: [`sim:${id}`] })

/** Cards for supervisors, in a chat of theirs. */
const withSupervisors = {
  people: [supervisor('beto'), supervisor('carla')],
  roleChats: { supervisor: [{ account: 'demo', chat: 'turno' }] },
  simulated: { groups: ['turno'] },
} as const
/** Each of them in a chat of their own: one conversation is read one event after the other. */
const inChatsOfTheirOwn = {
  people: withSupervisors.people,
  roleChats: {
    supervisor: [
      { account: 'demo', chat: 'beto' },
      { account: 'demo', chat: 'carla' },
    ],
  },
} as const
const byRole = { approvers: { kind: 'role', role: 'supervisor', second: false } } as const

describe('a typed confirmation', () => {
  it('is a decision by what was typed, which is kept nowhere', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({ ledger, actions: [irreversible(ledger)] })
    const ana = test.phone('ana')
    await ana.says(asks)
    await ana.presses('Confirmar')
    expect(ana.sees().at(-1)).toMatchObject({ kind: 'question', text: expect.stringMatching(/escribí «Cajas» tal como figura/) })
    expect(ana.sees().at(-1)?.text).not.toContain('1.234')
    await ana.says('1.234')
    const [proposal] = await test.proposals()
    expect(proposal?.state.name).toBe('succeeded')
    const [decision, ...more] = await test.stage.store.decisions(proposal?.id ?? '')
    expect(more).toEqual([])
    expect(decision).toEqual({
      person: 'sim:ana',
      verdict: 'approve',
      via: 'typed',
      atMs: expect.any(Number),
      moment: expect.anything(),
    })
    expect(JSON.stringify(test.logged)).not.toContain('1.234')
    expect(test.counted.filter(({ what }) => what === 'road').map(({ labels }) => labels.road)).toEqual([
      'converse',
      'type_it',
      'answer',
    ])
    expect(test.turns).toHaveLength(1)
  })

  it('is what the card prints, not what the argument is', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({ ledger, actions: [irreversible(ledger)] })
    const ana = test.phone('ana')
    await ana.says(asks)
    await ana.says('dale')
    await ana.says('1234')
    expect((await test.proposals())[0]?.state.name).toBe('pending')
    expect(ana.sees().at(-1)?.text).toMatch(/^Eso no es lo que dice la tarjeta\./)
    expect(ledger.calls).toEqual([])
  })

  it.each<[string, string, Booking]>([
    ['too short to be typed on purpose', 'registrá 12 cajas', {}],
    [
      'a phrase that decides',
      asks,
      {
        preview: () => ({
          summary: 'Registrar',
          fields: [{ key: 'cajas', label: 'Cajas', value: { kind: 'text', text: 'Confirmar' } }],
        }),
      },
    ],
    [
      'nowhere on the card',
      asks,
      {
        preview: () => ({
          summary: 'Registrar',
          fields: [{ key: 'otra', label: 'Otra', value: { kind: 'text', text: 'ninguna' } }],
        }),
      },
    ],
  ])('of a value that is %s is not asked for: nobody could decide', async (_what, text, over) => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({ ledger, actions: [irreversible(ledger, over)] })
    const ana = test.phone('ana')
    await ana.says(text)
    expect(await test.proposals()).toEqual([])
    expect(test.counted.filter(({ what }) => what === 'proposal_refused').map(({ labels }) => labels.code)).toEqual([
      'nobody_can_decide',
    ])
  })

  it('is asked for where one call of an action weighs more', async () => {
    const ledger = new Ledger()
    const action = bookingAction(ledger, {
      reversibilityOf: ({ cajas }) => (cajas > 1000 ? 'irreversible' : 'reversible'),
      typeToConfirm: 'cajas',
    })
    await using test = await aPhonesHouse({ ledger, actions: [action] })
    const ana = test.phone('ana')
    await ana.says('registrá 900 cajas')
    await ana.says('dale')
    await ana.says(asks)
    expect((await test.proposals()).map(({ state, typeToConfirm }) => [state.name, typeToConfirm])).toEqual([
      ['succeeded', undefined],
      ['pending', 'cajas'],
    ])
  })

  it('is not asked for where two persons are', async () => {
    await using test = await aPhonesHouse({
      ...withSupervisors,
      actions: [irreversible(new Ledger(), { approvers: { ...byRole.approvers, second: true } })],
    })
    await test.phone('ana').says(asks)
    await test.phone('beto', 'turno').presses('Confirmar')
    expect((await test.proposals()).map(({ state, typeToConfirm }) => [state.name, typeToConfirm])).toEqual([
      ['awaiting_second', undefined],
    ])
  })

  it('is asked of each person by themselves, and the first decision wins', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({ ...withSupervisors, ledger, actions: [irreversible(ledger, byRole)] })
    await test.phone('ana').says(asks)
    const [beto, carla] = [test.phone('beto', 'turno'), test.phone('carla', 'turno')]
    await beto.presses('Confirmar')
    const question = beto.sees().at(-1)?.id ?? ''
    await carla.says('1.234', { replyTo: question })
    expect((await test.proposals())[0]?.state.name).toBe('pending')
    await carla.presses('Confirmar')
    const hers = carla.sees().at(-1)?.id ?? ''
    await carla.says('1.234', { replyTo: hers })
    await beto.says('1.234', { replyTo: question })
    expect(beto.sees().at(-1)?.text).toMatch(/^(Ya está confirmado|Hecho)/)
    const [proposal] = await test.proposals()
    expect((await test.stage.store.decisions(proposal?.id ?? '')).map(({ person, via }) => [person, via])).toEqual([
      ['carla', 'typed'],
    ])
    expect(ledger.effects).toHaveLength(1)
  })

  it('counts only while its person may still decide', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({ ...withSupervisors, ledger, actions: [irreversible(ledger, byRole)] })
    await test.phone('ana').says(asks)
    const beto = test.phone('beto', 'turno')
    await beto.presses('Confirmar')
    const question = beto.sees().at(-1)?.id ?? ''
    await test.stage.store.seedPeople(
      [{ ...supervisor('beto'), roles: [] }, supervisor('carla')],
      [{ role: 'supervisor', conversation: { account: 'demo', chat: 'turno' } }],
    )
    await beto.says('1.234', { replyTo: question })
    expect(beto.sees().at(-1)?.text).toBe('Esta no te toca decidirla a vos.')
    expect([(await test.proposals())[0]?.state.name, ledger.calls]).toEqual(['pending', []])
  })

  it('is answered once, however often the answer is delivered', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({ ledger, actions: [irreversible(ledger)] })
    const ana = test.phone('ana')
    await ana.says(asks)
    await ana.says('dale')
    await ana.says('1.234')
    await test.channel.redelivers('ana')
    await test.quiet()
    expect(ledger.effects).toHaveLength(1)
  })

  it(`and another person's no that race have one winner, ${rounds} times`, async () => {
    const seen = { succeeded: 0, rejected: 0, halted: 0 }
    for (let round = 0; round < rounds; round += 1) {
      const ledger = new Ledger()
      await using test = await aPhonesHouse({
        ...inChatsOfTheirOwn,
        ledger,
        actions: [irreversible(ledger, byRole)],
      })
      await test.phone('ana').says(asks)
      const card = test.phone('carla').card().id
      await test.phone('beto').presses('Confirmar')
      await test.read()
      const typing = test.channel.says('beto', 'beto', '1.234')
      for (let ticks = 0; ticks < round % 8; ticks += 1) await new Promise((resolve) => setImmediate(resolve))
      await Promise.all([typing, test.channel.presses('carla', 'carla', card, 'Cancelar')])
      await test.quiet()
      const [proposal] = await test.proposals()
      const name = proposal?.state.name as keyof typeof seen
      seen[name] += 1
      expect([name, ledger.effects.length]).toEqual([name, name === 'succeeded' ? 1 : 0])
    }
    expect(seen.succeeded + seen.rejected + seen.halted).toBe(rounds)
  }, 120_000)

  it(`of two persons at once is one decision, ${rounds} times`, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const ledger = new Ledger()
      await using test = await aPhonesHouse({
        ...inChatsOfTheirOwn,
        ledger,
        actions: [irreversible(ledger, byRole)],
      })
      await test.phone('ana').says(asks)
      for (const who of ['beto', 'carla']) await test.phone(who).presses('Confirmar')
      await test.read()
      await Promise.all(['beto', 'carla'].map((who) => test.channel.says(who, who, '1.234')))
      await test.quiet()
      const [proposal] = await test.proposals()
      expect(proposal?.state.name).toBe('succeeded')
      expect(await test.stage.store.decisions(proposal?.id ?? '')).toHaveLength(1)
      expect(ledger.effects).toHaveLength(1)
    }
  }, 120_000)
})

describe('a reason for a refusal', () => {
  const reason = 'falta la factura #K7Q2\nde mayo'

  it('is kept with the decision, told to the agent and to colleagues, and to whoever asked only where the action says so', async () => {
    for (const rejectReason of ['kept', 'told'] as const) {
      const ledger = new Ledger()
      await using test = await aPhonesHouse({
        ...withSupervisors,
        ledger,
        actions: [bookingAction(ledger, { ...byRole, rejectReason })],
      })
      const [ana, beto] = [test.phone('ana'), test.phone('beto', 'turno')]
      await ana.says(asks)
      await beto.presses('Cancelar con motivo')
      const question = beto.sees().at(-1)?.id ?? ''
      await beto.says(reason, { replyTo: question })
      const [proposal] = await test.proposals()
      expect(await test.stage.store.decisions(proposal?.id ?? '')).toMatchObject([
        { person: 'beto', verdict: 'reject', via: 'button', reason },
      ])
      expect(beto.sees().at(-1)?.text).toContain('Motivo: falta la factura')
      expect(ana.sees().at(-1)?.text.includes('Motivo: ')).toBe(rejectReason === 'told')
      await ana.says('cuánto sale')
      expect(test.turns.at(-1)?.facts).toMatchObject([{ state: 'rejected', because: reason }])
      expect(JSON.stringify(test.logged)).not.toContain('factura')
      const history = await test.stage.store.history(proposal?.id ?? '')
      expect(JSON.stringify(history)).not.toContain('factura')
    }
  })

  it('that is too long is asked for again, and one that comes when it is decided is told how it stands', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({ ledger, actions: [bookingAction(ledger, { rejectReason: 'kept' })] })
    const ana = test.phone('ana')
    await ana.says(asks)
    await ana.presses('Cancelar con motivo')
    await ana.says('x'.repeat(501))
    expect(ana.sees().at(-1)).toMatchObject({ kind: 'question', text: expect.stringMatching(/^Es demasiado largo/) })
    const question = ana.sees().at(-1)?.id ?? ''
    await ana.presses('Confirmar')
    await ana.says('ya no', { replyTo: question })
    const [proposal] = await test.proposals()
    expect([proposal?.state.name, ledger.effects.length]).toEqual(['succeeded', 1])
    expect(ana.sees().at(-1)?.text).toMatch(/^Hecho/)
  })

  it('halts what was approved meanwhile and has not begun', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({ ledger, limits: { holdMs: 60_000 } })
    const ana = test.phone('ana')
    await ana.says(asks)
    const { code } = ana.card()
    await ana.says('rechazar con motivo')
    const question = ana.sees().at(-1)?.id ?? ''
    // The card comes again, so that a bare word decides it, and is held.
    await ana.says(`#${code}`)
    await ana.says('sí')
    expect((await test.proposals())[0]?.state.name).toBe('approved')
    await ana.says('era la otra cuenta', { replyTo: question })
    const [proposal] = await test.proposals()
    expect([proposal?.state.name, ledger.calls]).toEqual(['halted', []])
    expect((await test.stage.store.decisions(proposal?.id ?? '')).map(({ verdict, reason }) => [verdict, reason])).toEqual([
      ['approve', undefined],
      ['reject', 'era la otra cuenta'],
    ])
  })
})
