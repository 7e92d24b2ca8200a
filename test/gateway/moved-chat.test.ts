import { describe, expect, it } from 'vitest'
import { aTelegramHouse, type TelegramHouse } from '../support/house-telegram.ts'

/** A basic group where much was said, and where Ana's card waits; then it becomes a supergroup, whose messages are numbered anew. */
async function movedGroup(test: TelegramHouse) {
  const ana = test.server.person('Ana')
  const group = test.server.group('Deposito demo', [ana], { basic: true })
  for (let n = 0; n < 6; n += 1) await test.phone('Ana', { in: group.id }).says('y bueno')
  await test.phone('Ana', { in: group.id }).says('@gestion_demo_bot registrá 3 cajas')
  await test.read()
  const card = test.server.shown(group.id).findLast(({ reply_markup: keyboard }) => keyboard !== undefined)
  const next = test.server.upgrade(group)
  await test.quiet()
  return { person: ana, card, next, ana: test.phone('Ana', { in: next.id }) }
}

describe('in a group that became a supergroup', () => {
  it('a button that was shown before decides its card', async () => {
    await using test = await aTelegramHouse()
    const { person, card, next } = await movedGroup(test)
    const data = card?.reply_markup?.inline_keyboard[0]?.[0]?.callback_data
    await test.delivers({
      callback_query: { id: '77', from: person.user, message: { ...card, chat: next }, chat_instance: '-1', data },
    })
    expect((await test.proposals())[0]?.state.name).toBe('succeeded')
    expect(test.server.shown(next.id).at(-1)?.text).toMatch(/^Hecho: /)
  })

  it('a code decides its card, though the numbers of messages begin anew', async () => {
    await using test = await aTelegramHouse()
    const { ana } = await movedGroup(test)
    const [proposal] = await test.proposals()
    await ana.says(`sí #${proposal?.code}`)
    expect((await test.proposals())[0]?.state.name).toBe('succeeded')
  })

  it('a bare word with a mention decides it, as the last thing said', async () => {
    await using test = await aTelegramHouse()
    const { ana } = await movedGroup(test)
    await ana.says('@gestion_demo_bot sí')
    expect((await test.proposals())[0]?.state.name).toBe('succeeded')
  })

  it('a reply to a new message is never taken for one to the old message with its number, and no new message is edited in its place', async () => {
    await using test = await aTelegramHouse()
    const { ana, card, next } = await movedGroup(test)
    // New messages of the bot's, up to and beyond the old card's number.
    while ((test.server.shown(next.id).at(-1)?.message_id ?? 0) <= (card?.message_id ?? 0))
      await ana.says('@gestion_demo_bot qué hace eso')
    const same =
      test.server.shown(next.id).find(({ message_id: id }) => id === card?.message_id) ?? test.server.shown(next.id).at(-1)
    const [proposal] = await test.proposals()
    await ana.says('sí', { replyTo: String(same?.message_id) })
    expect((await test.proposals())[0]?.state.name).toBe('pending')
    await ana.says(`no #${proposal?.code}`)
    expect((await test.proposals())[0]?.state.name).toBe('rejected')
    expect(
      test.server
        .shown(next.id)
        .filter(({ text }) => text?.startsWith('✖'))
        .map(({ reply_markup: keyboard }) => keyboard),
    ).not.toContainEqual(expect.anything())
    expect(test.server.shown(next.id).find(({ message_id: id }) => id === same?.message_id)?.text).toBe(same?.text)
  })
})
