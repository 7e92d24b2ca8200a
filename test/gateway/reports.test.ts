import { describe, expect, it } from 'vitest'
import { scriptedAgent } from '../../src/agents/scripted.ts'
import { likeWhatsApp } from '../../src/channels/simulator/channel.ts'
import type { InboundReport } from '../../src/core/inbound.ts'
import { handleInbound } from '../../src/gateway/handle-inbound.ts'
import { receive } from '../../src/gateway/receive.ts'
import { takeIn } from '../../src/gateway/take-in.ts'
import { type HouseSettings, script } from '../support/house.ts'
import { aPhonesHouse, type PhonesHouse } from '../support/house-phones.ts'
import { until } from '../support/until.ts'

const ana = { account: 'demo', chat: 'ana' }
const asks = 'registrá 3 cajas'
const lateFailure = { kind: 'fail_later', code: '479' } as const

/** Proposes without a word of its own, so that the first thing sent is the card. */
const agent = scriptedAgent(
  [
    { when: 'registrá {cajas:number} cajas', propose: { action: 'registrar', args: { cajas: '{cajas}' } } },
    { when: 'cuánto sale', say: 'Cada caja sale 10 pesos.' },
  ],
  { otherwise: 'Entendido.' },
)

/** A house on a channel that is like WhatsApp. */
const aWhatsAppHouse = (settings: HouseSettings = {}): Promise<PhonesHouse> =>
  aPhonesHouse({ simulated: { can: likeWhatsApp }, agent, ...settings })

const stateOf = async (test: PhonesHouse) => (await test.proposals()).map(({ state }) => state.name)
const roadsOf = (test: PhonesHouse) => test.counted.flatMap(({ what, labels }) => (what === 'road' ? [labels.road] : []))
const warned = (test: PhonesHouse, event: string) => test.logged.filter((line) => line.event === event)
const cardsSeen = (test: PhonesHouse) =>
  test
    .phone('ana')
    .sees()
    .filter(({ kind }) => kind === 'card')

/** Waits until a proposal is in this state, and all that follows from it is done. */
async function becomes(test: PhonesHouse, state: string): Promise<void> {
  await until(async () => (await stateOf(test))[0] === state)
  await test.quiet()
}

describe('a bare yes where deliveries are reported', () => {
  it('decides a card that got there', async () => {
    await using test = await aWhatsAppHouse()
    await test.phone('ana').says(asks)
    await test.phone('ana').says('dale')
    expect(test.ledger.effects).toHaveLength(1)
  })

  it('waits for the report, and decides as soon as it comes', async () => {
    await using test = await aWhatsAppHouse()
    await test.channel.turns('ana', 'off')
    await test.phone('ana').says(asks)
    await test.read()
    await test.channel.says('ana', 'ana', 'dale')
    await until(() => test.house.reports.waiting > 0)
    expect(await stateOf(test)).toEqual(['pending'])
    const began = performance.now()
    await test.channel.turns('ana', 'on')
    await becomes(test, 'succeeded')
    expect(performance.now() - began).toBeLessThan(4000)
    expect(roadsOf(test)).toEqual(['converse', 'decide'])
  })

  it('finds a report that another process took in', async () => {
    await using test = await aWhatsAppHouse()
    await test.channel.turns('ana', 'off')
    await test.phone('ana').says(asks)
    await test.read()
    const said = test.channel.says('ana', 'ana', 'dale')
    await until(() => test.house.reports.waiting > 0)
    const elsewhere = await test.stage.another()
    await elsewhere.report({ account: 'demo', messageId: test.phone('ana').card().id, status: 'delivered', atMs: 1 })
    await said
    await becomes(test, 'succeeded')
  })

  it('is answered with the card when five seconds bring no report, and from the third time on with how to name it', async () => {
    await using test = await aWhatsAppHouse()
    await test.channel.turns('ana', 'off')
    const phone = test.phone('ana')
    await phone.says(asks)
    for (let time = 1; time <= 3; time += 1) {
      await test.read()
      const began = performance.now()
      await test.channel.says('ana', 'ana', 'dale')
      await until(() => test.house.reports.waiting > 0)
      // Nobody waits longer than the clock of the database says.
      await test.later(6_000)
      await until(() => roadsOf(test).length > time)
      expect(performance.now() - began).toBeLessThan(4_000)
      await test.quiet()
    }
    expect(roadsOf(test)).toEqual(['converse', 'undelivered', 'undelivered', 'undelivered'])
    expect(cardsSeen(test)).toHaveLength(3)
    expect(phone.sees().at(-1)?.text).toMatch(/^Tocá un botón/)
    expect(test.ledger.effects).toEqual([])
  })

  it('gives up by its own watch where the database’s stands still', async () => {
    await using test = await aWhatsAppHouse()
    await test.channel.turns('ana', 'off')
    await test.phone('ana').says(asks)
    await test.read()
    await test.channel.says('ana', 'ana', 'dale')
    const began = performance.now()
    await until(async () => {
      // As slow as it can be: each look finds it where it was.
      await test.later(-10)
      return roadsOf(test).length > 1
    })
    expect(performance.now() - began).toBeLessThan(7_000)
    expect(roadsOf(test).at(-1)).toBe('undelivered')
  })

  it('is not waited for in a no, a tap, a code or a reply', async () => {
    await using test = await aWhatsAppHouse()
    await test.channel.turns('ana', 'off')
    const phone = test.phone('ana')
    await phone.says(asks)
    await phone.says('no')
    await phone.says(asks)
    await phone.presses('Confirmar')
    await phone.says(asks)
    await phone.says(`dale #${phone.card().code}`)
    await phone.says(asks)
    await phone.says('dale', { replyTo: phone.card().id })
    expect(await stateOf(test)).toEqual(['rejected', 'succeeded', 'succeeded', 'succeeded'])
  })
})

describe('a card that could not be delivered', () => {
  it('goes back to draft, comes again without controls, and can be decided then', async () => {
    await using test = await aWhatsAppHouse()
    const phone = test.phone('ana')
    test.fails(lateFailure)
    await test.channel.says('ana', 'ana', asks)
    await until(() => cardsSeen(test).length === 2)
    await test.quiet()
    expect(cardsSeen(test).map(({ labels }) => labels)).toEqual([['Confirmar', 'Cancelar'], []])
    const [proposal] = await test.proposals()
    const history = await test.stage.store.history(proposal?.id ?? '')
    expect(history.map(({ event, by, note }) => [event, by, note])).toEqual([
      ['propose', 'sim:ana', { origin: 'human' }],
      ['show', 'channel', undefined],
      ['withhold', 'channel', { code: '479' }],
      ['show', 'channel', undefined],
    ])
    expect(await test.stage.store.showings(proposal?.id ?? '')).toHaveLength(1)
    await phone.says('dale')
    expect(test.ledger.effects).toHaveLength(1)
    expect(warned(test, 'failed_later')).toHaveLength(1)
  })

  it('is sent twice more, then its proposal ends and that is told', async () => {
    await using test = await aWhatsAppHouse({ trouble: true })
    for (let time = 0; time < 3; time += 1) test.fails(lateFailure)
    await test.channel.says('ana', 'ana', asks)
    await becomes(test, 'expired')
    expect((await test.proposals())[0]?.state).toEqual({ name: 'expired', reason: 'card_undeliverable' })
    expect(cardsSeen(test)).toHaveLength(3)
    expect(test.phone('ana').sees().at(-1)?.text).toMatch(/^No se pudo mostrar la tarjeta/)
    expect(warned(test, 'card_undeliverable')).toHaveLength(1)
  })

  it('is not sent again where that is of no use', async () => {
    await using test = await aWhatsAppHouse({ trouble: true })
    test.fails({ ...lateFailure, code: '463', final: true })
    await test.channel.says('ana', 'ana', asks)
    await becomes(test, 'expired')
    expect(cardsSeen(test)).toHaveLength(1)
  })

  it('ends nothing while it stands elsewhere: another showing is as good', async () => {
    await using test = await aWhatsAppHouse()
    const phone = test.phone('ana')
    await phone.says(asks)
    test.fails(lateFailure)
    await test.read()
    await test.channel.says('ana', 'ana', `#${phone.card().code}`)
    await until(() => cardsSeen(test).length === 3)
    await test.quiet()
    expect((await test.proposals())[0]).toMatchObject({ state: { name: 'pending', refusals: 0 } })
    expect(cardsSeen(test).map(({ labels }) => labels.length)).toEqual([2, 2, 0])
  })

  it('changes nothing by its failure once it is decided', async () => {
    await using test = await aWhatsAppHouse()
    await test.channel.turns('ana', 'off')
    const phone = test.phone('ana')
    await phone.says(asks)
    const card = phone.card()
    await phone.presses('Confirmar')
    expect(await stateOf(test)).toEqual(['succeeded'])
    const report = aReport(card.id, 'failed', { code: '479' })
    await takeIn(test.house, 'demo', [report])
    await test.quiet()
    expect(await stateOf(test)).toEqual(['succeeded'])
    expect(cardsSeen(test)).toHaveLength(1)
    expect(await test.stage.run(`select road from dale.inbox where kind = 'report'`)).toEqual([{ road: 'report' }])
  })
})

const aReport = (messageId: string, status: InboundReport['status'], over: Partial<InboundReport> = {}): InboundReport => ({
  kind: 'report',
  conversation: ana,
  providerId: `${messageId}#${status}`,
  messageId,
  status,
  moment: { atMs: Date.now() },
  ...over,
})

describe('what else could not be delivered', () => {
  it('CL-032: an outcome outside the window waits for the person, is alarmed, and runs nothing again', async () => {
    await using test = await aWhatsAppHouse()
    const phone = test.phone('ana')
    await phone.says(asks)
    await test.read()
    // The receipt fails and is sent once more; the outcome meets the end of the window.
    test.fails({ kind: 'fail_later', code: '1' })
    test.fails({ kind: 'fail_later', code: 'window_closed' })
    await test.channel.says('ana', 'ana', 'dale')
    await until(async () => (await test.stage.store.backlog()).parked === 1)
    await test.quiet()
    expect(test.ledger.effects).toHaveLength(1)
    expect(warned(test, 'parked')).toHaveLength(1)
    expect(test.counted).toContainEqual({ what: 'parked', labels: { account: 'demo', lane: expect.any(String) } })
    const [proposal] = await test.proposals()
    expect(await test.stage.store.parkedOf(proposal?.id ?? '')).toBe(1)
    const before = phone.sees().length
    await test.later(3 * 60 * 60_000)
    await test.quiet()
    expect(phone.sees()).toHaveLength(before)
    await phone.says('hola')
    expect(await test.stage.store.backlog()).toMatchObject({ parked: 0, outgoing: 0 })
    expect(phone.sees()).toHaveLength(before + 2)
    expect(test.ledger.effects).toHaveLength(1)
  })

  it('a receipt is sent once more, and not for ever; an agent’s text is not', async () => {
    await using test = await aWhatsAppHouse()
    const phone = test.phone('ana')
    await phone.says(asks)
    await test.read()
    for (let time = 0; time < 3; time += 1) test.fails({ kind: 'fail_later', code: 'x' })
    await test.channel.says('ana', 'ana', 'no')
    await until(() => warned(test, 'failed_later').length === 2)
    await test.quiet()
    expect(phone.sees().filter(({ text }) => text.startsWith('Cancelado'))).toHaveLength(2)
    await test.channel.says('ana', 'ana', 'cuánto sale')
    await until(() => warned(test, 'failed_later').length === 3)
    await test.quiet()
    expect(phone.sees().filter(({ text }) => text.startsWith('Cada caja'))).toHaveLength(1)
  })

  it('a failure that is told twice, or in a crash before it was handled, is seen to once', async () => {
    await using test = await aWhatsAppHouse({ start: { gateway: true, workers: true } })
    await test.channel.turns('ana', 'off')
    const phone = test.phone('ana')
    await phone.says(asks)
    const report = aReport(phone.card().id, 'failed', { code: '479' })
    expect(await receive(test.house, 'demo', [report])).toEqual([ana])
    expect(await receive(test.house, 'demo', [report])).toEqual([])
    expect(await stateOf(test)).toEqual(['pending'])
    await test.phone('ana').says('dale', { atOnce: true })
    await handleInbound(test.house, ana)
    await test.quiet()
    expect(test.ledger.effects).toEqual([])
    expect(cardsSeen(test)).toHaveLength(2)
    expect(await stateOf(test)).toEqual(['pending'])
  })
})

describe('a report on a message that Dale did not send', () => {
  it('is another tool’s word: a bare yes after it answers that', async () => {
    await using test = await aWhatsAppHouse()
    const phone = test.phone('ana')
    await phone.says(asks)
    await test.read()
    await test.channel.ownerSays('ana', '¿Seguimos?', 'tool')
    await until(
      async () => (await test.stage.run(`select from dale.inbox where kind = 'said' and handled_at is not null`)).length === 1,
    )
    await phone.says('dale')
    expect(roadsOf(test)).toEqual(['converse', 'converse'])
    expect(test.ledger.effects).toEqual([])
  })

  it('is said once, however many reports come, and not at all when it failed', async () => {
    await using test = await aWhatsAppHouse()
    for (const status of ['sent', 'delivered', 'read', 'failed'] as const)
      await receive(test.house, 'demo', [aReport('theirs', status)])
    await receive(test.house, 'demo', [aReport('refused', 'failed')])
    expect(await test.stage.run(`select provider_id from dale.inbox`)).toEqual([{ provider_id: 'theirs#said' }])
  })
})

describe('a sending whose answer was lost', () => {
  it('is known by its report: the card stands once, and can be decided', async () => {
    await using test = await aWhatsAppHouse()
    test.fails({ kind: 'lose_answer' })
    const phone = test.phone('ana')
    await test.channel.says('ana', 'ana', asks)
    await becomes(test, 'pending')
    await test.later(10_000)
    await test.quiet()
    expect(phone.sees().map(({ kind }) => kind)).toEqual(['card'])
    await phone.says('dale')
    expect(test.ledger.effects).toHaveLength(1)
  })
})

describe('the order in which messages leave', () => {
  it('is kept by waiting for each one’s report, a second at most', async () => {
    await using test = await aWhatsAppHouse({ agent: script })
    await test.phone('ana').says(asks)
    expect(
      test
        .phone('ana')
        .sees()
        .map(({ kind }) => kind),
    ).toEqual(['text', 'card'])
    const followed = await test.stage.run(`select follow_at from dale.outbox order by id`)
    expect(followed).toEqual([{ follow_at: null }, { follow_at: null }])
  })

  it('goes on after a second when no report comes', async () => {
    await using test = await aWhatsAppHouse({ start: { gateway: true, workers: true } })
    const { store } = test.stage
    const notice = (text: string) => ({
      conversation: ana,
      lane: 'receipt' as const,
      body: { do: 'say' as const, message: { kind: 'notice' as const, text } },
    })
    await store.commit({ say: [notice('uno')] })
    const row = await store.nextOutgoing(ana, 60_000)
    await store.commit({
      delivered: {
        id: row?.id ?? 0,
        fence: row?.fence ?? 0,
        delivery: { kind: 'accepted', messageIds: ['unreported'], followWithinMs: 1000 },
      },
    })
    await test.channel.says('ana', 'ana', 'cuánto sale')
    await until(() => test.phone('ana').sees().length === 1)
    const [times] = await test.stage.run(
      `select max(settled_at) - min(settled_at) as apart from dale.outbox where outcome = 'accepted'`,
    )
    expect(Number(times?.apart)).toBeGreaterThanOrEqual(1000)
  })
})
