// A number that began as a linked device goes on behind the Cloud API, and back: who asked there says yes here.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { matches } from '../../src/rehearsal/compare.ts'
import type { TestHouse } from '../support/house.ts'
import type { Phone } from '../support/house-phones.ts'
import { aShopNumber, type Customer, type ShopNumber } from '../support/house-whatsapp.ts'
import { until } from '../support/until.ts'

const asks = 'registrá 3 cajas'
const her = { lid: '99900002222', phone: '5491155550101', userId: 'AR.1350000001' }
const his = { lid: '99900003333', phone: '5491155550199', userId: 'AR.1350000009' }

let shop: ShopNumber
let customer: Customer
beforeEach(async () => {
  shop = await aShopNumber()
  await shop.pair()
  customer = await shop.customer('Ana', her)
})
afterEach(() => shop[Symbol.asyncDispose]())

const states = async () => (await shop.stage.store.list({ limit: 10 })).map(({ state }) => state.name)
const said = (phone: Phone) => phone.sees().map(({ text }) => text)
const unlinked = ({ logged }: TestHouse) => logged.some(({ event }) => event === 'whatsapp_logged_out')
const receivers = () => shop.graph.calls.flatMap(({ payload: { to, recipient } }) => to ?? recipient ?? [])

/** She asks through the linked device, and the house ends with her card open; its code. With her phone off its delivery is not reported. */
async function anOpenCard(how: { readonly controls?: 'words' | 'poll'; readonly off?: true } = {}): Promise<string> {
  const { controls = 'words', off } = how
  await using before = await shop.opens('whatsapp-baileys', { controls })
  if (off !== undefined) before.turnsOff(customer)
  await before.phone(customer).says(asks)
  if (off !== undefined) {
    // Behind a message that reached no phone the next one leaves a second later.
    await before.later(1_500)
    await before.quiet()
  }
  expect(await states()).toEqual(['pending'])
  return (await before.proposals())[0]?.code ?? ''
}

/** Lines of a talk as they were seen, with one code for all. */
async function talk(phone: Phone, text: string): Promise<readonly string[]> {
  const before = phone.sees().length
  await phone.says(text)
  return [
    `ana: ${text}`,
    ...said(phone)
      .slice(before)
      .map((line) => `bot: ${line.replaceAll(/#[2-9A-Z]{4}/g, '#K7Q2')}`),
  ]
}

describe('an account that moves from a linked device to the Cloud API', { timeout: 40_000 }, () => {
  it('takes the yes on the new one, once, and answers there: the card’s delivery on the old one was reported', async () => {
    await anOpenCard()
    await using after = await shop.opens('whatsapp-cloud')
    const ana = after.phone(customer)
    await ana.says('dale')
    expect(await states()).toEqual(['succeeded'])
    expect(said(ana)).toEqual([expect.stringMatching(/^Recibido/), expect.stringMatching(/^Hecho: Registrar 3 cajas/)])
    expect(receivers()).toEqual([her.userId, her.userId])
    expect(after.turns).toEqual([])
    const [proposal] = await after.proposals()
    expect(await shop.stage.store.decisions(proposal?.id ?? '')).toMatchObject([
      { verdict: 'approve', via: 'phrase', identity: `wa:${her.userId}`, person: proposal?.requester },
    ])
    shop.graph.webhooks.again()
    await ana.says('dale')
    expect(shop.ledger.effects).toMatchObject([{ args: { cajas: 3 } }])
    expect(shop.ledger.calls).toHaveLength(1)
  })

  it('shows the card again where its delivery was never reported, and the yes to that one counts', async () => {
    await anOpenCard({ off: true })
    await using after = await shop.opens('whatsapp-cloud')
    const ana = after.phone(customer)
    await ana.says('dale')
    expect(await states()).toEqual(['pending'])
    expect(said(ana)).toEqual([expect.stringMatching(/^Todavía no se hizo nada.*Cajas: 3/s)])
    await ana.says('dale')
    expect(await states()).toEqual(['succeeded'])
    expect(shop.ledger.effects).toHaveLength(1)
  })

  it('needs no report for the card’s code', async () => {
    const code = await anOpenCard({ off: true })
    await using after = await shop.opens('whatsapp-cloud')
    await after.phone(customer).says(`dale #${code}`)
    expect(await states()).toEqual(['succeeded'])
  })

  it('decides by words a card whose poll stayed behind', async () => {
    await anOpenCard({ controls: 'poll' })
    await using after = await shop.opens('whatsapp-cloud')
    const ana = after.phone(customer)
    await ana.says('dale')
    expect(await states()).toEqual(['succeeded'])
    expect(shop.ledger.effects).toHaveLength(1)
    // The next card has the buttons of the new one.
    await ana.says('registrá 4 cajas')
    await ana.presses('Cancelar')
    expect((await states()).toSorted()).toEqual(['rejected', 'succeeded'])
  })

  it('lets nobody else decide, by word, code or reply', async () => {
    const code = await anOpenCard()
    const stranger = await shop.customer('Beto', his)
    await using after = await shop.opens('whatsapp-cloud')
    const beto = after.phone(stranger)
    for (const text of ['dale', 'no', `dale #${code}`, `no #${code}`]) await beto.says(text)
    await beto.says('dale', { replyTo: 'wamid.OLD' })
    expect(await states()).toEqual(['pending'])
    expect(said(beto).join()).not.toContain('Cajas')
    expect(shop.ledger.calls).toEqual([])
    await after.phone(customer).says('dale')
    expect(shop.ledger.effects).toHaveLength(1)
  })

  it('does not know a person again whose number the linked device was never told', async () => {
    customer = await shop.customer('Luz', {
      lid: '99900004444',
      phone: '5491155550177',
      userId: 'AR.1350000004',
      hidesPhone: true,
    })
    const code = await anOpenCard()
    await using after = await shop.opens('whatsapp-cloud')
    const luz = after.phone(customer)
    for (const text of ['dale', `dale #${code}`]) await luz.says(text)
    expect(await states()).toEqual(['pending'])
    expect(shop.ledger.calls).toEqual([])
    await luz.says(asks)
    await luz.says('dale')
    expect((await states()).toSorted()).toEqual(['pending', 'succeeded'])
  })

  it('tells there that a card ended while nobody had the number', async () => {
    await anOpenCard()
    await shop.later(31 * 60_000)
    customer.cloud.begins()
    await using after = await shop.opens('whatsapp-cloud')
    await after.quiet()
    const ana = after.phone(customer)
    expect(await states()).toEqual(['expired'])
    expect(said(ana)).toEqual([expect.stringMatching(/^Venció sin respuesta/)])
    await ana.says('dale')
    expect(shop.ledger.calls).toEqual([])
  })

  it('sends what was still to be told to her number: a LID is no address there, and more is not known of her', async () => {
    await anOutcomeThatWaits()
    customer.cloud.begins()
    await using after = await shop.opens('whatsapp-cloud')
    await after.quiet()
    expect(said(after.phone(customer))).toEqual([expect.stringMatching(/^Hecho: Registrar 3 cajas/)])
    expect(receivers()).toEqual([her.phone])
    expect(shop.ledger.effects).toHaveLength(1)
  })

  it('keeps it until she writes, where WhatsApp has not heard from her on the new one', async () => {
    await anOutcomeThatWaits()
    await using after = await shop.opens('whatsapp-cloud')
    await after.quiet()
    const ana = after.phone(customer)
    expect(said(ana)).toEqual([])
    await ana.says('hola')
    expect(said(ana)).toEqual([expect.stringMatching(/^Hecho: Registrar 3 cajas/), 'Entendido.'])
    expect(receivers()).toEqual([her.phone, her.userId, her.userId])
    expect(shop.ledger.effects).toHaveLength(1)
  })
})

/** She has said yes, the number is unlinked while it is being done, and the house ends with its outcome untold. */
async function anOutcomeThatWaits(): Promise<void> {
  const held = Promise.withResolvers<void>()
  shop.ledger.next({ held: held.promise })
  await using before = await shop.opens('whatsapp-baileys', { trouble: true })
  const ana = before.phone(customer)
  await ana.says(asks)
  await ana.says('dale')
  expect(await states()).toEqual(['executing'])
  await shop.own.unlinks()
  await until(() => unlinked(before))
  held.resolve()
  await until(async () => (await states())[0] === 'succeeded')
  expect(said(ana).join()).not.toContain('Hecho')
}

describe('an account that moves back from the Cloud API to a linked device', { timeout: 40_000 }, () => {
  it('takes the yes there, once, and answers to her LID', async () => {
    {
      await using before = await shop.opens('whatsapp-cloud')
      const ana = before.phone(customer)
      await ana.says(asks)
      expect(ana.card().labels).toEqual(['Confirmar', 'Cancelar'])
    }
    await using after = await shop.opens('whatsapp-baileys')
    const ana = after.phone(customer)
    await ana.says('dale')
    expect(await states()).toEqual(['succeeded'])
    expect(said(ana)).toEqual([expect.stringMatching(/^Recibido/), expect.stringMatching(/^Hecho: Registrar 3 cajas/)])
    expect(shop.whatsapp.sendings.map(({ to }) => to)).toEqual([customer.linked.lid, customer.linked.lid])
    expect(shop.ledger.effects).toHaveLength(1)
    expect(shop.ledger.calls).toHaveLength(1)
  })

  it('goes all the way round with a card open, linked anew after the phone had taken the device off', async () => {
    {
      await using before = await shop.opens('whatsapp-baileys', { trouble: true })
      await before.phone(customer).says(asks)
      await shop.own.unlinks()
      await until(() => unlinked(before))
    }
    {
      await using between = await shop.opens('whatsapp-cloud')
      await between.phone(customer).says('¿cuánto sale?')
      expect(await states()).toEqual(['pending'])
    }
    await shop.pair()
    await using after = await shop.opens('whatsapp-baileys')
    const ana = after.phone(customer)
    const before = ana.sees().length
    const code = (await after.proposals())[0]?.code
    await ana.says(`dale #${code}`)
    expect(await states()).toEqual(['succeeded'])
    expect(said(ana).slice(before)).toEqual([expect.stringMatching(/^Recibido/), expect.stringMatching(/^Hecho/)])
    expect(shop.ledger.effects).toHaveLength(1)
  })
})

describe('docs/channels.md', { timeout: 40_000 }, () => {
  it('shows the talk of a number that moved as it really goes', async () => {
    const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'channels.md'), 'utf8')
    const [, section = ''] = page.split('### Moving a number from Baileys to the Cloud API\n')
    const [, block = ''] = /^```text\n([\s\S]*?)^```$/m.exec(section) ?? []
    const lines: string[] = ['(tienda is whatsapp-baileys)']
    {
      await using before = await shop.opens('whatsapp-baileys')
      lines.push(...(await talk(before.phone(customer), asks)))
    }
    lines.push('(tienda is whatsapp-cloud)')
    {
      await using after = await shop.opens('whatsapp-cloud')
      lines.push(...(await talk(after.phone(customer), 'dale')))
    }
    const told = block.trimEnd().split(/\n(?! )/)
    expect(lines.map((line, at) => (matches(told[at] ?? '', line) ? told[at] : line))).toEqual(told)
  })
})
