import { describe, expect, it } from 'vitest'
import { scriptedAgent } from '../../src/agents/scripted.ts'
import { conversationKeyOf } from '../../src/core/conversation.ts'
import { pressPayloadOf } from '../../src/core/press.ts'
import type { Proposal } from '../../src/core/proposal.ts'
import { secretKey } from '../support/house.ts'
import { aTelegramHouse, type TelegramHouse } from '../support/house-telegram.ts'
import { bookingAction, Ledger } from '../support/ledger.ts'
import { caseOf } from './telegram-case.ts'

const asks = 'registrá 3 cajas'

/** Ana, whose card waits in her own chat. */
async function anaWithCard(test: TelegramHouse) {
  const ana = test.phone('Ana')
  await ana.says(asks)
  await test.read()
  return { ana, chat: test.server.person('Ana').user.id }
}

/** Ana, whose card waits in the depot's group, where Beto is too. */
async function depotWithCard(test: TelegramHouse, about: { readonly forum?: boolean; readonly basic?: boolean } = {}) {
  const [ana, beto] = [test.server.person('Ana'), test.server.person('Beto')]
  const group = test.server.group('Deposito demo', [ana, beto], about)
  const where = { in: group.id }
  await test.phone('Ana', where).says(`@gestion_demo_bot ${asks}`)
  await test.read()
  return { ana: test.phone('Ana', where), beto: test.phone('Beto', where), group }
}

const stateOf = async (test: TelegramHouse): Promise<string | undefined> => (await test.proposals())[0]?.state.name

const payloadFor = ({ id, cardRevision, conversation }: Proposal, verdict: 'approve' | 'reject'): string =>
  pressPayloadOf(
    { proposalId: id, cardRevision, verdict },
    { account: 'demo', conversationKey: conversationKeyOf(conversation) },
    { id: 0, secret: Buffer.from(secretKey, 'hex') },
  )

/** Plays the recorded update of a case as Telegram delivers it, with this world's ids in the place of the recorded ones. */
async function plays(test: TelegramHouse, id: string, chat: number): Promise<void> {
  const proposals = await test.proposals()
  const [first, second] = proposals
  const cardOf = (proposal: Proposal | undefined) => (proposal === undefined ? '0' : test.cardIdOf(chat, proposal.code))
  for (const update of caseOf(id, {
    ana: test.server.person('Ana').user.id,
    beto: test.server.person('Beto').user.id,
    bot: test.server.bot.id,
    group: chat,
    cards: [Number(cardOf(first)), Number(cardOf(second))],
    payloads: proposals.map((proposal) => ({ approve: payloadFor(proposal, 'approve'), reject: payloadFor(proposal, 'reject') })),
    nowS: test.nowS(),
  })) {
    await test.delivers(update)
  }
}

describe('a tap', () => {
  it('TG-001: of the right person decides once, is answered, runs once, and the card tells it', async () => {
    await using test = await aTelegramHouse()
    const { ana, chat } = await anaWithCard(test)
    await plays(test, 'TG-001', chat)
    expect(await stateOf(test)).toBe('succeeded')
    expect(test.ledger.effects).toHaveLength(1)
    expect(test.server.calls.filter(({ method }) => method === 'answerCallbackQuery')).toHaveLength(1)
    expect(ana.card()).toMatchObject({ labels: [], text: expect.stringMatching(/^✔ Hecho/) })
  })

  it('TG-002 B12: of another member of the group decides nothing and is told so, and the card stays as it is', async () => {
    await using test = await aTelegramHouse()
    const { beto } = await depotWithCard(test)
    const before = beto.card()
    expect(await beto.presses('Confirmar')).toBe('Esta no te toca decidirla a vos.')
    expect(await stateOf(test)).toBe('pending')
    expect(beto.card()).toEqual(before)
    expect(test.ledger.calls).toEqual([])
  })

  it('TG-005: twice decides once, and the second is answered with the state', async () => {
    await using test = await aTelegramHouse()
    const { chat } = await anaWithCard(test)
    const ana = test.server.person('Ana')
    const card = Number(test.phone('Ana').card().id)
    const [first, second] = [ana.taps(card, 'Confirmar'), ana.taps(card, 'Confirmar')]
    await test.quiet()
    expect(test.toast(first)).toBe('Recibido, ya me ocupo.')
    expect(test.toast(second)).toMatch(/^(Ya está confirmado y se hace enseguida\.|Se está haciendo ahora mismo\.|Hecho: )/)
    expect(test.ledger.effects).toHaveLength(1)
    expect(test.server.shown(chat).filter(({ text }) => text?.startsWith('Hecho'))).toHaveLength(1)
  })

  it('TG-007: that is too old to be answered decides all the same', async () => {
    await using test = await aTelegramHouse()
    const { ana } = await anaWithCard(test)
    test.server.fail('answerCallbackQuery', {
      refuse: 400,
      description: 'Bad Request: query is too old and response timeout expired or query ID is invalid',
    })
    expect(await ana.presses('Confirmar')).toBe('')
    expect(await stateOf(test)).toBe('succeeded')
    expect(test.server.updates.waiting).toEqual([])
  })

  it('TG-008: is answered once it is decided, while the action still works', async () => {
    await using test = await aTelegramHouse()
    const { ana } = await anaWithCard(test)
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    test.ledger.next({ held })
    expect(await ana.presses('Confirmar')).toBe('Recibido, ya me ocupo.')
    expect(await stateOf(test)).toBe('executing')
    expect(ana.card()).toMatchObject({ labels: [], text: expect.stringMatching(/^✔ Confirmado/) })
    release()
    await test.quiet()
    expect(await stateOf(test)).toBe('succeeded')
    expect(ana.sees().at(-1)?.text).toMatch(/^Hecho: /)
  })

  it('TG-010: on a card that was deleted meanwhile decides, and is told in a message of its own', async () => {
    await using test = await aTelegramHouse()
    const { ana } = await anaWithCard(test)
    test.server.fail('editMessageText', { refuse: 400, description: 'Bad Request: message to edit not found' })
    expect(await ana.presses('Cancelar')).toBe('Cancelado. No se hizo nada.')
    expect(await stateOf(test)).toBe('rejected')
    expect(ana.sees().at(-1)?.text).toMatch(/^Cancelado\. No se hizo nada\./)
    expect(test.ledger.calls).toEqual([])
  })

  it('TG-015: of an anonymous administrator carries their own id, so it counts', async () => {
    await using test = await aTelegramHouse()
    const { group } = await depotWithCard(test)
    await plays(test, 'TG-015', group.id)
    expect(await stateOf(test)).toBe('succeeded')
  })

  it('TG-036: on a message of inline mode, which is never ours, decides nothing and breaks nothing', async () => {
    await using test = await aTelegramHouse()
    const { chat } = await anaWithCard(test)
    await plays(test, 'TG-036', chat)
    expect(await stateOf(test)).toBe('pending')
    expect(test.ledger.calls).toEqual([])
    expect(test.server.calls.find(({ method }) => method === 'answerCallbackQuery')?.payload).toMatchObject({
      text: 'Eso ya no es válido acá.',
    })
  })

  it('TG-048 B13: of whom the configuration lets decide counts, and a card that nobody answers runs nothing', async () => {
    const ledger = new Ledger()
    await using test = await aTelegramHouse({
      ledger,
      actions: [bookingAction(ledger, { approvers: { kind: 'role', role: 'supervisor', second: false } })],
      people: [{ id: 'beto', name: 'Beto', roles: ['supervisor'], identities: ['tg:42000002'] }],
      roleChats: { supervisor: { account: 'demo', chat: '42000002' } },
    })
    const ana = test.phone('Ana')
    test.server.person('Beto').begins()
    const beto = test.phone('Beto')
    await ana.says(asks)
    await ana.says('registrá 5 cajas')
    const [first, second] = beto.sees()
    expect(await beto.presses('Confirmar', { on: first?.id ?? '' })).toBe('Recibido, ya me ocupo.')
    expect(ledger.effects).toMatchObject([{ args: { cajas: 3 } }])
    await test.later(31 * 60_000)
    await test.quiet()
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['succeeded', 'expired'])
    expect(ledger.effects).toHaveLength(1)
    expect(beto.sees().find(({ id }) => id === second?.id)).toMatchObject({
      labels: [],
      text: expect.stringMatching(/^⌛ Venció/),
    })
  })
})

describe('a text', () => {
  it.each([
    ['TG-018', 'B24', 'that was forwarded', 'forwarded'],
    ['TG-043', 'B28', 'under a photo', 'caption'],
    ['TG-045', 'B28', 'that was spoken', 'voice'],
  ])(
    '%s %s: %s decides nothing, is told which words do, and reaches the agent as what it is',
    async (id, _threat, _what, form) => {
      await using test = await aTelegramHouse()
      const { ana, chat } = await anaWithCard(test)
      await plays(test, id, chat)
      expect(await stateOf(test)).toBe('pending')
      expect(test.turns.at(-1)?.messages).toMatchObject([{ form }])
      expect(ana.sees().some(({ text }) => text.startsWith('Eso no puede confirmar nada. Escribí «dale» o «no».'))).toBe(true)
      expect(test.ledger.calls).toEqual([])
    },
  )

  it('TG-020 B26: that is edited into a phrase decides nothing, reaches no agent, and is told which words do', async () => {
    await using test = await aTelegramHouse()
    const { ana, chat } = await anaWithCard(test)
    await plays(test, 'TG-020', chat)
    expect(await stateOf(test)).toBe('pending')
    expect(test.turns).toHaveLength(1)
    expect(ana.sees().at(-1)?.text).toMatch(/^Eso no puede confirmar nada\./)
  })

  it('TG-022 B04: that was written before the card and comes late goes to the agent, and the card stays', async () => {
    await using test = await aTelegramHouse()
    const { chat } = await anaWithCard(test)
    await plays(test, 'TG-022', chat)
    expect(await stateOf(test)).toBe('pending')
    expect(test.turns.at(-1)?.messages).toMatchObject([{ text: 'sí' }])
    expect(test.ledger.calls).toEqual([])
  })

  it('TG-023: in another topic is about another conversation, and without a mention about nothing', async () => {
    await using test = await aTelegramHouse()
    const ana = test.server.person('Ana')
    const group = test.server.group('Deposito demo', [ana], { forum: true })
    const topic = test.server.topic(group, 'Pedidos')
    await test.phone('Ana', { in: group.id, topic }).says(`@gestion_demo_bot ${asks}`)
    await test.read()
    await plays(test, 'TG-023', group.id)
    expect(await stateOf(test)).toBe('pending')
    expect(test.turns).toHaveLength(1)
    const other = test.server.topic(group, 'Otra cosa')
    await test.phone('Ana', { in: group.id, topic: other }).says('@gestion_demo_bot sí')
    expect(await stateOf(test)).toBe('pending')
    expect(test.turns).toHaveLength(2)
  })

  it('TG-024: in reply to a card in General decides, and its outcome goes to General', async () => {
    await using test = await aTelegramHouse()
    const { group } = await depotWithCard(test, { forum: true })
    await plays(test, 'TG-024', group.id)
    expect(await stateOf(test)).toBe('succeeded')
    const sent = test.server.calls.filter(({ method }) => method === 'sendMessage')
    expect(sent.every(({ payload }) => Number(payload.chat_id) === group.id && payload.message_thread_id === undefined)).toBe(
      true,
    )
    expect(test.server.shown(group.id).at(-1)?.text).toMatch(/^Hecho: /)
  })

  it('TG-027: in the supergroup that a group became decides its card, with a mention; without one it is not for us', async () => {
    await using test = await aTelegramHouse()
    const { group } = await depotWithCard(test, { basic: true })
    const next = test.server.upgrade(group)
    await test.quiet()
    expect((await test.proposals())[0]?.conversation.chat).toBe(String(next.id))
    const ana = test.phone('Ana', { in: next.id })
    await ana.says('sí')
    expect(await stateOf(test)).toBe('pending')
    await ana.says('@gestion_demo_bot sí')
    expect(await stateOf(test)).toBe('succeeded')
    expect(ana.sees().at(-1)?.text).toMatch(/^Hecho: /)
  })

  it('TG-037 B03: that is delivered again after a restart is the same event', async () => {
    await using test = await aTelegramHouse()
    const { ana } = await anaWithCard(test)
    await ana.says('sí')
    await test.restart()
    test.server.updates.again()
    await test.quiet()
    expect(test.ledger.effects).toHaveLength(1)
    expect(await test.stage.run(`select count(*)::int as n from dale.decision`)).toEqual([{ n: 1 }])
  })

  it('TG-038: in a group decides with the mention of the bot, which is no part of it', async () => {
    await using test = await aTelegramHouse()
    const { group } = await depotWithCard(test)
    await plays(test, 'TG-038', group.id)
    expect(await stateOf(test)).toBe('succeeded')
  })

  it('TG-040: in reply to one of two cards decides that one', async () => {
    await using test = await aTelegramHouse()
    const { ana, chat } = await anaWithCard(test)
    await ana.says('registrá 5 cajas')
    await test.read()
    await plays(test, 'TG-040', chat)
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['pending', 'succeeded'])
    expect(test.ledger.effects).toMatchObject([{ args: { cajas: 5 } }])
  })

  it("TG-041 B25: in reply to another member's message answers them, not the card", async () => {
    await using test = await aTelegramHouse()
    const { group } = await depotWithCard(test)
    await plays(test, 'TG-041', group.id)
    expect(await stateOf(test)).toBe('pending')
    expect(test.turns).toHaveLength(1)
  })

  it('TG-042 B25: that quotes a phrase is what it says itself', async () => {
    await using test = await aTelegramHouse()
    const { chat } = await anaWithCard(test)
    await plays(test, 'TG-042', chat)
    expect(await stateOf(test)).toBe('pending')
    expect(test.turns.at(-1)?.messages).toMatchObject([{ text: 'no entiendo' }])
  })
})

describe('what is sent', () => {
  it('TG-029 B91: waits as long as Telegram says, holds up no other chat, and runs nothing again', async () => {
    await using test = await aTelegramHouse()
    const { ana, chat } = await anaWithCard(test)
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    test.ledger.next({ held })
    await ana.presses('Confirmar')
    test.server.fail('sendMessage', {
      refuse: 429,
      description: 'Too Many Requests: retry after 34',
      parameters: { retry_after: 34 },
    })
    release()
    await test.quiet()
    const toAna = () =>
      test.server.calls.filter(({ method, payload }) => method === 'sendMessage' && Number(payload.chat_id) === chat).length
    const before = toAna()
    await test.phone('Beto').says('cuánto sale')
    expect(test.phone('Beto').sees()).toMatchObject([{ text: 'Cada caja sale 10 pesos.' }])
    await test.later(25_000)
    await test.quiet()
    expect(toAna()).toBe(before)
    await test.later(10_000)
    await test.quiet()
    expect(ana.sees().at(-1)?.text).toMatch(/^Hecho: /)
    expect(test.ledger.calls).toHaveLength(1)
  })

  it('TG-034 B88: a card whose answer is lost is sent again as the same card, and either copy decides it once', async () => {
    await using test = await aTelegramHouse({
      agent: scriptedAgent([{ when: asks, propose: { action: 'registrar', args: { cajas: 3 } } }]),
    })
    const ana = test.phone('Ana')
    test.server.fail('sendMessage', { reset: 'after' })
    await ana.says(asks)
    expect(await stateOf(test)).toBe('draft')
    await test.later(10_000)
    await test.quiet()
    const cards = ana.sees()
    expect(cards.map(({ code }) => code)).toEqual([cards[0]?.code, cards[0]?.code])
    expect(cards[1]?.text).toMatch(/^Por si no llegó la primera vez:/)
    expect(await ana.presses('Confirmar', { on: cards[0]?.id ?? '' })).toBe('Recibido, ya me ocupo.')
    expect(test.ledger.effects).toHaveLength(1)
    expect(await ana.presses('Confirmar', { on: cards[0]?.id ?? '' })).toMatch(/^Hecho: /)
    expect(test.ledger.effects).toHaveLength(1)
  })
})
