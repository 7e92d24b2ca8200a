import { describe, expect, it } from 'vitest'
import { likeWhatsApp } from '../../src/channels/simulator/channel.ts'
import type { InboundPress } from '../../src/core/inbound.ts'
import { takeIn } from '../../src/gateway/take-in.ts'
import { aPhonesHouse, type PhonesHouse } from '../support/house-phones.ts'

const asks = 'registrá 3 cajas'
const ana = { account: 'demo', chat: 'ana' }

async function aHouseWithACard(): Promise<PhonesHouse> {
  const test = await aPhonesHouse({ simulated: { can: likeWhatsApp } })
  await test.phone('ana').says(asks)
  return test
}

const saidTo = (test: PhonesHouse) =>
  test
    .phone('ana')
    .sees()
    .filter(({ kind }) => kind === 'notice')
    .map(({ text }) => text)

const aPress = (over: Partial<InboundPress>): InboundPress => ({
  kind: 'press',
  conversation: ana,
  providerId: 'p1',
  sender: { id: 'sim:ana' },
  pressId: 'p1',
  payload: 'x',
  group: false,
  ...over,
})

describe('a tap where a tap has no answer of its own', () => {
  it('gets its receipt as a message, and no toast', async () => {
    await using test = await aHouseWithACard()
    expect(await test.phone('ana').presses('Confirmar')).toBe('')
    expect(saidTo(test)).toEqual(['Recibido, ya me ocupo.', expect.stringMatching(/^Hecho: /)])
  })

  it('is told the state once for each state, whichever button, and however often', async () => {
    await using test = await aHouseWithACard()
    const phone = test.phone('ana')
    const held = Promise.withResolvers<void>()
    test.ledger.next({ held: held.promise })
    await phone.presses('Confirmar')
    for (const label of ['Confirmar', 'Confirmar', 'Cancelar']) await phone.presses(label)
    expect(saidTo(test)).toEqual(['Recibido, ya me ocupo.', 'Se está haciendo ahora mismo.'])
    held.resolve()
    await test.quiet()
    for (const label of ['Confirmar', 'Cancelar']) await phone.presses(label)
    expect(saidTo(test).slice(2)).toEqual([expect.stringMatching(/^Hecho: /), expect.stringMatching(/^Hecho: /)])
  })

  it('that was too fast is told so each time, and decides nothing', async () => {
    await using test = await aHouseWithACard()
    const phone = test.phone('ana')
    await test.later(-4_000)
    for (let time = 0; time < 2; time += 1) await phone.presses('Confirmar', { atOnce: true })
    expect(saidTo(test)).toEqual(Array(2).fill('Fue muy rápido: leé la tarjeta y respondé de nuevo.'))
    expect((await test.proposals())[0]?.state.name).toBe('pending')
  })

  it('that nobody made here is answered once for each tap, and its redelivery not at all', async () => {
    await using test = await aHouseWithACard()
    for (const id of ['p1', 'p1', 'p2'])
      await takeIn(test.house, 'demo', [aPress({ providerId: id, pressId: id, payload: 'forged' })])
    await test.quiet()
    expect(saidTo(test)).toEqual(Array(2).fill('Eso ya no es válido acá.'))
  })

  it('of a stranger is told to them once', async () => {
    await using test = await aHouseWithACard()
    const payload = test.channel
      .transcript('ana')
      .flatMap(({ content }) => (content.kind === 'card' ? content.card.controls : []))[0]?.payload
    for (const id of ['p1', 'p2'])
      await takeIn(test.house, 'demo', [
        aPress({
          providerId: id,
          pressId: id,
          payload: payload ?? '',
          sender: { id: 'sim:eva' },
          moment: { atMs: await test.house.store.now() },
        }),
      ])
    await test.quiet()
    expect(saidTo(test)).toEqual(['Esta no te toca decidirla a vos.'])
    expect((await test.proposals())[0]?.state.name).toBe('pending')
  })
})

describe('a vote that was taken back', () => {
  it('halts what it approved while nothing has begun, and is kept with its time', async () => {
    await using test = await aPhonesHouse({ simulated: { can: likeWhatsApp }, limits: { holdMs: 60_000 } })
    await test.phone('ana').says(asks)
    await test.phone('ana').says('dale')
    expect((await test.proposals())[0]?.state.name).toBe('approved')
    await test.channel.withdraws('ana', 'ana', test.phone('ana').card().id)
    await test.quiet()
    const [proposal] = await test.proposals()
    expect(proposal?.state).toEqual({ name: 'halted', by: 'refusal', person: 'sim:ana' })
    expect(await test.house.store.decisions(proposal?.id ?? '')).toMatchObject([
      { verdict: 'approve', via: 'phrase' },
      { verdict: 'reject', via: 'poll', moment: { atMs: expect.any(Number) } },
    ])
    expect(test.ledger.effects).toEqual([])
  })
})
