import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Normalized } from '../../../src/core/inbound.ts'
import type { Channel, Receive } from '../../../src/ports/channel.ts'
import { type BotApiServer, botApiServer } from '../../support/bot-api-server.ts'
import { aBot, leaseTable, serveWebhook, webhookSecret } from './far-side.ts'

let server: BotApiServer
const open: AsyncDisposable[] = []
const events: Normalized[] = []
let wake = () => {}
const receive: Receive = async (batch) => {
  events.push(...batch)
  wake()
}
const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise<void>((resolve) => (wake = resolve))
}
const textsIn = () => events.flatMap((event) => (event.kind === 'message' ? [event.body.text] : []))
const start = async (channel: Channel, how: Receive = receive) => {
  const running = await channel.start(how)
  open.push(running)
  return running
}
const polls = () => server.calls.filter(({ method }) => method === 'getUpdates').map(({ payload }) => payload)

beforeEach(async () => {
  server = await botApiServer()
  events.length = 0
})
afterEach(async () => {
  for (const running of open.splice(0).reverse()) await running[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

describe('long polling', () => {
  it('confirms an update only once it is stored', async () => {
    let isDown = true
    server.person('Ana').says('sí')
    await start(aBot(server), async (batch) => {
      if (!isDown) return receive(batch)
      isDown = polls().length < 3
      throw new Error('the store is down')
    })
    await until(() => events.length === 1)
    expect(
      polls()
        .slice(0, 3)
        .map(({ offset }) => offset),
    ).toEqual([undefined, undefined, undefined])
    await server.until(() => server.updates.waiting.length === 0)
    expect(textsIn()).toEqual(['sí'])
  })

  it('says that the store is what it waits for', async () => {
    const bot = aBot(server)
    let seen: unknown
    server.person('Ana').says('sí')
    let refusals = 0
    await start(bot, async (batch) => {
      refusals += 1
      if (refusals === 1) throw new Error('the store is down')
      seen = bot.health()
      await receive(batch)
    })
    await until(() => events.length === 1)
    expect(seen).toEqual({ state: 'down', detail: 'store' })
    await server.until(() => bot.health().state === 'up')
  })

  it('takes down a webhook that stands in its way, and keeps what waits behind it', async () => {
    server.updates.setWebhook({ url: 'http://127.0.0.1:9/', secret_token: 's' })
    server.person('Ana').says('sí')
    await start(aBot(server))
    await until(() => events.length === 1)
    expect(server.calls.find(({ method }) => method === 'deleteWebhook')?.payload).toEqual({ drop_pending_updates: false })
    expect(textsIn()).toEqual(['sí'])
  })

  it('asks for the kinds of update it reads, and for no others', async () => {
    await start(aBot(server))
    await server.until(() => polls().length > 0)
    expect(polls()[0]).toEqual({
      limit: 100,
      timeout: 5,
      allowed_updates: ['message', 'edited_message', 'callback_query', 'message_reaction'],
    })
  })

  it('reports a second poller of the same bot, and goes on once that one is gone', async () => {
    const bot = aBot(server)
    await start(bot)
    server.fail('getUpdates', { refuse: 409, description: 'Conflict: terminated by other getUpdates request' })
    server.person('Ana').says('uno')
    await until(() => textsIn().includes('uno'))
    server.person('Ana').says('dos')
    await until(() => textsIn().includes('dos'))
    await server.until(() => bot.health().state === 'up')
  })

  it('is not asked again at once when it does not hold the poll', async () => {
    const leases = leaseTable()
    for (let times = 0; times < 9; times += 1) server.fail('getUpdates', { status: 200, json: { ok: true, result: [] } })
    const hasty = { lease: { leases, owner: 'one', ttlMs: 60 }, backoffMs: 60_000 }
    const bot = aBot(server, hasty)
    await start(bot)
    await server.until(() => polls().length === 1)
    // The lease is renewed every 20 ms: time enough for all nine.
    const asked = leases.asked()
    await leases.until(() => leases.asked() > asked + 2)
    expect([polls().length, bot.health().state]).toEqual([1, 'up'])
  })

  it('says at once that a token is wrong', async () => {
    const bot = aBot(server, { token: '123456789:wrong' })
    await expect(bot.start(receive)).rejects.toMatchObject({ code: 'unauthorized', permanent: true })
  })

  it('starts without Telegram, says so, and receives once it is there', async () => {
    server.fail('getMe', { html: 502 })
    server.fail('getMe', { reset: 'before' })
    server.fail('getMe', { status: 503, json: { message: 'no healthy upstream' } })
    server.fail('getUpdates', { status: 503, json: { message: 'no healthy upstream' } })
    const bot = aBot(server)
    server.person('Ana').says('sí')
    await start(bot)
    expect(bot.health()).toEqual({ state: 'down', detail: 'network' })
    await until(() => events.length === 1)
  })
})

describe('several processes with one bot', () => {
  const lease = (leases: ReturnType<typeof leaseTable>, owner: string) => ({ leases, owner, ttlMs: 60 })

  it('poll one at a time, and another takes over when the poller stops', async () => {
    const leases = leaseTable()
    const first = aBot(server, { lease: lease(leases, 'one') })
    const second = aBot(server, { lease: lease(leases, 'two') })
    const running = await first.start(receive)
    await server.until(() => server.calls.some(({ method }) => method === 'deleteWebhook'))
    await start(second)
    server.person('Ana').says('uno')
    await until(() => textsIn().length === 1)
    expect(second.health()).toEqual({ state: 'starting', detail: 'another process polls this bot, or did until a moment ago' })
    await running[Symbol.asyncDispose]()
    server.person('Ana').says('dos')
    await until(() => textsIn().includes('dos'))
    await server.until(() => second.health().detail === undefined)
    expect(server.calls.filter(({ method }) => method === 'deleteWebhook')).toHaveLength(2)
  })

  it('step down when the lease is lost to another, without a poll in between', async () => {
    const leases = leaseTable()
    const name = `telegram:${server.bot.id}`
    const first = aBot(server, { lease: lease(leases, 'one') })
    await start(first)
    await server.until(() => polls().length === 1)
    leases.drop(name)
    await leases.lease(name, 'two', 60_000)
    // The first process notices at its next renewal, ends its poll, and from then on only asks for the lease.
    await leases.until(() => first.health().detail?.startsWith('another process polls this bot') === true)
    server.person('Ana').says('sí')
    const asked = leases.asked()
    await leases.until(() => leases.asked() > asked + 1)
    expect([polls().length, events]).toEqual([1, []])
  })

  it('wait for the store rather than poll without a lease', async () => {
    let isDown = true
    const leases = leaseTable()
    const flaky = {
      ...leases,
      lease: async (...asked: Parameters<typeof leases.lease>) => {
        if (isDown) {
          isDown = false
          throw new Error('the store is down')
        }
        return leases.lease(...asked)
      },
    }
    server.person('Ana').says('sí')
    await start(aBot(server, { lease: { leases: flaky, owner: 'one', ttlMs: 1000 } }))
    await until(() => events.length === 1)
  })
})

describe('a webhook', () => {
  const body = Buffer.from(
    JSON.stringify({
      update_id: 1,
      message: { message_id: 1, from: { id: 1, is_bot: false }, chat: { id: 1, type: 'private' }, date: 1, text: 'sí' },
    }),
  )
  const header = 'x-telegram-bot-api-secret-token'
  const ask = (bot: Channel, about: { secret?: string; body?: Uint8Array; method?: string } = {}, how: Receive = receive) =>
    bot.webhook?.(
      { method: about.method ?? 'POST', headers: { [header]: about.secret }, query: {}, body: about.body ?? body },
      how,
    )
  const aWebhook = async () => {
    const bot = aBot(server, { mode: 'webhook', webhookSecret, publicUrl: 'http://127.0.0.1:9' })
    await start(bot)
    return bot
  }

  it('is registered with its address, its secret and the kinds of update it reads', async () => {
    await aWebhook()
    expect(server.calls.find(({ method }) => method === 'setWebhook')?.payload).toEqual({
      url: 'http://127.0.0.1:9/webhooks/telegram/demo',
      secret_token: webhookSecret,
      allowed_updates: ['message', 'edited_message', 'callback_query', 'message_reaction'],
      drop_pending_updates: false,
    })
  })

  it('is not there for an account that polls', () => {
    expect(aBot(server)).not.toHaveProperty('webhook')
  })

  it.each([undefined, '', webhookSecret.slice(0, -1), `${webhookSecret}a`, webhookSecret.toUpperCase(), ` ${webhookSecret}`])(
    'answers 401 to the secret %j and stores nothing',
    async (secret) => {
      const bot = await aWebhook()
      expect(await ask(bot, secret === undefined ? {} : { secret })).toEqual({ status: 401 })
      expect(events).toEqual([])
    },
  )

  it('checks the secret before it looks at anything else', async () => {
    const bot = await aWebhook()
    expect(await ask(bot, { method: 'GET', body: Buffer.from('{'), secret: 'wrong' })).toEqual({ status: 401 })
  })

  it('answers 200 once the update is stored, and to one that is not for it', async () => {
    const bot = await aWebhook()
    expect(await ask(bot, { secret: webhookSecret })).toEqual({ status: 200 })
    expect(textsIn()).toEqual(['sí'])
    expect(await ask(bot, { secret: webhookSecret, body: Buffer.from('{"update_id":2,"poll":{}}') })).toEqual({ status: 200 })
    expect(events.at(-1)).toEqual({ kind: 'ignored', reason: 'poll' })
  })

  it('answers 503 while the store is down', async () => {
    const bot = await aWebhook()
    const down = () => Promise.reject(new Error('the store is down'))
    expect(await ask(bot, { secret: webhookSecret }, down)).toMatchObject({ status: 503 })
  })

  it('answers 503 before it knows its own name and after it was stopped', async () => {
    const bot = aBot(server, { mode: 'webhook', webhookSecret, publicUrl: 'http://127.0.0.1:9' })
    expect(await ask(bot, { secret: webhookSecret })).toMatchObject({ status: 503 })
    const running = await bot.start(receive)
    await running[Symbol.asyncDispose]()
    expect(await ask(bot, { secret: webhookSecret })).toMatchObject({ status: 503 })
    expect(events).toEqual([])
  })

  it.each([
    ['no JSON', Buffer.from('{"update_id":'), 400],
    ['bytes that are no text', Buffer.from([0xff, 0xfe]), 400],
    ['more than a megabyte', Buffer.alloc(1024 * 1024 + 1, 32), 413],
  ])('answers %s with its own number', async (_, bytes, status) => {
    const bot = await aWebhook()
    expect(await ask(bot, { secret: webhookSecret, body: bytes })).toEqual({ status })
  })

  it('answers 405 to what is no POST', async () => {
    const bot = await aWebhook()
    expect(await ask(bot, { secret: webhookSecret, method: 'GET' })).toMatchObject({ status: 405 })
  })

  it('gets an update again that could not be stored', async () => {
    let refusals = 2
    const flaky: Receive = async (batch) => {
      refusals -= 1
      if (refusals >= 0) throw new Error('the store is down')
      await receive(batch)
    }
    const web = await serveWebhook(flaky)
    open.push(web)
    const bot = aBot(server, { mode: 'webhook', webhookSecret, publicUrl: web.url })
    web.mount(bot)
    await start(bot)
    server.person('Ana').says('sí')
    await until(() => events.length === 1)
    expect([textsIn(), refusals]).toEqual([['sí'], -1])
  })
})
