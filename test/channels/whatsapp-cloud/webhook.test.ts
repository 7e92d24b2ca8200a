import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isSigned, maxBodyBytes } from '../../../src/channels/whatsapp-cloud/webhook.ts'
import type { Normalized } from '../../../src/core/inbound.ts'
import type { Channel, Receive, WebhookRequest } from '../../../src/ports/channel.ts'
import { type GraphServer, graphServer } from '../../support/graph-server.ts'
import { until } from '../../support/until.ts'
import { aNumber, verifyToken } from './far-side.ts'

/** Made with another implementation of HMAC: over the bytes, not over what they mean. */
const vectors = [
  ['{"object":"whatsapp_business_account","entry":[]}', 'eb4b54cb68820a953c6ac314910c47e62f8e1b39bbda1006514617140c6d3870'],
  ['{"object": "whatsapp_business_account", "entry": []}', 'ff0e890a8af01189ea9b122b99065f6ba73a10f8bd05dcffe34b2c410b41d286'],
  ['{"text":{"body":"s\\u00ed \\ud83d\\udc4d"}}', '43849aaf87e7d064f193f5f47ff19ee5d53f4ec5525cb800fa4cd2bef45cb165'],
  ['{"text":{"body":"sí 👍"}}', 'd4ef2d146e3704578abb29dfd751ce64227e024e11ddfa2ea6d88e2730165977'],
] as const
const secret = 'example-app-secret'
const sign = (body: Uint8Array, by = secret) => `sha256=${createHmac('sha256', by).update(body).digest('hex')}`

describe('a signature', () => {
  it.each(vectors)('over %s is that of its bytes', (raw, digest) => {
    expect(isSigned(Buffer.from(raw), `sha256=${digest}`, [secret])).toBe(true)
    for (const [other] of vectors) expect(isSigned(Buffer.from(other), `sha256=${digest}`, [secret])).toBe(other === raw)
  })

  it('with any bit flipped, in it or in the body, is refused', () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 300 })
    fc.assert(
      fc.property(bytes, fc.nat(), fc.boolean(), (body, at, inBody) => {
        const signature = sign(body)
        expect(isSigned(body, signature, [secret])).toBe(true)
        const target = inBody ? Buffer.from(body) : Buffer.from(signature)
        const bit = at % (target.length * 8)
        target[bit >> 3] = (target[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        expect(isSigned(inBody ? target : body, inBody ? signature : target.toString('latin1'), [secret])).toBe(false)
      }),
      { numRuns: 2000 },
    )
  })

  it('counts under any of the secrets, and under none of nothing', () => {
    const body = Buffer.from('{}')
    expect(isSigned(body, sign(body, 'old'), ['new', 'old'])).toBe(true)
    expect(isSigned(body, sign(body, 'older'), ['new', 'old'])).toBe(false)
    expect(isSigned(body, sign(body, ''), [''])).toBe(false)
    expect(isSigned(body, sign(body), [])).toBe(false)
  })

  it.each([
    '',
    'sha256=',
    'sha1=cc92e87e84ca6132e66c65c2f809680616d3b4d7',
    sign(Buffer.from('{}')).toUpperCase(),
    ` ${sign(Buffer.from('{}'))}`,
  ])('spelt %j is none', (signature) => {
    expect(isSigned(Buffer.from('{}'), signature, [secret])).toBe(false)
  })
})

let server: GraphServer
let number: Channel
let running: AsyncDisposable
const events: Normalized[] = []
const receive: Receive = async (batch) => void events.push(...batch)
const message = { from: '15550002222', id: 'wamid.1', timestamp: '1795900000', type: 'text', text: { body: 'sí, mañana' } }
const bodyOf = (id = '100000000000001') =>
  Buffer.from(
    JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [
        {
          changes: [
            { field: 'messages', value: { metadata: { phone_number_id: id, display_phone_number: '1' }, messages: [message] } },
          ],
        },
      ],
    }),
  )

beforeEach(async () => {
  server = await graphServer({ appSecret: secret })
  number = aNumber(server)
  running = await number.start(receive)
  events.length = 0
})
afterEach(async () => {
  await running[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

const ask = (about: Partial<WebhookRequest> = {}, how: Receive = receive) => {
  const body = about.body ?? bodyOf()
  return number.webhook?.({ method: 'POST', headers: { 'x-hub-signature-256': sign(body) }, query: {}, body, ...about }, how)
}
const isDown: Receive = () => Promise.reject(new Error('the store is down'))

describe('a webhook request', () => {
  it('is answered 200 once what it holds is stored, and when that is nothing for the account', async () => {
    expect(await ask()).toEqual({ status: 200 })
    expect(events).toMatchObject([{ kind: 'message', body: { kind: 'text', text: 'sí, mañana' } }])
    expect(await ask({ body: bodyOf('7') })).toEqual({ status: 200 })
    expect(events.at(-1)).toEqual({ kind: 'ignored', reason: 'other_number' })
  })

  it('is answered 503 while the store is down, before the account has started, and after it was stopped', async () => {
    expect(await ask({}, isDown)).toMatchObject({ status: 503 })
    await running[Symbol.asyncDispose]()
    expect(await ask()).toMatchObject({ status: 503 })
    number = aNumber(server)
    expect(await ask()).toMatchObject({ status: 503 })
    expect(events).toEqual([])
  })

  it.each([
    ['none', undefined],
    ['that of other bytes', sign(Buffer.from('{}'))],
    ['that of another secret', sign(bodyOf(), 'guess')],
  ])('with no good signature (%s) is answered 401, and nothing is stored', async (_, signature) => {
    const headers = signature === undefined ? {} : { 'x-hub-signature-256': signature }
    expect(await ask({ headers })).toEqual({ status: 401 })
    expect(events).toEqual([])
  })

  it('is not downgraded to the old header', async () => {
    const sha1 = `sha1=${createHmac('sha1', secret).update(bodyOf()).digest('hex')}`
    expect(await ask({ headers: { 'x-hub-signature': sha1 } })).toEqual({ status: 401 })
  })

  it.each([
    ['no JSON', Buffer.from('{"object":'), 400],
    ['bytes that are no text', Buffer.from([0xff, 0xfe]), 400],
    ['more than three megabytes', Buffer.alloc(maxBodyBytes + 1, 32), 413],
  ])('with %s is answered by its own number', async (_, body, status) => {
    expect(await ask({ body })).toEqual({ status })
  })

  it('by another method is answered 405', async () => {
    expect(await ask({ method: 'PUT' })).toMatchObject({ status: 405 })
  })
})

describe('Meta’s question whether the address is ours', () => {
  const question = { 'hub.mode': 'subscribe', 'hub.challenge': '1158201444', 'hub.verify_token': verifyToken }
  const asked = (query: WebhookRequest['query']) => ask({ method: 'GET', body: new Uint8Array(), headers: {}, query })

  it('gets its challenge back, as plain text', async () => {
    expect(await asked(question)).toMatchObject({ status: 200, body: '1158201444', headers: { 'content-type': 'text/plain' } })
  })

  it.each([
    ['without our word', { 'hub.verify_token': undefined }],
    ['with another word', { 'hub.verify_token': 'my-tokem' }],
    ['with an empty word', { 'hub.verify_token': '' }],
    ['in another mode', { 'hub.mode': 'unsubscribe' }],
    ['without a challenge', { 'hub.challenge': undefined }],
    ['with a challenge that is a page', { 'hub.challenge': '<script>' }],
  ])('%s gets none', async (_, about) => {
    expect(await asked({ ...question, ...about })).toEqual({ status: 403 })
  })
})

describe('the platform', () => {
  beforeEach(() => server.webhooks.connect(async (request) => await number.webhook?.(request, receive)))
  const quiet = () => until(() => server.webhooks.waiting === 0)

  it('delivers again what could not be stored, with the same ids', async () => {
    let refusals = 2
    server.webhooks.connect(
      async (request) => await number.webhook?.(request, (batch) => (refusals-- > 0 ? isDown(batch) : receive(batch))),
    )
    server.person('Ana').says('sí')
    await quiet()
    server.webhooks.again()
    await quiet()
    expect(events.map((event) => (event.kind === 'ignored' ? '' : event.providerId))).toEqual([
      'wamid.TEST000001',
      'wamid.TEST000001',
    ])
  })

  it('tells several things in one request, every one in its order', async () => {
    const [ana, beto] = [server.person('Ana'), server.person('Beto')]
    server.webhooks.together(() => {
      ana.says('uno')
      server.ownerSays(ana.chat, 'lo hago yo')
      beto.says('dos')
      server.toolSays(ana.chat, 'otro programa')
    })
    await quiet()
    expect(server.webhooks.told).toHaveLength(1)
    expect(events.map(({ kind }) => kind)).toEqual(['message', 'said', 'message', 'report', 'report'])
  })
})
