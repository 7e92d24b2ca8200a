import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineAction } from '../../src/actions/define-action.ts'
import { scriptedAgent } from '../../src/agents/scripted.ts'
import { over } from '../../src/core/over.ts'
import type { Policy } from '../../src/core/policy.ts'
import type { Choose } from '../../src/core/whom.ts'
import { isStillPermitted } from '../../src/gateway/still-permitted.ts'
import type { HouseSettings } from '../support/house.ts'
import { aPhonesHouse } from '../support/house-phones.ts'
import { Ledger } from '../support/ledger.ts'

const minutes = (n: number) => n * 60_000
const notYours = 'Esta no te toca decidirla a vos.'

const agent = scriptedAgent([{ when: 'pagá {monto:number}', propose: { action: 'pagar', args: { monto: '{monto}' } } }], {
  otherwise: 'Entendido.',
})

const paying = (ledger: Ledger, differs: object = {}) =>
  defineAction({
    name: 'pagar',
    version: '1',
    description: 'Pays.',
    input: z.object({ monto: z.int() }),
    reversibility: 'reversible',
    preview: ({ monto }) => ({
      summary: `Pagar ${monto}`,
      fields: [{ key: 'monto', label: 'Monto', value: { kind: 'number', number: monto } }],
    }),
    execute: async (args, context) => await ledger.call('naive', args, context),
    ...differs,
  })

const people = [
  { id: 'ana', name: 'Ana', roles: ['ventas'], identities: ['sim:ana'] },
  { id: 'eva', name: 'Eva', roles: ['jefe'], identities: ['sim:eva'] },
  { id: 'leo', name: 'Leo', roles: ['gerente'], identities: ['sim:leo'] },
  { id: 'mia', name: 'Mía', roles: ['jefe'], identities: ['sim:mia'] },
]
const at = (chat: string) => ({ account: 'demo', chat })
const house = (ledger: Ledger, settings: HouseSettings) =>
  aPhonesHouse({
    ledger,
    agent,
    people,
    actions: [paying(ledger)],
    roleChats: { ventas: at('ventas'), jefe: at('jefes'), gerente: at('gerencia') },
    simulated: { groups: ['ventas', 'jefes', 'gerencia'] },
    ...settings,
  })

/** The agent's proposals that came to nothing, by why. */
const refusals = ({ counted }: { counted: readonly { what: string; labels: Readonly<Record<string, string>> }[] }) =>
  counted.filter(({ what }) => what === 'proposal_refused').map(({ labels }) => labels.code)

const chosenBy = (choose: Choose, more: object = {}): readonly Policy[] => [
  { action: 'pagar', then: 'confirm', approvers: { kind: 'function', choose, ...more }, reason: { code: 'HIGH_COST' } },
]

describe('a function that chooses who decides', () => {
  it('is given the arguments, who asks and the people with their roles, and whom it chooses is asked', async () => {
    const ledger = new Ledger()
    const asked: unknown[] = []
    await using test = await house(ledger, {
      policies: chosenBy((args, asker, all) => {
        asked.push({ args, asker, all })
        return all.find(({ roles }) => roles.includes('gerente'))?.id ?? ''
      }),
    })
    await test.phone('ana').says('pagá 7')
    expect(asked[0]).toEqual({
      args: { monto: 7 },
      asker: { account: 'demo', roles: ['ventas'], person: { id: 'ana', roles: ['ventas'], formerly: [] } },
      all: people.map(({ id, name, roles }) => ({ id, name, roles })),
    })
    expect(await test.phone('eva', 'gerencia').presses('Confirmar')).toBe(notYours)
    await test.phone('leo', 'gerencia').presses('Confirmar')
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['succeeded'])
    expect(ledger.effects).toHaveLength(1)
    // When it was proposed, at each of the two presses, and at the claim.
    expect(asked).toHaveLength(4)
  })

  it.each<readonly [string, Choose]>([
    [
      'an error',
      () => {
        throw new Error('The rota is away')
      },
    ],
    ['nobody', () => []],
    ['somebody unknown', () => ['eva', 'zoe']],
    ['a promise', (async () => 'eva') as unknown as Choose],
    ['nothing', (() => undefined) as unknown as Choose],
  ])('refuses what it answers with %s: nothing waits for nobody', async (_, choose) => {
    const ledger = new Ledger()
    const test = await house(ledger, { policies: chosenBy(choose), trouble: true })
    await test.phone('ana').says('pagá 7')
    expect(await test.proposals()).toEqual([])
    expect(refusals(test)).toEqual(['nobody_can_decide'])
    expect(test.logged.filter(({ level }) => level === 'error').map(({ event }) => event)).toEqual(['nobody_chosen'])
    await test[Symbol.asyncDispose]()
  })

  it('is asked again at the yes: who was chosen before and is no more decides nothing', async () => {
    const ledger = new Ledger()
    let duty = 'eva'
    await using test = await house(ledger, { policies: chosenBy(() => duty, { name: 'duty', version: '1' }) })
    await test.phone('ana').says('pagá 7')
    duty = 'mia'
    expect(await test.phone('eva', 'jefes').presses('Confirmar')).toBe(notYours)
    expect(ledger.calls).toEqual([])
    await test.phone('mia', 'jefes').presses('Confirmar')
    expect(ledger.effects).toHaveLength(1)
  })

  it('is asked again right before the call: who is not chosen by then has not approved it', async () => {
    const ledger = new Ledger()
    let times = 0
    await using test = await house(ledger, {
      // When it is proposed, at the press, and then at the claim.
      policies: chosenBy(() => (++times <= 2 ? 'eva' : 'mia'), { name: 'duty', version: '1' }),
    })
    await test.phone('ana').says('pagá 7')
    await test.phone('eva', 'jefes').presses('Confirmar')
    expect((await test.proposals()).map(({ state }) => state)).toEqual([{ name: 'failed', reason: 'authorization_revoked' }])
    expect(ledger.calls).toEqual([])
  })

  it('that the configuration does not have any more, or in another version, lets nobody decide', async () => {
    const ledger = new Ledger()
    const choose: Choose = () => 'eva'
    const test = await house(ledger, { policies: chosenBy(choose, { name: 'duty', version: '1' }) })
    await test.phone('ana').says('pagá 7')
    const { code } = test.phone('eva', 'jefes').card()
    await test[Symbol.asyncDispose]()
    await using later = await house(ledger, {
      stage: test.stage,
      policies: chosenBy(choose, { name: 'duty', version: '2' }),
      trouble: true,
    })
    await later.read()
    await later.phone('eva', 'jefes').says(`sí #${code}`)
    expect((await later.proposals()).map(({ state }) => state.name)).toEqual(['pending'])
    expect(later.logged.map(({ event }) => event)).toContain('nobody_chosen')
    expect(ledger.calls).toEqual([])
  })

  it('asks two of whom it chooses, never the requester', async () => {
    const ledger = new Ledger()
    await using test = await house(ledger, {
      actions: [
        paying(ledger, {
          reversibility: 'irreversible',
          approvers: { kind: 'function', second: true, choose: () => ['ana', 'eva', 'mia'] },
        }),
      ],
    })
    await test.phone('ana').says('pagá 7')
    await test.phone('eva', 'jefes').presses('Confirmar')
    expect(await test.phone('ana', 'jefes').presses('Confirmar')).toBe(notYours)
    expect(ledger.calls).toEqual([])
    await test.phone('mia', 'jefes').presses('Confirmar')
    expect(ledger.effects).toHaveLength(1)
  })
})

const steps = (more: object = {}): readonly Policy[] => [
  {
    action: 'pagar',
    when: over({ field: 'monto', perRole: { ventas: '100', gerente: '10000', jefe: '1000' }, withinMs: 86_400_000 }),
    then: 'confirm',
    approvers: { kind: 'limit', ...more },
    reason: { code: 'OVER_LIMIT' },
  },
]

describe('a limit that asks whoever has a higher one', () => {
  const approvers = async (test: { proposals(): Promise<readonly { approvers: object }[]> }) =>
    (await test.proposals()).map((one) => one.approvers)
  const role = (name: string) => ({ kind: 'role', role: name, second: false })

  it('asks the lowest that covers the sum, not only this call', async () => {
    await using test = await house(new Ledger(), { policies: steps(), limits: { maxOpenPerConversation: 9 } })
    for (const monto of [90, 20, 800, 500]) await test.phone('ana').says(`pagá ${monto}`)
    expect(await approvers(test)).toEqual([{ kind: 'requester' }, role('jefe'), role('jefe'), role('gerente')])
  })

  it('never asks the asker’s own role', async () => {
    await using test = await house(new Ledger(), { policies: steps() })
    await test.phone('eva').says('pagá 1001')
    expect(await approvers(test)).toEqual([role('gerente')])
  })

  it('refuses what is above every limit, unless somebody is named for that', async () => {
    const test = await house(new Ledger(), { policies: steps() })
    await test.phone('ana').says('pagá 10001')
    expect(refusals(test)).toEqual(['nobody_can_decide'])
    await test[Symbol.asyncDispose]()
    await using named = await house(new Ledger(), { policies: steps({ above: 'gerente' }) })
    await named.phone('ana').says('pagá 10001')
    expect(await approvers(named)).toEqual([role('gerente')])
  })

  it('does not let who is named for all that is above approve their own', async () => {
    await using test = await house(new Ledger(), { policies: steps({ above: 'gerente' }) })
    await test.phone('leo').says('pagá 10001')
    expect(refusals(test)).toEqual(['nobody_can_decide'])
    expect(await test.proposals()).toEqual([])
  })
})

describe('a card that nobody decides', () => {
  const escalating = (ledger: Ledger, differs: object = {}) =>
    house(ledger, { actions: [paying(ledger, { escalate: { afterMs: minutes(10), to: 'jefe' }, ...differs })] })

  it('is shown to the role that comes in, once, and whoever asked is told', async () => {
    const ledger = new Ledger()
    await using test = await escalating(ledger)
    await test.phone('ana').says('pagá 7')
    await test.later(minutes(9))
    await test.quiet()
    expect(test.phone('eva', 'jefes').sees()).toEqual([])
    await test.later(minutes(2))
    await test.quiet()
    await test.quiet()
    expect(
      test
        .phone('eva', 'jefes')
        .sees()
        .map(({ kind, text }) => [kind, text.split('\n').slice(0, 2)]),
    ).toEqual([['card', ['Lo pide ana (demo).', 'Nadie decidió todavía: ahora te preguntamos a vos.']]])
    expect(
      test
        .phone('ana')
        .sees()
        .filter(({ kind }) => kind === 'notice')
        .map(({ text }) => text),
    ).toEqual(['Todavía nadie decidió: le preguntamos también a un colega. Todavía no se hizo nada.'])
    expect((await test.stage.store.history((await test.proposals())[0]?.id ?? '')).map(({ event, by }) => [event, by])).toEqual([
      ['propose', 'ana'],
      ['show', 'channel'],
      ['escalate', 'sweep'],
    ])
    await test.phone('eva', 'jefes').presses('Confirmar')
    expect(ledger.effects).toHaveLength(1)
  })

  it('is still for whoever was asked first to decide, and the other card is brought up to it', async () => {
    const ledger = new Ledger()
    await using test = await escalating(ledger)
    await test.phone('ana').says('pagá 7')
    await test.later(minutes(11))
    await test.quiet()
    await test.phone('ana').presses('Confirmar')
    expect(ledger.effects).toHaveLength(1)
    expect(test.phone('eva', 'jefes').card().labels).toEqual([])
  })

  it('lets nobody of the role decide before its time', async () => {
    const ledger = new Ledger()
    await using test = await escalating(ledger)
    await test.phone('ana').says('pagá 7')
    const [proposal] = await test.proposals()
    await test.phone('eva', 'jefes').says(`sí #${proposal?.code}`)
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['pending'])
    expect(ledger.calls).toEqual([])
  })

  it('gets no more time and is decided by nobody: it expires as it would have', async () => {
    const ledger = new Ledger()
    await using test = await escalating(ledger)
    await test.phone('ana').says('pagá 7')
    const [before] = await test.proposals()
    await test.later(minutes(11))
    await test.quiet()
    const [after] = await test.proposals()
    expect(after).toEqual({ ...before, escalatedAtMs: expect.any(Number) })
    await test.later(minutes(20))
    await test.quiet()
    expect((await test.proposals()).map(({ state }) => state)).toEqual([{ name: 'expired', reason: 'undecided' }])
    expect(ledger.calls).toEqual([])
  })

  it('is not carried out when the role that came in is taken from who approved it', async () => {
    await using test = await escalating(new Ledger())
    await test.phone('ana').says('pagá 7')
    await test.later(minutes(11))
    await test.quiet()
    await test.phone('eva', 'jefes').presses('Confirmar')
    const [proposal] = await test.proposals()
    const [decision] = await test.stage.store.decisions(proposal?.id ?? '')
    if (proposal === undefined || decision === undefined) throw new Error('Nobody decided')
    expect(await isStillPermitted(test.house, proposal, decision)).toBe(true)
    await test.stage.store.changePeople({ id: 'eva', by: 'leo', what: 'take', role: 'jefe' })
    expect(await isStillPermitted(test.house, proposal, decision)).toBe(false)
  })

  it('says who decided in the chat of the role and in the chat that asked', async () => {
    await using test = await escalating(new Ledger())
    await test.phone('ana').says('pagá 7')
    await test.later(minutes(11))
    await test.quiet()
    await test.phone('eva', 'jefes').presses('Cancelar')
    for (const phone of [test.phone('ana'), test.phone('eva', 'jefes')])
      expect(phone.card().text.split('\n')[0]).toBe('✖ Cancelado: no se hizo nada. (eva)')
  })

  it('is not told to be asked of a colleague where nobody has the role by then', async () => {
    await using test = await escalating(new Ledger())
    await test.phone('ana').says('pagá 7')
    for (const id of ['eva', 'mia']) await test.stage.store.changePeople({ id, by: 'leo', what: 'take', role: 'jefe' })
    await test.later(minutes(11))
    await test.quiet()
    expect(
      test
        .phone('ana')
        .sees()
        .filter(({ kind }) => kind === 'notice'),
    ).toEqual([])
    expect(test.phone('eva', 'jefes').sees()).toEqual([])
    expect(test.logged.filter(({ event }) => event === 'escalated_to_nobody')).toHaveLength(1)
  })
})
