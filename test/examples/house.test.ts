import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { configAt as cobranzasAt } from '../../examples/cobranzas/config.ts'
import { openService as openCobranzas } from '../../examples/cobranzas/service.ts'
import { dayAfter } from '../../examples/cobranzas/values.ts'
import { configAt as pedidosAt } from '../../examples/pedidos/config.ts'
import { openService as openPedidos } from '../../examples/pedidos/service.ts'
import { renderLines } from '../../src/channels/simulator/render.ts'
import type { SimulatorChannel } from '../../src/ports/simulation.ts'
import { killableService } from '../support/example-service.ts'
import { aHouse, type TestHouse } from '../support/house.ts'

// Each has a service, some in a process of its own.
vi.setConfig({ testTimeout: 60_000 })

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dale-examples-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const today = '2026-11-30'

/** The hands and eyes of the people in front of a house; everything is read for as long as it must be. */
function peopleOf(set: TestHouse, account: string) {
  const phone = set.house.channels.get(account) as SimulatorChannel
  const cards = (person: string) => phone.transcript(person).filter(({ content }) => content.kind === 'card')
  return {
    async says(person: string, text: string) {
      await set.read()
      await phone.says(person, person, text)
      await set.quiet()
    },
    async taps(person: string, label: string) {
      await set.read()
      const tapped = await phone.presses(person, person, cards(person).at(-1)?.id ?? '', label)
      await set.quiet()
      return tapped.kind
    },
    card: (person: string) => renderLines(cards(person).at(-1)?.content ?? { kind: 'text', text: '' }),
    last(person: string) {
      const entry = phone.transcript(person).findLast(({ by, content }) => by.kind === 'account' && content.kind !== 'card')
      return renderLines(entry?.content ?? { kind: 'text', text: '' })
        .join(' ')
        .replace(/ +#\w{4}$/, '')
    },
  }
}

describe('cobranzas over its service', () => {
  test('the card reads the service, a yes in a word is one movement in it, and the customer is told its number', async () => {
    await using service = await openCobranzas({ today: () => today })
    await using set = await aHouse({ ...cobranzasAt(service.url) })
    const { says, card, last } = peopleOf(set, 'cobranzas')
    await says('ana', '¿lo puedo pagar en 3 cuotas?')
    expect(card('ana').slice(0, 8)).toEqual([
      'Abrir un plan de 3 cuotas para Ana Gómez (cliente 42)',
      'Cliente: Ana Gómez (42)',
      'Cuotas: 3',
      'Monto: ARS 184.000,00',
      'Cada cuota: ARS 61.333,33',
      'Última cuota: ARS 61.333,34',
      'Primer vencimiento: 10 de diciembre de 2026',
      'Saldo hoy: ARS 184.000,00',
    ])
    expect(service.ledger.movements).toEqual([])
    await says('ana', 'dale')
    await says('ana', 'dale')
    expect(last('ana')).toBe('Hecho: Abrir un plan de 3 cuotas para Ana Gómez (cliente 42) Acuerdo A-1 abierto.')
    const [proposal] = await set.proposals()
    expect(service.ledger.movements.map(({ numero, entrada }) => ({ numero, entrada }))).toEqual([
      {
        numero: 'A-1',
        entrada: { tipo: 'acuerdo', cliente: '42', cuotas: 3, monto: '184000.00', vencimiento: dayAfter(today, 10) },
      },
    ])
    expect(proposal?.state.name).toBe('succeeded')
  })

  test('what the service has already is not asked for again', async () => {
    await using service = await openCobranzas({ today: () => today })
    await using set = await aHouse({ ...cobranzasAt(service.url) })
    const { says, last } = peopleOf(set, 'cobranzas')
    service.ledger.enter('otra', { tipo: 'acuerdo', cliente: '42', cuotas: 2, monto: '100.00', vencimiento: dayAfter(today, 5) })
    await says('ana', 'quiero un plan de 3 cuotas')
    expect(last('ana')).toBe('Eso ya está hecho: Ana Gómez ya tiene el acuerdo A-1.')
    expect(await set.proposals()).toEqual([])
  })

  test('a supervisor’s tap on the second phone moves the due date, and both phones are told', async () => {
    await using service = await openCobranzas({ today: () => today })
    await using set = await aHouse({ ...cobranzasAt(service.url) })
    const { says, taps, last } = peopleOf(set, 'cobranzas')
    await says('ana', '¿me corrés el vencimiento 15 días?')
    expect(await taps('beto', 'Confirmar')).toBe('pressed')
    const done = 'Hecho: Correr el vencimiento de Ana Gómez (cliente 42) Vencimiento cambiado.'
    expect([last('ana'), last('beto')]).toEqual([done, done])
    expect(service.ledger.customer('42')?.vence).toBe(dayAfter(today, 25))
  })

  test('a debt that moved while the card stood there is told as a difference; a yes to the new card does it', async () => {
    await using service = await openCobranzas({ today: () => today })
    await using set = await aHouse({ ...cobranzasAt(service.url) })
    const { says, card } = peopleOf(set, 'cobranzas')
    await says('diego', 'plan de 4 cuotas de 100.000 para el cliente 42')
    service.ledger.enter('comite', { tipo: 'condonacion', cliente: '42', monto: '4000', motivo: 'intereses' })
    await says('diego', 'dale')
    expect(card('diego').slice(0, 4)).toEqual([
      'Algo cambió desde la tarjeta anterior, así que no se hizo nada. Ahora está así:',
      'Saldo hoy: ARS 184.000,00 → ARS 180.000,00',
      'Abrir un plan de 4 cuotas para Ana Gómez (cliente 42)',
      'Cliente: Ana Gómez (42)',
    ])
    await says('diego', 'dale')
    expect(service.ledger.movements.map(({ numero }) => numero)).toEqual(['C-1', 'A-1'])
  })

  test('what is no longer owed when the yes comes is not asked for, and that is told', async () => {
    await using service = await openCobranzas({ today: () => today })
    await using set = await aHouse({ ...cobranzasAt(service.url) })
    const { says, last } = peopleOf(set, 'cobranzas')
    await says('ana', 'pasame el link')
    service.ledger.enter('caja', { tipo: 'condonacion', cliente: '42', monto: '84000', motivo: 'pagó en la caja' })
    await says('ana', 'dale')
    expect(last('ana')).toMatch(/Ana Gómez debe menos que eso\. No se hizo nada\.$/)
    expect(service.ledger.movements.map(({ clave }) => clave)).toEqual(['caja'])
  })

  test('a service that was killed after it had done it: told as in doubt, then found by its key, and done once', async () => {
    await using service = await killableService('cobranzas', join(folder, 'after.jsonl'))
    await using set = await aHouse({ ...cobranzasAt(service.url), trouble: true })
    const { says, last } = peopleOf(set, 'cobranzas')
    await says('ana', '¿lo puedo pagar en 3 cuotas?')
    const dead = service.dies('after')
    await says('ana', 'dale')
    await dead
    expect((await set.proposals()).map(({ state }) => state.name)).toEqual(['in_doubt'])
    expect(last('ana')).toMatch(/^Todavía no pude saber si esto se hizo: Abrir un plan de 3 cuotas .* no lo pidas de nuevo\.$/)
    await service.starts()
    await set.later(60_000)
    await set.quiet()
    expect(last('ana')).toBe('Hecho: Abrir un plan de 3 cuotas para Ana Gómez (cliente 42) Acuerdo A-1 abierto.')
    expect(await service.movements()).toHaveLength(1)
  })

  test('a service that was killed before it had seen it: in doubt, then called again under the key, and done once', async () => {
    await using service = await killableService('cobranzas', join(folder, 'before.jsonl'))
    await using set = await aHouse({ ...cobranzasAt(service.url), trouble: true })
    const { says, last } = peopleOf(set, 'cobranzas')
    await says('ana', 'pasame el link')
    const dead = service.dies('before')
    await says('ana', 'dale')
    await dead
    expect((await set.proposals()).map(({ state }) => state.name)).toEqual(['in_doubt'])
    await service.starts()
    await set.later(60_000)
    await set.quiet()
    expect(last('ana')).toMatch(/^Hecho: Mandarle a Ana Gómez un link de pago .* Link L-1 enviado a ana@correo.example\.$/)
    expect(await service.movements()).toHaveLength(1)
  })
})

describe('pedidos over its service', () => {
  test('a large refund is paid back once, after two managers’ taps on their own phones', async () => {
    await using service = await openPedidos()
    await using set = await aHouse({ ...pedidosAt(service.url) })
    const { says, taps, last } = peopleOf(set, 'pedidos')
    await says('mariana', 'quero reembolso de 1.100 do pedido 1043 porque não moeu')
    await taps('bia', 'Confirmar')
    expect(service.ledger.movements).toEqual([])
    await taps('caio', 'Confirmar')
    const done = 'Feito: Reembolsar o pedido 1043 de Mariana Alves Reembolso R-1 feito.'
    expect([last('mariana'), last('bia'), last('caio')]).toEqual([done, done, done])
    expect(service.ledger.order('1043')?.reembolsado).toBe('1100.00')
  })

  test('an order that leaves between the card and the yes is not cancelled, and that is told', async () => {
    await using service = await openPedidos()
    await using set = await aHouse({ ...pedidosAt(service.url) })
    const { says, last } = peopleOf(set, 'pedidos')
    await says('mariana', 'cancela o pedido 1044 porque comprei errado')
    service.ledger.enter('balcao', { tipo: 'cancelamento', pedido: '1044', motivo: 'pelo telefone' })
    await says('mariana', 'sim')
    expect(service.ledger.movements.map(({ chave }) => chave)).toEqual(['balcao'])
    expect(last('mariana')).toMatch(/O pedido 1044 já/)
  })
})

describe('each service', () => {
  test('does one thing for one key, and refuses the key for another', async () => {
    await using service = await openCobranzas({ today: () => today })
    const post = async (key: string | undefined, monto: string) => {
      const answer = await fetch(`${service.url}/links`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { 'idempotency-key': key }) },
        body: JSON.stringify({ cliente: '42', monto, correo: 'ana@correo.example' }),
      })
      return answer.status
    }
    expect([await post('k', '10'), await post('k', '10'), await post('k', '11'), await post(undefined, '10')]).toEqual([
      201, 200, 422, 400,
    ])
    expect(service.ledger.movements).toHaveLength(1)
  })
})
