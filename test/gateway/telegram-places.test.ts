import { describe, expect, it } from 'vitest'
import { aTelegramHouse, type TelegramHouse } from '../support/house-telegram.ts'

const asks = '@gestion_demo_bot registrá 3 cajas'

const statesOf = async (test: TelegramHouse): Promise<readonly (readonly [chat: string, state: string])[]> =>
  (await test.proposals()).map(({ conversation, state }) => [conversation.chat, state.name])

describe('two supergroups, which both count their messages from 1', () => {
  it('a reply or tap in one never decides, edits or tells the card with the same number in the other', async () => {
    await using test = await aTelegramHouse()
    const person = test.server.person('Ana')
    const [north, south] = ['Norte', 'Sur'].map((title) => test.server.group(title, [person]).id) as [number, number]
    const [inNorth, inSouth] = [test.phone('Ana', { in: north }), test.phone('Ana', { in: south })]
    await inNorth.says(asks)
    await inSouth.says(asks)
    const card = inNorth.card()
    expect(inSouth.card().id).toBe(card.id)

    await inSouth.says('sí', { replyTo: card.id })
    expect(await statesOf(test)).toEqual([
      [String(north), 'pending'],
      [String(south), 'succeeded'],
    ])
    expect(inNorth.card()).toEqual(card)
    expect(inSouth.card()).toMatchObject({ id: card.id, labels: [] })
    expect(test.ledger.effects).toHaveLength(1)

    await inNorth.presses('Cancelar')
    expect((await statesOf(test))[0]).toEqual([String(north), 'rejected'])
    expect(inNorth.card().labels).toEqual([])
    expect(test.ledger.effects).toHaveLength(1)
  })
})

/** Ana's card in a topic, and a tap on it as Telegram tells one on a message that it has no more: without a date and without its topic. */
async function tapOnLostCard(test: TelegramHouse) {
  const ana = test.server.person('Ana')
  const forum = test.server.group('Deposito', [ana], { forum: true })
  const topic = test.server.topic(forum, 'Pedidos')
  const phone = test.phone('Ana', { in: forum.id, topic })
  await phone.says(asks)
  await test.read()
  const card = test.server.shown(forum.id).find(({ reply_markup: keyboard }) => keyboard !== undefined)
  const data = card?.reply_markup?.inline_keyboard[0]?.[0]?.callback_data
  const message = { chat: forum, message_id: card?.message_id, date: 0 }
  const tap = { id: '4200000100000001', from: ana.user, message, chat_instance: '1', data }
  return { forum, phone, tap }
}

describe('a tap on a card in a topic', () => {
  it('that Telegram tells without the topic is answered as not valid here, and nothing else happens', async () => {
    await using test = await aTelegramHouse()
    const { forum, phone, tap } = await tapOnLostCard(test)
    const before = [test.server.shown(forum.id), await test.proposals()]
    await test.delivers({ callback_query: tap })
    const answers = test.server.calls.filter(({ method }) => method === 'answerCallbackQuery')
    expect(answers.map(({ payload }) => payload)).toEqual([{ callback_query_id: tap.id, text: 'Eso ya no es válido acá.' }])
    expect([test.server.shown(forum.id), await test.proposals()]).toEqual(before)
    expect(test.turns).toHaveLength(1)

    await phone.presses('Confirmar')
    expect((await test.proposals())[0]?.state.name).toBe('succeeded')
  })
})
