import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { Hono } from 'hono'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { type Behind, gatewayApp, maxBodyBytes, type Readiness } from '../../src/console/app.ts'
import { CannotListenError, type Listening, listen } from '../../src/console/server.ts'
import { openMetrics } from '../../src/metrics.ts'
import type { WebhookRequest } from '../../src/ports/channel.ts'
import type { Log } from '../../src/ports/log.ts'

const well: Readiness = { ok: true, parts: { database: { state: 'up' }, queue: { state: 'up' } } }
const opened: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one[Symbol.asyncDispose]()
})

/** A gateway's addresses on a free port, with what is logged and what reached the webhooks. */
async function aServer(behind: Partial<Behind> = {}, at: Partial<Listening> = {}) {
  const logged: string[] = []
  const reached: { readonly account: string; readonly request: WebhookRequest }[] = []
  const keep = (_about: unknown, event: string) => void logged.push(event)
  const log: Log = { info: keep, warn: keep, error: keep }
  const app = gatewayApp({
    log,
    readiness: async () => well,
    metrics: openMetrics(),
    webhook: async (account, request) => {
      if (account !== 'front') return undefined
      reached.push({ account, request })
      return { status: 200 }
    },
    ...behind,
  })
  const server = await listen(app, { host: '127.0.0.1', port: 0, ...at })
  opened.push(server)
  return { url: server.url, port: Number(new URL(server.url).port), server, logged, reached }
}

const answerOf = async (response: Response) => ({ status: response.status, body: await response.json() })

describe('the gateway’s addresses', () => {
  it('tell that the process lives, whatever else does', async () => {
    const { url } = await aServer({ readiness: () => new Promise(() => {}) })
    expect(await answerOf(await fetch(`${url}/healthz`))).toEqual({ status: 200, body: { ok: true } })
  })

  it('tell whether traffic may come, part by part', async () => {
    const down: Readiness = {
      ok: false,
      parts: { database: { state: 'up' }, queue: { state: 'down' }, 'channel:front': { state: 'starting', detail: 'network' } },
    }
    const told = [well, down]
    const { url } = await aServer({ readiness: async () => told.shift() ?? well })
    expect(await answerOf(await fetch(`${url}/readyz`))).toEqual({ status: 200, body: well })
    expect(await answerOf(await fetch(`${url}/readyz`))).toEqual({ status: 503, body: down })
  })

  it('take a part that never answers for one that is down', async () => {
    const { url } = await aServer({ readiness: () => new Promise(() => {}), readyWithinMs: 50 })
    expect(await answerOf(await fetch(`${url}/readyz`))).toMatchObject({
      status: 503,
      body: { ok: false, parts: { database: { state: 'down' } } },
    })
  })

  it('measure under dale_ alone, with names in labels and no text or number', async () => {
    const metrics = openMetrics()
    metrics.count('road', { account: 'front', road: 'decide' })
    metrics.count('road', { account: '+54 9 11 5555 0000', road: 'sí, dale' })
    const { url } = await aServer({ metrics, readiness: async () => ({ ok: false, parts: { queue: { state: 'down' } } }) })
    const lines = (await (await fetch(`${url}/metrics`)).text())
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
    expect(lines.filter((line) => !line.startsWith('dale_'))).toEqual([])
    expect(lines.filter((line) => line.startsWith('dale_road_total') || line.startsWith('dale_up'))).toEqual([
      'dale_up{part="queue"} 0',
      'dale_road_total{account="front",road="decide"} 1',
      'dale_road_total{account="other",road="other"} 1',
    ])
  })

  it('know nothing else', async () => {
    const { url } = await aServer()
    for (const path of ['/', '/metrics/x', '/webhooks', '/webhooks/front/x/y', '/../package.json'])
      expect((await fetch(url + path)).status, path).toBe(404)
    expect((await fetch(`${url}/webhooks/front`, { method: 'PUT' })).status).toBe(404)
    expect((await fetch(`${url}/healthz`, { method: 'POST' })).status).toBe(404)
  })
})

describe('a webhook request', () => {
  it('reaches its account byte by byte, under either address', async () => {
    const { url, reached } = await aServer()
    const body = new Uint8Array([0xff, 0x00, 0x7b, 0x0d, 0x0a])
    const post = (path: string) =>
      fetch(url + path, { method: 'POST', body, headers: { 'X-Telegram-Bot-Api-Secret-Token': 's' } })
    expect((await post('/webhooks/front?a=1')).status).toBe(200)
    expect((await post('/webhooks/telegram/front')).status).toBe(200)
    expect(reached).toMatchObject([
      {
        account: 'front',
        request: { method: 'POST', body, query: { a: '1' }, headers: { 'x-telegram-bot-api-secret-token': 's' } },
      },
      { account: 'front', request: { method: 'POST', body, query: {} } },
    ])
  })

  it('gets its account’s answer as it is', async () => {
    const { url } = await aServer({ webhook: async () => ({ status: 503, body: 'later', headers: { 'retry-after': '7' } }) })
    const response = await fetch(`${url}/webhooks/front`, { method: 'POST', body: '{}' })
    expect([response.status, await response.text(), response.headers.get('retry-after')]).toEqual([503, 'later', '7'])
  })

  it('can be a question by GET, as Meta asks it', async () => {
    const { url } = await aServer({
      webhook: async (_, { method, query }) => ({ status: 200, body: `${method} ${query['hub.challenge']}` }),
    })
    const response = await fetch(`${url}/webhooks/front?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=my-token`)
    expect([response.status, await response.text()]).toEqual([200, 'GET 1158201444'])
  })

  it('for an account that takes none is not found, and makes no new name in the metrics', async () => {
    const metrics = openMetrics()
    const { url } = await aServer({ metrics })
    expect((await fetch(`${url}/webhooks/elsewhere`, { method: 'POST', body: '{}' })).status).toBe(404)
    expect(await metrics.text()).not.toContain('elsewhere')
  })

  it('that breaks what is behind it is not acknowledged, so that the provider comes again', async () => {
    const { url, logged } = await aServer({ webhook: () => Promise.reject(new Error('the database is away')) })
    const response = await fetch(`${url}/webhooks/front`, { method: 'POST', body: '{}' })
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
    expect(logged).toEqual(['webhook_failed'])
  })

  it('of more than three megabytes is refused unread, announced or not', async () => {
    const { url, reached } = await aServer()
    const send = (body: NonNullable<RequestInit['body']>) =>
      fetch(`${url}/webhooks/front`, { method: 'POST', body, duplex: 'half' } as RequestInit)
    let isOver = false
    onTestFinished(() => {
      isOver = true
    })
    const endless = () =>
      new ReadableStream({
        async pull(controller) {
          // A client whose connection broke goes on pulling: it must leave the others their turn, and end.
          await setImmediate()
          if (isOver) controller.close()
          else controller.enqueue(new Uint8Array(64 * 1024))
        },
      })
    expect((await send(new Uint8Array(maxBodyBytes))).status).toBe(200)
    expect((await send(new Uint8Array(maxBodyBytes + 1))).status).toBe(413)
    expect(
      await send(endless()).then(
        ({ status }) => status,
        () => 413,
      ),
    ).toBe(413)
    expect(reached.length).toBe(1)
  })
})

describe('the server', () => {
  it('lets go of whoever sends a request too slowly', async () => {
    const { port } = await aServer({}, { arriveWithinMs: 200 })
    const slow = connect(port, '127.0.0.1')
    slow.write('POST /webhooks/front HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{')
    expect(await text(slow)).toMatch(/^HTTP\/1\.1 408 /)
  })

  it('says what to do about a port that is used', async () => {
    const { port } = await aServer()
    const second = listen(new Hono(), { host: '127.0.0.1', port })
    await expect(second).rejects.toThrow(CannotListenError)
    await expect(second).rejects.toThrow(`Port ${port} on 127.0.0.1 is used by another process`)
  })

  it('answers what is in hand before it ends, and takes nothing new', async () => {
    const inHand = Promise.withResolvers<void>()
    const may = Promise.withResolvers<void>()
    const { url, server, port } = await aServer({
      webhook: async () => {
        inHand.resolve()
        await may.promise
        return { status: 200 }
      },
    })
    const answered = fetch(`${url}/webhooks/front`, { method: 'POST', body: '{}' })
    await inHand.promise
    const closed = server[Symbol.asyncDispose]()
    opened.pop()
    const [refused] = await once(connect(port, '127.0.0.1'), 'error')
    expect(refused).toMatchObject({ code: 'ECONNREFUSED' })
    may.resolve()
    expect((await answered).status).toBe(200)
    await closed
  })
})
