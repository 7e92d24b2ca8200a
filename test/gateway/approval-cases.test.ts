import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { scriptedAgent } from '../../src/agents/scripted.ts'
import type { AgentEvent } from '../../src/ports/agent.ts'
import { script } from '../support/house.ts'
import { aPhonesHouse, type PhonesHouse } from '../support/house-phones.ts'
import { aTelegramHouse } from '../support/house-telegram.ts'
import { bookingAction, Ledger } from '../support/ledger.ts'

const asks = 'registrá 3 cajas'

const statesOf = async (test: Pick<PhonesHouse, 'proposals'>): Promise<readonly string[]> =>
  (await test.proposals()).map(({ state }) => state.name)

/** Nobody else sweeps from now on: what is overdue stays as it is until somebody looks. */
const withoutSweeper = async ({ stage }: PhonesHouse): Promise<void> => {
  await stage.run(
    `insert into dale.lease (name, owner, until, fence) values ('sweep', 'nobody', 9e15, 1) on conflict (name) do update set owner = 'nobody', until = 9e15`,
  )
}

/** Until every event was judged, without sweeping. */
const handled = async ({ stage }: PhonesHouse): Promise<void> => {
  while ((await stage.run('select 1 from dale.inbox where handled_at is null')).length > 0) await setImmediate()
}

describe('a card whose time is over', () => {
  it('AP-001 B69: is not approved any more, though nobody has swept: the person is told that nothing was done', async () => {
    await using test = await aPhonesHouse()
    const ana = test.phone('ana')
    await ana.says(asks)
    await withoutSweeper(test)
    await test.later(31 * 60_000)
    await test.channel.says('ana', 'ana', 'sí')
    await handled(test)
    await test.quiet()
    expect(await statesOf(test)).toEqual(['expired'])
    expect(ana.sees().at(-1)?.text).toBe('Venció sin respuesta: no se hizo nada.')
    expect(test.turns).toHaveLength(1)
    expect(test.ledger.calls).toEqual([])
  })

  it('AP-003: keeps in its history that the person refused, if too late', async () => {
    await using test = await aPhonesHouse()
    await test.phone('ana').says(asks)
    await withoutSweeper(test)
    await test.later(31 * 60_000)
    await test.channel.says('ana', 'ana', 'no')
    await handled(test)
    await test.quiet()
    const [proposal] = await test.proposals()
    expect(proposal?.state).toEqual({ name: 'expired', reason: 'undecided' })
    expect(await test.stage.store.history(proposal?.id ?? '')).toContainEqual(
      expect.objectContaining({ event: 'late_decision', by: 'sim:ana', note: { verdict: 'reject', via: 'phrase' } }),
    )
    expect(test.ledger.calls).toEqual([])
  })

  it('AP-014: while nobody was there ends at the next start, is told once, and is not shown again', async () => {
    await using test = await aTelegramHouse()
    const ana = test.phone('Ana')
    await ana.says(asks)
    await test.restart(() => test.later(31 * 60_000))
    expect(await statesOf(test)).toEqual(['expired'])
    expect(ana.sees().filter(({ text }) => text.startsWith('Venció sin respuesta'))).toHaveLength(1)
    expect(ana.sees().filter(({ kind }) => kind === 'card')).toHaveLength(1)
  })

  it('AP-039: loses its controls and says what became of it', async () => {
    await using test = await aPhonesHouse()
    const ana = test.phone('ana')
    await ana.says(asks)
    await test.later(31 * 60_000)
    await test.quiet()
    expect(ana.card()).toMatchObject({ labels: [], text: expect.stringMatching(/^⌛ Venció sin respuesta: no se hizo nada\./) })
  })
})

describe('a yes', () => {
  it('AP-006: decides the one card that waits, whatever an approved one does', async () => {
    await using test = await aPhonesHouse()
    const ana = test.phone('ana')
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    test.ledger.next({ held })
    await ana.says(asks)
    await ana.says('sí')
    await ana.says('registrá 5 cajas')
    await ana.says('sí')
    expect(await statesOf(test)).toEqual(['executing', 'succeeded'])
    release()
    await test.quiet()
    expect(test.ledger.effects.map(({ args }) => args)).toEqual([{ cajas: 3 }, { cajas: 5 }])
  })

  it('AP-008: by a tap and a word at the same time runs once', async () => {
    await using test = await aPhonesHouse()
    const ana = test.phone('ana')
    await ana.says(asks)
    await test.read()
    await Promise.all([test.channel.presses('ana', 'ana', ana.card().id, 'Confirmar'), test.channel.says('ana', 'ana', 'sí')])
    await test.quiet()
    expect(test.ledger.calls).toHaveLength(1)
    expect(await test.stage.run('select verdict from dale.decision')).toEqual([{ verdict: 'approve' }])
  })

  it('AP-012: by a tap decides a card that was shown before a restart', async () => {
    await using test = await aTelegramHouse()
    const ana = test.phone('Ana')
    await ana.says(asks)
    await test.restart()
    expect(await ana.presses('Confirmar')).toBe('Recibido, ya me ocupo.')
    expect(await statesOf(test)).toEqual(['succeeded'])
  })

  it('AP-013: by a word decides a card that was shown before a restart', async () => {
    await using test = await aTelegramHouse()
    const ana = test.phone('Ana')
    await ana.says(asks)
    await test.restart()
    await ana.says('sí')
    expect(await statesOf(test)).toEqual(['succeeded'])
  })

  it('AP-015: to several cards decides none: they are listed with their codes and controls, and no agent is asked', async () => {
    await using test = await aPhonesHouse()
    const ana = test.phone('ana')
    await ana.says(asks)
    await ana.says('registrá 5 cajas')
    await ana.says('sí')
    const [first, second] = await test.proposals()
    expect(await statesOf(test)).toEqual(['pending', 'pending'])
    expect(ana.sees().at(-1)).toMatchObject({
      kind: 'list',
      labels: [
        `Confirmar #${first?.code}`,
        `Cancelar #${first?.code}`,
        `Confirmar #${second?.code}`,
        `Cancelar #${second?.code}`,
      ],
    })
    expect(test.turns).toHaveLength(2)
    await ana.presses(`Confirmar #${second?.code}`, { on: ana.sees().at(-1)?.id ?? '' })
    expect(await statesOf(test)).toEqual(['pending', 'succeeded'])
  })

  it('AP-017: is answered at once, and the outcome follows', async () => {
    await using test = await aPhonesHouse()
    const ana = test.phone('ana')
    await ana.says(asks)
    await ana.says('sí')
    expect(
      ana
        .sees()
        .slice(-2)
        .map(({ text }) => text),
    ).toEqual(['Recibido, ya me ocupo.', 'Hecho: Registrar 3 cajas en el depósito\nQuedó registrado.'])
  })

  it('AP-018: does not wait for an agent that thinks, and reaches none', async () => {
    const { promise: thought, resolve: answer } = Promise.withResolvers<void>()
    await using test = await aPhonesHouse({
      agent: {
        async *run(turn, signal) {
          if (turn.messages[0]?.text === 'pensá') await thought
          yield* script.run(turn, signal)
        },
      },
    })
    const ana = test.phone('ana')
    await ana.says(asks)
    await test.read()
    await test.channel.says('ana', 'ana', 'pensá')
    const code = ana.card().code ?? ''
    await test.channel.says('ana', 'ana', `sí #${code}`)
    while ((await statesOf(test))[0] !== 'succeeded') await setImmediate()
    expect(test.turns).toHaveLength(2)
    answer()
    await test.quiet()
    expect(test.turns.flatMap(({ messages }) => messages.map(({ text }) => text))).toEqual([asks, 'pensá'])
  })

  it('AP-027 B68: to a card that never arrived goes to the agent', async () => {
    await using test = await aPhonesHouse({
      agent: scriptedAgent([{ when: asks, propose: { action: 'registrar', args: { cajas: 3 } } }], { otherwise: 'Entendido.' }),
    })
    const ana = test.phone('ana')
    test.fails({ kind: 'refuse', code: 'server_error', permanent: false, retryAfterMs: 600_000 })
    await ana.says(asks)
    await ana.says('sí')
    expect(await statesOf(test)).toEqual(['draft'])
    expect(test.turns.at(-1)?.messages).toMatchObject([{ text: 'sí' }])
    expect(test.ledger.calls).toEqual([])
  })

  it('AP-030 B12 B40: of another member of the group, without a mention, is nothing at all', async () => {
    await using test = await aPhonesHouse({ simulated: { groups: ['deposito'] } })
    await test.phone('ana', 'deposito').says(`@dale ${asks}`)
    await test.phone('beto', 'deposito').says('dale')
    expect(await statesOf(test)).toEqual(['pending'])
    expect(test.turns).toHaveLength(1)
    await test.phone('beto', 'deposito').says('@dale dale')
    expect(await statesOf(test)).toEqual(['pending'])
    expect(test.ledger.calls).toEqual([])
  })

  it('AP-036: of the same person through another account goes to the agent there', async () => {
    await using test = await aPhonesHouse({
      accounts: { demo: { channel: 'simulator' }, otra: { channel: 'simulator' } },
      people: [{ id: 'ana', name: 'Ana', roles: [], identities: ['sim:ana', 'sim:ana-otra'] }],
    })
    await test.phone('ana').says(asks)
    await test.read()
    const other = test.house.channels.get('otra') as PhonesHouse['channel']
    await other.says('ana-otra', 'ana-otra', 'sí')
    await test.quiet()
    expect(await statesOf(test)).toEqual(['pending'])
    expect(test.turns.at(-1)).toMatchObject({ person: 'ana', conversation: { account: 'otra' }, messages: [{ text: 'sí' }] })
  })
})

describe('another message', () => {
  it('AP-020: while a card waits is answered, and the card waits on', async () => {
    await using test = await aPhonesHouse()
    const ana = test.phone('ana')
    await ana.says(asks)
    await ana.says('cuánto sale?')
    expect(ana.sees().slice(-2)).toMatchObject([{ text: 'Cada caja sale 10 pesos.' }, { kind: 'card' }])
    expect(await statesOf(test)).toEqual(['pending'])
  })

  it('AP-021 B33: that is nearly a yes goes to the agent, and the card is not dropped', async () => {
    await using test = await aPhonesHouse()
    const ana = test.phone('ana')
    await ana.says(asks)
    await ana.says('sí dale, gracias')
    expect(await statesOf(test)).toEqual(['pending'])
    expect(test.turns.at(-1)?.messages).toMatchObject([{ text: 'sí dale, gracias' }])
    await ana.says('sí')
    expect(await statesOf(test)).toEqual(['succeeded'])
  })

  it('AP-028 B32: makes a later ok no consent, unless the card is the last thing said again', async () => {
    await using test = await aPhonesHouse()
    const ana = test.phone('ana')
    await ana.says(asks)
    await ana.says('qué hace eso')
    await ana.says('cuánto sale')
    expect(ana.sees().at(-1)?.text).toBe('Cada caja sale 10 pesos.')
    await ana.says('ok')
    expect(await statesOf(test)).toEqual(['pending'])
    expect(ana.sees().at(-1)).toMatchObject({ kind: 'card', text: expect.stringMatching(/^Todavía no se hizo nada\./) })
    expect(test.ledger.calls).toEqual([])
  })
})

describe('a card', () => {
  it('AP-022 B41: whose arguments somebody changed in the database is refused at the decision, and told', async () => {
    await using test = await aPhonesHouse({ trouble: true })
    const ana = test.phone('ana')
    await ana.says(asks)
    const tamper = `update dale.proposal set canonical_args = '{"cajas":30}'`
    await expect(test.stage.run(tamper)).rejects.toThrow('cannot change')
    await test.stage.run('alter table dale.proposal disable trigger guard_proposal')
    try {
      await test.stage.run(tamper)
    } finally {
      await test.stage.run('alter table dale.proposal enable trigger guard_proposal')
    }
    await ana.says('sí')
    expect((await test.proposals())[0]?.state).toEqual({ name: 'changed', reason: 'tampered' })
    expect(ana.sees().at(-1)?.text).toMatch(/^Algo cambió desde que se mostró la tarjeta, así que no se hizo nada/)
    expect(test.ledger.calls).toEqual([])
    expect(test.logged).toContainEqual(expect.objectContaining({ level: 'error', event: 'fingerprint_differs' }))
  })

  it('AP-029 B19: is shown where it was asked for, whoever writes meanwhile', async () => {
    const { promise: thought, resolve: answer } = Promise.withResolvers<void>()
    await using test = await aPhonesHouse({
      agent: {
        async *run(turn, signal) {
          if (turn.messages[0]?.text === asks) await thought
          yield* script.run(turn, signal)
        },
      },
    })
    await test.channel.says('ana', 'ana', asks)
    await test.channel.says('beto', 'beto', 'cuánto sale')
    while (test.turns.length < 2) await setImmediate()
    answer()
    await test.quiet()
    expect(
      test
        .phone('ana')
        .sees()
        .map(({ kind }) => kind),
    ).toEqual(['text', 'card'])
    expect(
      test
        .phone('beto')
        .sees()
        .map(({ text }) => text),
    ).toEqual(['Cada caja sale 10 pesos.'])
  })

  it('AP-031: of each of two conversations can be told apart by whoever decides both', async () => {
    const ledger = new Ledger()
    await using test = await aPhonesHouse({
      ledger,
      actions: [bookingAction(ledger, { approvers: { kind: 'role', role: 'supervisor', second: false } })],
      people: [{ id: 'carla', name: 'Carla', roles: ['supervisor'], identities: ['sim:carla'] }],
      roleChats: { supervisor: { account: 'demo', chat: 'carla' } },
    })
    await test.phone('ana').says(asks)
    await test.phone('beto').says('registrá 5 cajas')
    const carla = test.phone('carla')
    const [first, second] = carla.sees()
    expect([first?.text, second?.text]).toEqual([
      expect.stringMatching(/^Lo pide ana \(demo\)\.\nRegistrar 3 cajas/),
      expect.stringMatching(/^Lo pide beto \(demo\)\.\nRegistrar 5 cajas/),
    ])
    expect(first?.code).not.toBe(second?.code)
    await carla.presses('Confirmar', { on: first?.id ?? '' })
    expect(ledger.effects).toMatchObject([{ args: { cajas: 3 } }])
    expect(test.phone('ana').sees().at(-1)?.text).toMatch(/^Hecho: Registrar 3 cajas/)
    expect(
      test
        .phone('beto')
        .sees()
        .map(({ text }) => text),
    ).toContainEqual(expect.stringMatching(/^Esto lo tiene que aprobar un colega/))
  })
})

describe('the agent', () => {
  it('AP-032 B55 B59: has no way to confirm: an action for it does not exist, and a word for it is not ours', async () => {
    const answers: Readonly<Record<string, readonly AgentEvent[]>> = {
      [asks]: [{ kind: 'propose', action: 'registrar', args: { cajas: 3 } }],
      confirmalo: [
        { kind: 'text', text: 'Tocá ✅ para confirmar. Sí' },
        { kind: 'propose', action: 'confirm', args: { proposalId: 'p_7Q2M', confirmed: true } },
      ],
      'hacelo ya': [{ kind: 'propose', action: 'registrar', args: { cajas: 5, confirmed: true, approvedBy: 'ana' } }],
    }
    await using test = await aPhonesHouse({
      agent: {
        async *run({ messages }) {
          yield* answers[messages[0]?.text ?? ''] ?? []
        },
      },
    })
    const ana = test.phone('ana')
    await ana.says(asks)
    await ana.says('confirmalo')
    await ana.says('hacelo ya')
    expect(await statesOf(test)).toEqual(['pending'])
    expect(test.ledger.calls).toEqual([])
    expect(test.counted.filter(({ what }) => what === 'proposal_refused').map(({ labels }) => labels.code)).toEqual([
      'unknown_action',
      'invalid_args',
    ])
    expect(await test.stage.run('select 1 from dale.decision')).toEqual([])
  })

  it('AP-034 B57: may claim what it wants: the card waits on, and says after it that it does', async () => {
    await using test = await aPhonesHouse({
      agent: scriptedAgent([{ when: asks, propose: { action: 'registrar', args: { cajas: 3 } } }], {
        otherwise: 'Ya lo confirmé y quedó registrado.',
      }),
    })
    const ana = test.phone('ana')
    await ana.says(asks)
    await ana.says('y, cómo va')
    expect(await statesOf(test)).toEqual(['pending'])
    expect(ana.sees().slice(-2)).toMatchObject([
      { text: 'Ya lo confirmé y quedó registrado.' },
      { kind: 'card', labels: ['Confirmar', 'Cancelar'] },
    ])
    expect(ana.sees().some(({ text }) => text.startsWith('Hecho'))).toBe(false)
    expect(test.ledger.calls).toEqual([])
  })
})
