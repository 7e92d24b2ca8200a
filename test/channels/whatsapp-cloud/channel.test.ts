import { createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cloudChannel } from '../../../src/channels/whatsapp-cloud/channel.ts'
import { Pace } from '../../../src/channels/whatsapp-cloud/pace.ts'
import { ConfigError } from '../../../src/core/errors.ts'
import type { Outgoing } from '../../../src/core/outgoing.ts'
import type { Channel, Sending } from '../../../src/ports/channel.ts'
import type { Log } from '../../../src/ports/log.ts'
import { aCard } from '../../contracts/channel.ts'
import type { Person } from '../../support/graph-people.ts'
import { type Fault, type GraphServer, graphServer } from '../../support/graph-server.ts'
import { until } from '../../support/until.ts'
import { aNumber, quiet } from './far-side.ts'

let server: GraphServer
let number: Channel
let ana: Person
const hello: Outgoing = { kind: 'text', text: 'hola' }
const day = 24 * 3_600_000
const inChat = (chat: string) => ({ account: 'demo', chat })
const bodies = () => server.calls.filter(({ method }) => method === 'POST').map(({ payload }) => payload)
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no error',
    (error: unknown) => error,
  )
const sending = (about: Partial<Sending> = {}): Sending => ({ ref: 'r1', addresses: [], lastInboundAtMs: Date.now(), ...about })
const sends = (message: Outgoing = hello, about?: Partial<Sending>, chat = ana.chat) =>
  number.send(inChat(chat), message, about === undefined ? undefined : sending(about))

beforeEach(async () => {
  server = await graphServer()
  ana = server.person('Ana')
  ana.begins()
  number = aNumber(server)
})
afterEach(() => server[Symbol.asyncDispose]())

describe('settings', () => {
  const settings = {
    account: 'demo',
    token: 'EAAx',
    phoneNumberId: '1',
    appSecrets: ['a'],
    verifyToken: 'b',
    apiRoot: 'http://127.0.0.1:9',
    log: quiet,
  }
  const problemsOf = (about: object): readonly string[] => {
    try {
      cloudChannel({ ...settings, ...about })
      return []
    } catch (error) {
      return error instanceof ConfigError ? error.problems.map(({ path }) => path) : [String(error)]
    }
  }

  it.each([
    ['no token', { token: '' }, ['accounts.demo.token']],
    ['no app secret', { appSecrets: [] }, ['accounts.demo.appSecret']],
    ['an empty app secret beside another', { appSecrets: ['a', ' '] }, ['accounts.demo.appSecret']],
    ['a telephone number for its id', { phoneNumberId: '+54 9 11' }, ['accounts.demo.phoneNumberId']],
    ['no word to verify with', { verifyToken: '' }, ['accounts.demo.verifyToken']],
    ['everything', {}, []],
  ])('with %s are judged before anything is sent', (_, about, problems) => {
    expect(problemsOf(about)).toEqual(problems)
  })
})

describe('a message', () => {
  it('carries our own id, and says whom WhatsApp took the receiver for', async () => {
    expect(await sends(hello, { addresses: ['wa:5491155550101'], ref: 'r7' }, '99900002222@lid')).toEqual({
      messageIds: ['wamid.TEST000001'],
      also: ['wa:5491155550101'],
    })
    expect(bodies()).toEqual([
      {
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        to: '5491155550101',
        type: 'text',
        text: { body: 'hola', preview_url: false },
        biz_opaque_callback_data: 'r7',
      },
    ])
  })

  it('of several parts carries it on the last alone', async () => {
    await sends({ kind: 'text', text: 'palabra '.repeat(700) }, { ref: 'r7' })
    expect(bodies().map((body) => body?.biz_opaque_callback_data)).toEqual([undefined, 'r7'])
  })

  it.each([
    ['a business-scoped id, and never into the field of numbers', 'AR.1350000001', [], { recipient: 'AR.1350000001' }],
    [
      'the business-scoped id rather than the number',
      '5491155550101',
      ['wa:5491155550101', 'wa:AR.1350000001'],
      { recipient: 'AR.1350000001' },
    ],
    ['the newest id of several', 'AR.OLD', ['wa:AR.1350000001', 'wa:AR.OLD'], { recipient: 'AR.1350000001' }],
    [
      'the number where nothing else is known',
      '99900002222@lid',
      ['wa:99900002222@lid', 'wa:5491155550101'],
      { to: '5491155550101' },
    ],
    ['the chat’s own name', '5491155550101', [], { to: '5491155550101' }],
  ])('goes to %s', async (_, chat, addresses, receiver) => {
    await sends(hello, { addresses }, chat)
    const [body] = bodies()
    expect({ to: body?.to, recipient: body?.recipient }).toEqual({ to: undefined, recipient: undefined, ...receiver })
  })

  it('has nowhere to go where only another transport’s ids are known', async () => {
    for (const chat of ['99900002222@lid', '120363000000000001@g.us'])
      expect(await failure(sends(hello, { addresses: ['wa:99900002222@lid'] }, chat))).toMatchObject({
        code: 'no_address',
        permanent: true,
      })
    expect(bodies()).toEqual([])
  })

  it('to another spelling of a number tells how WhatsApp writes it', async () => {
    const beto = server.person('Beto', { userId: undefined, waId: '5215555550103', dialled: ['525555550103'] })
    beto.begins()
    expect(await sends(hello, {}, '525555550103')).toMatchObject({ also: ['wa:5215555550103'] })
  })

  it('to a group goes without buttons and links nobody', async () => {
    const group = server.group('Depósito', [ana])
    ana.says('hola', { in: group })
    expect(await number.send(inChat(group), { kind: 'card', card: aCard() })).toEqual({ messageIds: ['wamid.TEST000002'] })
    expect(bodies()[0]).toMatchObject({ recipient_type: 'group', to: group, type: 'text' })
  })
})

describe('outside the window of a day', () => {
  const template = { name: 'confirmar', language: 'es_AR' }
  const card: Outgoing = { kind: 'card', card: aCard() }
  const closed = { lastInboundAtMs: Date.now() - day }
  const approve = () =>
    server.approves({
      ...template,
      body: 'Hay algo para confirmar: {{1}}. {{2}}. {{3}}.',
      quickReplies: ['Confirmar', 'Cancelar'],
    })

  it('nothing is sent without a template, and it is said that it must wait', async () => {
    for (const about of [closed, { lastInboundAtMs: undefined }])
      expect(await failure(number.send(inChat(ana.chat), card, { ref: 'r', addresses: [], ...about } as Sending))).toMatchObject({
        code: 'window_closed',
        permanent: false,
        mayHaveHappened: false,
      })
    expect(bodies()).toEqual([])
  })

  it('goes by the given clock', async () => {
    number = aNumber(server, { clock: { now: async () => 2 * day } })
    expect(await failure(sends(card, { lastInboundAtMs: day }))).toMatchObject({ code: 'window_closed' })
    expect(await sends(card, { lastInboundAtMs: day + 1 })).toMatchObject({ messageIds: [expect.any(String)] })
  })

  it('a card goes by the template, and its quick replies bring back their payloads', async () => {
    approve()
    number = aNumber(server, { template })
    const { messageIds } = await sends(card, closed)
    const [shown] = server.shown(ana.chat)
    expect(shown?.body).toContain('Cliente: 42 · ⚠️ Monto: $ 184.000,00 ARS')
    ana.taps(messageIds[0] ?? '', 'Confirmar')
    const told = JSON.parse(String(server.webhooks.told.at(-1))) as never
    expect(number.normalize(told)).toMatchObject([{ kind: 'press', payload: 'd1.k3J9xQ2mVt7Lp0aZ.a', messageId: messageIds[0] }])
    expect(await failure(sends(hello, closed))).toMatchObject({ code: 'window_closed' })
  })

  it('that WhatsApp alone knows of, a card goes by the template after the refusal, once', async () => {
    approve()
    number = aNumber(server, { template })
    server.fail({ refuse: 400, code: 131_047 })
    await sends(card)
    expect(bodies().map(({ type }) => type)).toEqual(['interactive', 'template'])
    expect(server.shown(ana.chat)).toHaveLength(1)
  })

  it('a text that WhatsApp refuses must wait', async () => {
    server.fail({ refuse: 400, code: 131_047 })
    expect(await failure(sends())).toMatchObject({ code: 'window_closed', permanent: false, mayHaveHappened: false })
  })
})

describe('a refusal', () => {
  const refused = async (fault: Fault) => {
    server.fail(fault)
    return await failure(sends())
  }

  it.each([
    [429, 130_429, { code: 'rate_limited', permanent: false, retryAfterMs: 2000 }],
    [429, 80_007, { code: 'rate_limited', permanent: false, retryAfterMs: 60_000 }],
    [429, 131_056, { code: 'pair_limited', permanent: false, retryAfterMs: 6000 }],
    [400, 131_026, { code: 'undeliverable', permanent: true }],
    [400, 131_049, { code: 'held_back', permanent: true }],
    [400, 131_051, { code: 'unsupported', permanent: true }],
    [401, 190, { code: 'unauthorized', permanent: false, retryAfterMs: 60_000 }],
    [403, 10, { code: 'unauthorized', permanent: false }],
    [403, 200, { code: 'unauthorized', permanent: false }],
    [403, 299, { code: 'unauthorized', permanent: false }],
    [403, 368, { code: 'account_blocked', permanent: false, retryAfterMs: 600_000 }],
    [403, 131_031, { code: 'account_locked', permanent: false }],
    [400, 133_010, { code: 'not_registered', permanent: false }],
    [400, 100, { code: 'bad_request', permanent: true }],
    [404, 132_001, { code: 'bad_template', permanent: true }],
    [503, 2, { code: 'unavailable', permanent: false, retryAfterMs: 10_000 }],
    [500, 131_016, { code: 'unavailable', permanent: false }],
    [400, 424_242, { code: 'graph_424242', permanent: true }],
    [429, 424_242, { code: 'rate_limited', permanent: false }],
  ])('with HTTP %d and code %d is what the table says, and proves that nothing was sent', async (refuse, code, about) => {
    expect(await refused({ refuse, code })).toMatchObject({ ...about, mayHaveHappened: false })
  })

  it.each([
    ['an unknown error of Meta’s', { refuse: 500, code: 131_000 }],
    ['another unknown error', { refuse: 400, code: 1 }],
    ['a 5xx with a code that nobody documents', { refuse: 500, code: 424_242 }],
    ['a page of something in between', { html: 502 }],
    ['JSON of something in between', { status: 403, json: { message: 'blocked' } }],
    ['an answer without a message’s id', { status: 200, json: { messages: [] } }],
    ['a connection that ends', { reset: 'before' }],
  ] as const)('proves nothing when it is %s', async (_, fault) => {
    expect(await refused(fault)).toMatchObject({ permanent: false, mayHaveHappened: true })
  })

  it('waits as long as the answer says where that is longer', async () => {
    expect(await refused({ refuse: 429, code: 130_429, retryAfter: 30 })).toMatchObject({ retryAfterMs: 30_000 })
  })

  it('of a number that is not the token’s needs somebody, and is no wrong message', async () => {
    number = aNumber(server, { phoneNumberId: '7' })
    expect(await failure(sends())).toMatchObject({ code: 'unknown_number', permanent: false })
  })

  it('after a part that was sent may leave something in the chat', async () => {
    const details = { part: 'details', text: 'detalle '.repeat(700).trim() } as const
    await sends(hello)
    server.fail({ reset: 'after' })
    const first = await failure(sends({ kind: 'card', card: { ...aCard(), lines: [...aCard().lines, details] } }))
    expect(first).toMatchObject({ mayHaveHappened: true })
    expect(server.shown(ana.chat)).toHaveLength(2)
  })

  it('never tells the token, the text or the person', async () => {
    server.fail({ refuse: 400, code: 131_026, details: 'to 5491155550101: hola' })
    const error = await failure(sends())
    expect(String(error) + JSON.stringify(error)).not.toMatch(/EAAtest|hola|5491155550101|135000000/)
  })

  it('of a connection that never stood proves that nothing was sent', async () => {
    const closed = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => closed.once('listening', resolve))
    const address = closed.address()
    await new Promise((resolve) => closed.close(resolve))
    number = aNumber(server, { apiRoot: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 9}` })
    expect(await failure(sends())).toMatchObject({ code: 'network', permanent: false, mayHaveHappened: false })
  })

  it('does not follow a redirect with the token in hand', async () => {
    await using other = await graphServer()
    expect(await refused({ redirect: `${other.url}/${other.phoneNumberId}/messages` })).toMatchObject({
      code: 'network',
      mayHaveHappened: true,
    })
    expect(other.calls).toEqual([])
  })

  it('that never comes leaves open whether it was sent', async () => {
    number = aNumber(server, { timeoutMs: 50 })
    server.fail({ hangs: true })
    expect(await failure(sends())).toMatchObject({ code: 'network', permanent: false, mayHaveHappened: true })
    expect(server.shown(ana.chat)).toHaveLength(1)
  })
})

describe('the limit of one pair', () => {
  it('is waited out for six seconds at least, and longer with every refusal', () => {
    const pace = new Pace()
    expect([0, 1, 2, 3, 4, 5, 6].map((n) => pace.refused('a', n))).toEqual([6, 6, 16, 64, 256, 900, 900].map((s) => s * 1000))
    expect(pace.waitMs('a', 6)).toBe(900_000)
    expect(pace.waitMs('b', 6)).toBe(0)
  })

  it('spaces what follows by six seconds, for five minutes after the last refusal', () => {
    const pace = new Pace()
    pace.refused('a', 0)
    pace.took('a', 10_000)
    expect([pace.waitMs('a', 10_000), pace.waitMs('a', 16_000)]).toEqual([6000, 0])
    expect(pace.refused('a', 20_000)).toBe(6000)
    pace.took('a', 320_000)
    expect(pace.waitMs('a', 320_000)).toBe(0)
  })

  it('remembers a bounded number of persons', () => {
    const pace = new Pace()
    for (let person = 0; person < 10_001; person += 1) pace.refused(String(person), 0)
    expect([pace.waitMs('0', 0), pace.waitMs('1', 0)]).toEqual([0, 6000])
  })

  it('that WhatsApp named is kept to without asking again, for this person alone', async () => {
    const beto = server.person('Beto')
    beto.begins()
    server.fail({ refuse: 429, code: 131_056 })
    await failure(sends())
    const error = await failure(sends())
    expect(error).toMatchObject({ code: 'pair_limited', mayHaveHappened: false })
    expect((error as { readonly retryAfterMs: number }).retryAfterMs).toBeGreaterThan(5000)
    expect(bodies()).toHaveLength(1)
    await sends(hello, undefined, beto.chat)
  })

  it('is met where somebody gets more in six seconds than WhatsApp allows', async () => {
    const results = []
    for (let index = 0; index < 46; index += 1) results.push(await failure(sends()))
    expect(results.slice(0, 45)).toEqual(new Array(45).fill('no error'))
    expect(results[45]).toMatchObject({ code: 'pair_limited' })
  })
})

describe('how the number is doing', () => {
  const logged: string[] = []
  const log: Log = {
    info: () => undefined,
    warn: ({ code }, event) => void logged.push(`warn ${event} ${String(code)}`),
    error: ({ code }, event) => void logged.push(`error ${event} ${String(code)}`),
  }
  beforeEach(() => void logged.splice(0))

  it('is told at its start: a token that is refused needs somebody, and that is told once', async () => {
    server.refusesToken(true)
    number = aNumber(server, { log })
    expect(number.health()).toEqual({ state: 'starting' })
    await using _running = await number.start(async () => {})
    await until(() => number.health().state === 'down')
    expect(number.health()).toEqual({ state: 'down', detail: 'unauthorized' })
    await failure(sends())
    expect(logged).toEqual(['error whatsapp_needs_attention unauthorized'])
    server.refusesToken(false)
    await sends()
    expect(number.health()).toEqual({ state: 'up' })
  })

  it('does not suffer from a person who cannot be reached, and says of a wrong request that it is ours', async () => {
    number = aNumber(server, { log })
    await using _running = await number.start(async () => {})
    server.fail({ refuse: 400, code: 131_026 })
    await failure(sends())
    expect([number.health().state, logged]).toEqual(['up', []])
    server.fail({ refuse: 400, code: 100 })
    await failure(sends())
    expect([number.health().state, logged]).toEqual(['up', ['error whatsapp_request_refused bad_request']])
  })

  it('is down once it was stopped', async () => {
    const running = await number.start(async () => {})
    await running[Symbol.asyncDispose]()
    expect(number.health()).toEqual({ state: 'down', detail: 'stopped' })
  })
})
