import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { telegramChannel } from '../../../src/channels/telegram/channel.ts'
import { ChannelError, ConfigError } from '../../../src/core/errors.ts'
import type { Outgoing } from '../../../src/core/outgoing.ts'
import type { Channel } from '../../../src/ports/channel.ts'
import { aCard } from '../../contracts/channel.ts'
import { type BotApiServer, botApiServer, type Fault } from '../../support/bot-api-server.ts'
import { aBot, quiet, webhookSecret } from './far-side.ts'

let server: BotApiServer
let bot: Channel
const ana = { account: 'demo', chat: '42000001' }
const hello: Outgoing = { kind: 'text', text: 'hola' }
const callsOf = (method: string) => server.calls.filter((call) => call.method === method).map(({ payload }) => payload)
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no error',
    (error: unknown) => error,
  )

beforeEach(async () => {
  server = await botApiServer({ now: () => 1_795_900_000 })
  server.person('Ana').begins()
  bot = aBot(server)
})
afterEach(() => server[Symbol.asyncDispose]())

describe('settings', () => {
  const settings = { account: 'demo', token: '123:abc', mode: 'webhook', publicUrl: 'https://dale.example', log: quiet } as const
  const problemsOf = (about: object): readonly string[] => {
    try {
      telegramChannel({ ...settings, webhookSecret, ...about })
      return []
    } catch (error) {
      return error instanceof ConfigError ? error.problems.map(({ path }) => path) : [String(error)]
    }
  }

  it.each([
    ['no secret', { webhookSecret: undefined }],
    ['a secret of 31 characters', { webhookSecret: 'a'.repeat(31) }],
    ['a secret that Telegram would refuse', { webhookSecret: `${'a'.repeat(32)}!` }],
  ])('with %s are no webhook', (_, about) => {
    expect(problemsOf(about)).toEqual(['accounts.demo.webhookSecret'])
  })

  it('tell every problem at once, and never a secret', () => {
    expect(problemsOf({ token: 'bad', webhookSecret: 'short', publicUrl: 'http://dale.example' })).toEqual([
      'accounts.demo.token',
      'accounts.demo.webhookSecret',
      'accounts.demo.publicUrl',
    ])
    expect(() => telegramChannel({ ...settings, token: 'bad', webhookSecret: 'short-and-known' })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('short-and-known') }),
    )
  })

  it('of a good webhook, or of polling without any of it, are taken', () => {
    expect(problemsOf({})).toEqual([])
    expect(problemsOf({ mode: 'polling', webhookSecret: undefined, publicUrl: undefined })).toEqual([])
  })
})

describe('a refusal', () => {
  const refusals: readonly (readonly [Fault, object])[] = [
    [
      { refuse: 403, description: 'Forbidden: bot was blocked by the user' },
      { code: 'blocked', permanent: true },
    ],
    [
      { refuse: 403, description: 'Forbidden: user is deactivated' },
      { code: 'deactivated', permanent: true },
    ],
    [
      { refuse: 403, description: 'Forbidden: something new' },
      { code: 'forbidden', permanent: true },
    ],
    [
      { refuse: 400, description: 'Bad Request: chat not found' },
      { code: 'chat_not_found', permanent: true },
    ],
    [
      { refuse: 400, description: 'Bad Request: message thread not found' },
      { code: 'thread_not_found', permanent: true },
    ],
    [
      { refuse: 400, description: 'Bad Request: something new' },
      { code: 'bad_request', permanent: true },
    ],
    [
      { refuse: 429, description: 'Too Many Requests: retry after 34', parameters: { retry_after: 34 } },
      { code: 'rate_limited', permanent: false, retryAfterMs: 34_000 },
    ],
    [
      { refuse: 401, description: 'Unauthorized' },
      { code: 'unauthorized', permanent: false },
    ],
    [
      { refuse: 400, description: 'Bad Request: group chat was upgraded', parameters: { migrate_to_chat_id: -100 } },
      { code: 'chat_migrated', permanent: false },
    ],
  ]
  it.each(refusals)('%j proves that nothing was sent: %j', async (fault, about) => {
    server.fail('sendMessage', fault)
    const error = await failure(bot.send(ana, hello))
    expect(error).toBeInstanceOf(ChannelError)
    expect(error).toMatchObject({ channel: 'telegram', mayHaveHappened: false, ...about })
    expect(callsOf('sendMessage')).toHaveLength(1)
  })

  const silences: readonly (readonly [Fault, string])[] = [
    [{ refuse: 500, description: 'Internal Server Error' }, 'server_error'],
    [{ html: 502 }, 'network'],
    [{ status: 503, json: { message: 'no healthy upstream' } }, 'network'],
    [{ status: 200, json: null }, 'network'],
    [{ reset: 'before' }, 'network'],
    [{ reset: 'after' }, 'network'],
  ]
  it.each(silences)('%j is none: it may have been sent, and is not sent again', async (fault, code) => {
    server.fail('sendMessage', fault)
    expect(await failure(bot.send(ana, hello))).toMatchObject({ code, permanent: false, mayHaveHappened: true })
    expect(callsOf('sendMessage')).toHaveLength(1)
  })

  it('of a connection that never stood proves that nothing was sent', async () => {
    const nobody = aBot(server, { apiRoot: 'http://127.0.0.1:9' })
    expect(await failure(nobody.send(ana, hello))).toMatchObject({ code: 'network', permanent: false, mayHaveHappened: false })
  })

  it('after the first of several parts says that something stands there', async () => {
    const long: Outgoing = { kind: 'text', text: 'palabra '.repeat(1000) }
    await bot.send(ana, hello)
    server.fail('sendMessage', { refuse: 429, description: 'Too Many Requests', parameters: { retry_after: 3 } })
    expect(await failure(bot.send(ana, long))).toMatchObject({ mayHaveHappened: false })
    const original = server.shown(42000001).length
    const sending = failure(bot.send(ana, long))
    await server.until(() => server.shown(42000001).length > original)
    server.fail('sendMessage', { refuse: 429, description: 'Too Many Requests', parameters: { retry_after: 3 } })
    expect(await sending).toMatchObject({ code: 'rate_limited', retryAfterMs: 3000, mayHaveHappened: true })
  })

  it('tells neither the token nor what was to be sent', async () => {
    for (const fault of [{ reset: 'before' }, { refuse: 400, description: 'Bad Request: no' }] as const) {
      server.fail('sendMessage', fault)
      const error = await failure(bot.send(ana, { kind: 'text', text: 'un secreto' }))
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error)) + String((error as Error).cause)).not.toMatch(
        /un secreto|AAtest_token/,
      )
    }
  })

  it('comes before anything is sent when a message cannot stand on Telegram', async () => {
    expect(await failure(bot.send(ana, { kind: 'text', text: ' ' }))).toMatchObject({ code: 'empty', permanent: true })
    expect(await failure(bot.send(ana, { kind: 'card', card: aCard({ monto: '9'.repeat(5000) }) }))).toMatchObject({
      code: 'does_not_fit',
      permanent: true,
    })
    expect(callsOf('sendMessage')).toEqual([])
  })
})

describe('a message that is sent', () => {
  it('carries entities and no mark-up, asks for no preview, and tells the provider’s own time and order', async () => {
    const accepted = await bot.send(ana, { kind: 'card', card: aCard() })
    expect(accepted).toEqual({ messageIds: ['1'], moment: { atMs: 1_795_900_000_000, order: 1 } })
    expect(callsOf('sendMessage')[0]).toMatchObject({ link_preview_options: { is_disabled: true }, entities: expect.any(Array) })
    expect(callsOf('sendMessage')[0]).not.toHaveProperty('parse_mode')
  })

  it('has no moment of its own when the answer tells no time in seconds: it was taken all the same', async () => {
    for (const result of [{ message_id: 7, date: 1_795_900_000_123 }, { message_id: 7, date: 'now' }, { message_id: 7 }]) {
      server.fail('sendMessage', { status: 200, json: { ok: true, result } })
      expect(await bot.send(ana, hello)).toEqual({ messageIds: ['7'] })
    }
  })

  it('goes to the topic of its conversation, and to General without naming it', async () => {
    const forum = server.group('Ops', [server.person('Ana')], { forum: true })
    const topic = server.topic(forum, 'Pagos')
    const chat = String(forum.id)
    await bot.send({ account: 'demo', chat, topic: String(topic) }, hello)
    await bot.send({ account: 'demo', chat }, hello)
    await bot.send({ account: 'demo', chat, topic: '1' }, hello)
    expect(
      server
        .shown(forum.id)
        .slice(1)
        .map((message) => message.message_thread_id),
    ).toEqual([topic, undefined, undefined])
    expect(await failure(bot.send({ account: 'demo', chat, topic: '999' }, hello))).toMatchObject({
      code: 'thread_not_found',
      permanent: true,
    })
  })
})

describe('an edit', () => {
  const settled = aCard({ settled: true })

  it('falls on the part with the controls and leaves the details', async () => {
    const card = { ...aCard(), lines: [{ part: 'details', text: 'detalle' } as const, ...aCard().lines] }
    const { messageIds } = await bot.send(ana, { kind: 'card', card })
    expect(await bot.edit(ana, messageIds, settled)).toBe('edited')
    expect(server.shown(42000001).map(({ text, reply_markup }) => [text?.split('\n')[0], reply_markup])).toEqual([
      ['detalle', undefined],
      ['Plan de 3 cuotas para Ana Gómez (cliente 42)', undefined],
    ])
  })

  it('of a card that stands on a photo changes its caption', async () => {
    const { message_id: id } = server.puts(42000001, {
      photo: [{}],
      caption: 'tarjeta',
      reply_markup: { inline_keyboard: [[{ text: 'Confirmar', callback_data: 'x' }]] },
    })
    expect(await bot.edit(ana, [String(id)], settled)).toBe('edited')
    expect(server.shown(42000001)[0]).toMatchObject({ caption: expect.stringContaining('Confirmado por Ana.') })
    expect(server.shown(42000001)[0]).not.toHaveProperty('reply_markup')
  })

  it('of a card that stands on a sticker takes away its buttons', async () => {
    const { message_id: id } = server.puts(42000001, {
      sticker: {},
      reply_markup: { inline_keyboard: [[{ text: 'Confirmar', callback_data: 'x' }]] },
    })
    expect(await bot.edit(ana, [String(id)], settled)).toBe('edited')
    expect(server.shown(42000001)[0]).not.toHaveProperty('reply_markup')
  })

  it('to a card that no longer fits takes away the buttons and leaves the telling to the caller', async () => {
    const { messageIds } = await bot.send(ana, { kind: 'card', card: aCard() })
    expect(await bot.edit(ana, messageIds, aCard({ monto: '9'.repeat(5000) }))).toBe('gone')
    expect(server.shown(42000001)[0]).not.toHaveProperty('reply_markup')
  })

  it.each(["Bad Request: message can't be edited", 'Bad Request: MESSAGE_ID_INVALID'])(
    'that Telegram refuses with %j is gone',
    async (description) => {
      const { messageIds } = await bot.send(ana, { kind: 'card', card: aCard() })
      server.fail('editMessageText', { refuse: 400, description })
      expect(await bot.edit(ana, messageIds, settled)).toBe('gone')
    },
  )

  it('of no message is gone, and one that meets trouble throws', async () => {
    expect(await bot.edit(ana, [], settled)).toBe('gone')
    const { messageIds } = await bot.send(ana, { kind: 'card', card: aCard() })
    server.fail('editMessageText', { refuse: 429, description: 'Too Many Requests', parameters: { retry_after: 2 } })
    expect(await failure(bot.edit(ana, messageIds, settled))).toMatchObject({ code: 'rate_limited', retryAfterMs: 2000 })
  })
})

describe('a tap', () => {
  it('is answered once, with at most two hundred characters', async () => {
    const { messageIds } = await bot.send(ana, { kind: 'card', card: aCard() })
    const pressId = server.person('Ana').taps(Number(messageIds[0]), 'Confirmar')
    await bot.answerPress(pressId, 'x'.repeat(300))
    await bot.answerPress(pressId, 'otra vez')
    expect(server.journal.filter(({ what }) => what === 'answered')).toEqual([
      { what: 'answered', pressId, text: 'x'.repeat(200) },
    ])
  })
})
