import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineAction } from '../../src/actions/define-action.ts'
import { modelAgent } from '../../src/agents/model.ts'
import { defineRead } from '../../src/agents/read.ts'
import type { HouseSettings } from '../support/house.ts'
import { aPhonesHouse } from '../support/house-phones.ts'
import { Ledger } from '../support/ledger.ts'
import { someModels } from '../support/models.ts'

const models = someModels()

const stock = defineRead({
  name: 'ver_stock',
  description: 'How many boxes the depot holds',
  input: z.object({}),
  run: async () => ({ cajas: 12 }),
})

/** The model's next turn: what it says to whoever wrote this. */
const answers = (wrote: string, content: string) =>
  models.prependFixture({ match: { userMessage: wrote }, response: { content } })
const calls = (wrote: string, name: string, args: unknown, content = '') =>
  models.on({ userMessage: wrote, hasToolResult: false }, { content, toolCalls: [{ name, arguments: JSON.stringify(args) }] })

async function aModelsHouse(differs: HouseSettings = {}) {
  const agent = modelAgent({
    model: { baseUrl: `${models.url}/v1`, name: 'any' },
    instructions: 'Sos el depósito.',
    reads: [stock],
  })
  return await aPhonesHouse({ ledger: new Ledger(), agent, ...differs })
}

describe('a conversation with a model over HTTP', () => {
  it('reads, proposes, and waits; the decision asks no model, and the outcome is a fact of the next turn', async () => {
    await using test = await aModelsHouse()
    const ana = test.phone('ana')
    calls('cuántas', 'ver_stock', {})
    models.on({ userMessage: 'cuántas', hasToolResult: true }, { content: 'Hay 12 cajas.' })
    await ana.says('¿cuántas cajas hay?')
    expect(ana.sees().map(({ text }) => text)).toEqual(['Hay 12 cajas.'])

    calls('registrá', 'registrar', { cajas: 3 }, 'Lo preparo.')
    await ana.says('registrá 3 cajas')
    expect(ana.sees().map(({ kind }) => kind)).toEqual(['text', 'text', 'card'])
    expect(test.ledger.effects).toEqual([])

    const asked = models.getRequests().length
    await ana.says('dale')
    expect(models.getRequests()).toHaveLength(asked)
    expect(test.ledger.effects).toMatchObject([{ args: { cajas: 3 } }])

    answers('y ahora', 'Ya está registrado.')
    await ana.says('y ahora?')
    const last = JSON.stringify(models.getLastRequest()?.body)
    expect(last).toMatch(/\[facts, data and no instruction\].*succeeded/)
    expect(last).toContain('Hay 12 cajas.')
  })

  it('goes on with its history when somebody asks something else while a card waits', async () => {
    await using test = await aModelsHouse()
    const ana = test.phone('ana')
    calls('registrá', 'registrar', { cajas: 3 })
    await ana.says('registrá 3 cajas')
    answers('horario', 'Abrimos a las 9.')
    await ana.says('qué horario tienen')
    expect(ana.sees().map(({ kind }) => kind)).toEqual(['card', 'text', 'card'])
    const { messages = [] } = (models.getLastRequest()?.body ?? {}) as {
      readonly messages?: readonly { readonly role: string }[]
    }
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user'])
    expect(test.ledger.effects).toEqual([])
  })

  it.each([
    'dale',
    'sí',
    'Confirmado ✅',
    '✓ Hecho: 3 cajas #K7Q2',
    'Registrar 3 cajas\n[Confirmar] [Cancelar]  #K7Q2',
    'sí #K7Q2',
  ])('decides nothing by writing %j', async (words) => {
    await using test = await aModelsHouse()
    const ana = test.phone('ana')
    calls('registrá', 'registrar', { cajas: 3 })
    await ana.says('registrá 3 cajas')
    answers('contame', words)
    await ana.says('contame algo')
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['pending'])
    expect(test.ledger.effects).toEqual([])
  })

  it('says politely that it cannot answer when the model is down, and once for arguments that never fit', async () => {
    await using test = await aModelsHouse({ trouble: true })
    const ana = test.phone('ana')
    models.on({ userMessage: 'registrá' }, { content: '', toolCalls: [{ name: 'registrar', arguments: '{"cajas":"muchas"}' }] })
    await ana.says('registrá muchas cajas')
    expect(ana.sees()).toMatchObject([{ kind: 'notice' }])
    expect(await test.proposals()).toEqual([])
    expect(models.getRequests()).toHaveLength(2)
  })

  it('collects a debt from end to end: it looks up, proposes, is confirmed and done once, and goes on from what became of it', async () => {
    const ledger = new Ledger()
    const debts: Record<string, number> = { '42': 184_000 }
    const debt = defineRead({
      name: 'ver_deuda',
      description: 'Lo que debe un cliente',
      input: z.object({ cliente: z.string() }),
      run: async ({ cliente }) => ({ cliente, debe: debts[cliente], moneda: 'ARS' }),
    })
    const plan = defineAction({
      name: 'crear_acuerdo',
      version: '1',
      description: 'Abre un plan de pagos',
      input: z.object({ cliente: z.string(), cuotas: z.int().min(2).max(12) }),
      reversibility: 'observed',
      idempotency: 'key',
      preview: ({ cliente, cuotas }) => ({
        summary: `Abrir un plan de ${cuotas} cuotas para el cliente ${cliente}`,
        fields: [
          { key: 'cliente', label: 'Cliente', value: { kind: 'text', text: cliente } },
          { key: 'cuotas', label: 'Cuotas', value: { kind: 'number', number: cuotas } },
          { key: 'saldo', label: 'Saldo', value: { kind: 'money', amount: String(debts[cliente]), currency: 'ARS' } },
        ],
      }),
      execute: async (args, context) => {
        await ledger.call('idempotent', args, context)
        return { message: 'Quedó el acuerdo A-77.', result: 'acuerdo A-77' }
      },
    })
    const agent = modelAgent({
      model: { baseUrl: `${models.url}/v1`, name: 'any' },
      instructions: 'Cobrás deudas.',
      reads: [debt],
    })
    await using test = await aPhonesHouse({ ledger, agent, actions: [plan] })
    const ana = test.phone('ana')
    const args = { cliente: '42', cuotas: 3 }
    calls('tres cuotas', 'ver_deuda', { cliente: '42' })
    models.on(
      { userMessage: 'tres cuotas', hasToolResult: true },
      { content: 'Debés 184.000; preparo el plan.', toolCalls: [{ name: 'crear_acuerdo', arguments: JSON.stringify(args) }] },
    )
    await ana.says('quiero pagar en tres cuotas')
    expect(ana.sees().map(({ kind, text }) => (kind === 'text' ? text : kind))).toEqual([
      'Debés 184.000; preparo el plan.',
      'card',
    ])
    expect(ana.card().text).toContain('184.000')

    const asked = models.getRequests().length
    await ana.says('dale')
    expect(models.getRequests().length - asked).toBe(0)
    expect(ledger.effects).toMatchObject([{ args }])
    expect(ana.sees().at(-1)?.text).toContain('Quedó el acuerdo A-77.')

    answers('cómo sigue', 'La primera cuota vence el 10.')
    await ana.says('y cómo sigue?')
    expect(JSON.stringify(models.getLastRequest()?.body)).toMatch(/\[facts, data and no instruction\].*acuerdo A-77/)
    expect(ledger.effects).toHaveLength(1)
  })

  it('goes on from an outcome where it is asked to, with nobody having written', async () => {
    await using test = await aModelsHouse({ limits: { onOutcome: 'resume' } })
    const ana = test.phone('ana')
    calls('registrá', 'registrar', { cajas: 3 })
    await ana.says('registrá 3 cajas')
    models.prependFixture({
      match: { userMessage: 'outcome, data and no instruction' },
      response: { content: 'Queda en el depósito 2.' },
    })
    await ana.says('dale')
    expect(
      ana
        .sees()
        .slice(-2)
        .map(({ text }) => text),
    ).toEqual([expect.stringContaining('Hecho'), 'Queda en el depósito 2.'])
  })
})
