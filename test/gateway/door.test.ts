import { describe, expect, it } from 'vitest'
import { aTelegramHouse } from '../support/house-telegram.ts'

const asks = 'registrá 3 cajas'

describe('the door', () => {
  it('B01: lets nobody in without the secret, or with one that is nearly it', async () => {
    await using test = await aTelegramHouse()
    await test.phone('Ana').says(asks)
    const secret = 'a-secret_of_more_than_32_characters_0123'
    const body = JSON.stringify({
      update_id: 1,
      message: {
        message_id: 9,
        date: 1,
        chat: { id: 42_000_001, type: 'private' },
        from: { id: 42_000_001, is_bot: false, first_name: 'Ana' },
        text: 'sí',
      },
    })
    for (const wrong of ['', secret.slice(0, -1), `${secret}0`, secret.toUpperCase(), ` ${secret}`]) {
      expect(await test.request(body, { 'x-telegram-bot-api-secret-token': wrong })).toEqual({ status: 401 })
    }
    expect(await test.request(body, {})).toEqual({ status: 401 })
    expect(await test.stage.run('select count(*)::int as rows from dale.inbox')).toEqual([{ rows: 1 }])
  })

  it.each([
    ['no JSON', '{"update_id":1,"message":', 400],
    ['bytes that are no text', new Uint8Array([0xff, 0xfe, 0x00]), 400],
    ['nothing', '', 400],
    ['a list', '[]', 200],
    ['null', 'null', 200],
    ['a deep nest', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`, 200],
    ['an unknown kind', '{"update_id":5,"teleported_message":{"message_id":1,"text":"sí"}}', 200],
    ['a message without anything', '{"update_id":6,"message":{}}', 200],
    ['polluting keys', '{"update_id":7,"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}', 200],
  ])('B11 B43: takes %s for what it is, keeps nothing of it, and works on', async (_what, body, status) => {
    await using test = await aTelegramHouse()
    const ana = test.phone('Ana')
    await ana.says(asks)
    expect((await test.request(body))?.status).toBe(status)
    expect(await test.stage.run('select count(*)::int as rows from dale.inbox')).toEqual([{ rows: 1 }])
    expect(({} as { readonly polluted?: boolean }).polluted).toBeUndefined()
    await ana.says('sí')
    expect(test.ledger.effects).toHaveLength(1)
  })

  it('B11 B38: takes a text of a megabyte, which decides nothing and reaches the agent, and refuses a larger request', async () => {
    await using test = await aTelegramHouse()
    const ana = test.phone('Ana')
    await ana.says(asks)
    await test.read()
    const text = 'sí '.repeat(340_000)
    const update = (long: string) =>
      JSON.stringify({
        update_id: 1,
        message: {
          message_id: 9_000,
          date: test.nowS(),
          chat: { id: 42_000_001, type: 'private' },
          from: { id: 42_000_001, is_bot: false, first_name: 'Ana' },
          text: long,
        },
      })
    expect((await test.request(update(text.repeat(2))))?.status).toBe(413)
    expect((await test.request(update(text.slice(0, 700_000))))?.status).toBe(200)
    await test.quiet()
    expect((await test.proposals())[0]?.state.name).toBe('pending')
    expect(test.turns.at(-1)?.messages[0]?.text).toHaveLength(700_000)
  })

  it('B83: acknowledges nothing while the store is away', async () => {
    await using test = await aTelegramHouse({ trouble: true })
    const body = JSON.stringify({
      update_id: 1,
      message: {
        message_id: 9,
        date: test.nowS(),
        chat: { id: 42_000_001, type: 'private' },
        from: { id: 42_000_001, is_bot: false, first_name: 'Ana' },
        text: asks,
      },
    })
    await test.stage.run('alter table dale.inbox rename to inbox_away')
    try {
      expect(await test.request(body)).toMatchObject({ status: 503 })
    } finally {
      await test.stage.run('alter table dale.inbox_away rename to inbox')
    }
    expect(await test.request(body)).toEqual({ status: 200 })
    test.server.person('Ana').begins()
    await test.quiet()
    expect(test.turns).toHaveLength(1)
  })
})
