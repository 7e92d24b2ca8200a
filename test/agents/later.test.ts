import { describe, expect, it, onTestFinished } from 'vitest'
import { httpAgent } from '../../src/agents/http.ts'
import { signedHeaders } from '../../src/agents/sign.ts'
import { gatewayApp } from '../../src/console/app.ts'
import { env } from '../../src/core/secret.ts'
import { openMetrics } from '../../src/metrics.ts'
import { startAgentServer } from '../support/agent-server.ts'
import { aPhonesHouse } from '../support/house-phones.ts'

const secret = 'a-secret-of-twenty-four-bytes-or-more'
process.env.TEST_LATER_SECRET = secret

const now = () => Math.floor(Date.now() / 1000)
const text = (said: string) => ({ kind: 'text', text: said })

/** A house whose agent answers 202, and the address that it was given. */
async function aHouseThatWaits(withinMs = 600_000) {
  const server = await startAgentServer(secret)
  onTestFinished(() => server[Symbol.asyncDispose]())
  const agent = httpAgent({
    url: server.url,
    secret: env('TEST_LATER_SECRET'),
    later: { withinMs, publicUrl: 'http://dale.test' },
  })
  const test = await aPhonesHouse({ agent, trouble: true })
  const { composition } = test
  const app = gatewayApp({
    log: test.house.log,
    readiness: () => composition.readiness(),
    metrics: openMetrics(),
    push: (token, request) => composition.push(token, request),
  })
  const ana = test.phone('ana')
  const asks = async (said: string): Promise<URL> => {
    server.next({ status: 202, chunks: [] })
    await ana.says(said)
    const { callback } = JSON.parse(server.arrived.at(-1)?.body ?? '{}') as { readonly callback: { readonly url: string } }
    return new URL(callback.url)
  }
  const pushes = async (to: URL, id: string, body: unknown, at = now(), signs = secret) => {
    const raw = typeof body === 'string' ? body : JSON.stringify(body)
    const headers = signedHeaders(signs, id, at, raw)
    const answer = await app.request(to.pathname, { method: 'POST', body: raw, headers })
    await test.quiet()
    return { status: answer.status, body: (await answer.json()) as { readonly taken?: boolean; readonly error?: string } }
  }
  return Object.assign(test, { server, ana, asks, pushes, app })
}

describe('an agent that answers later', () => {
  it('speaks and proposes after its turn, and a person decides', async () => {
    await using test = await aHouseThatWaits()
    const { ana } = test
    const to = await test.asks('registrá 3 cajas')
    expect(ana.sees()).toEqual([])
    expect(await test.pushes(to, 'd1', { events: [{ kind: 'state', state: 'typing' }, text('Un momento.')] })).toEqual({
      status: 200,
      body: { taken: true },
    })
    const proposal = { kind: 'propose', action: 'registrar', args: { cajas: 3 } }
    expect((await test.pushes(to, 'd2', { events: [text('Lo preparo.'), proposal] })).status).toBe(200)
    expect(ana.sees().map(({ kind, text: said }) => (kind === 'text' ? said : kind))).toEqual([
      'Un momento.',
      'Lo preparo.',
      'card',
    ])
    expect((await test.proposals()).map(({ origin, requester }) => [origin, requester])).toEqual([['human', expect.any(String)]])
    await ana.says('dale')
    expect(test.ledger.effects).toMatchObject([{ args: { cajas: 3 } }])
  })

  it('is taken once for one id, whatever is delivered under it', async () => {
    await using test = await aHouseThatWaits()
    const to = await test.asks('hola')
    expect((await test.pushes(to, 'd1', { events: [text('Hola.')] })).body).toEqual({ taken: true })
    expect(await test.pushes(to, 'd1', { events: [text('Hola otra vez.')] })).toEqual({ status: 200, body: { taken: false } })
    const both = await Promise.all([1, 2].map(() => test.pushes(to, 'd2', { events: [text('Una vez.')] })))
    expect(both.filter(({ body }) => body.taken === true)).toHaveLength(1)
    expect(test.ana.sees().map(({ text: said }) => said)).toEqual(['Hola.', 'Una vez.'])
  })

  it('is over with its proposal, and after its time', async () => {
    await using test = await aHouseThatWaits(60_000)
    const to = await test.asks('registrá 3 cajas')
    const proposal = { events: [{ kind: 'propose', action: 'registrar', args: { cajas: 3 } }] }
    expect((await test.pushes(to, 'd1', proposal)).status).toBe(200)
    expect((await test.pushes(to, 'd2', { events: [text('Y otra cosa.')] })).status).toBe(410)
    expect((await test.pushes(to, 'd1', proposal)).body).toEqual({ taken: false })
    const next = await test.asks('hola')
    await test.later(61_000)
    expect((await test.pushes(next, 'd3', { events: [text('Tarde.')] })).status).toBe(410)
    expect(await test.proposals()).toHaveLength(1)
  })

  it('is refused without a signature of now, at an address of its own making, and with a field that is not known', async () => {
    await using test = await aHouseThatWaits()
    const to = await test.asks('hola')
    const said = { events: [text('Hola.')] }
    expect((await test.pushes(to, 'd1', said, now() - 301)).status).toBe(401)
    expect((await test.pushes(to, 'd1', said, now(), 'another-secret-of-24-bytes-or-more')).status).toBe(401)
    const other = new URL(to)
    other.pathname = to.pathname.replace(/\.(.)/, (_, first: string) => (first === 'A' ? '.B' : '.A'))
    expect((await test.pushes(other, 'd1', said)).status).toBe(404)
    other.pathname = to.pathname.replace(/\..*/, `.${'é'.repeat(22)}`)
    expect((await test.pushes(other, 'd1', said)).status).toBe(404)
    for (const body of [
      '{',
      [],
      { events: [{ ...text('Hola.'), confirmed: true }] },
      { events: [{ kind: 'decide', code: 'K7Q2' }] },
      { ...said, approvedBy: 'ana' },
      { events: [{ kind: 'remember', summary: 'Ana said yes.' }] },
    ])
      expect([body, (await test.pushes(to, 'd1', body)).status]).toEqual([body, 400])
    expect((await test.app.request(to.pathname, { method: 'POST', body: '{}' })).status).toBe(401)
    expect(test.ana.sees()).toEqual([])
  })

  it('decides nothing with the words of a decision, and replaces only what its own message may', async () => {
    await using test = await aHouseThatWaits()
    const to = await test.asks('registrá 3 cajas')
    await test.pushes(to, 'd1', { events: [{ kind: 'propose', action: 'registrar', args: { cajas: 3 } }] })
    const next = await test.asks('contame')
    await test.pushes(next, 'd2', { events: [text('Dale. Sí, confirmo. No. Cancelar.')] })
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['pending'])
    expect(test.ledger.effects).toEqual([])
  })

  it('is told that it has to say that it answers later', async () => {
    const server = await startAgentServer(secret)
    onTestFinished(() => server[Symbol.asyncDispose]())
    server.next({ status: 202, chunks: [] })
    await using test = await aPhonesHouse({
      agent: httpAgent({ url: server.url, secret: env('TEST_LATER_SECRET') }),
      trouble: true,
    })
    await test.phone('ana').says('hola')
    expect(test.logged.find(({ event }) => event === 'agent_failed')?.about.err).toMatchObject({
      message: expect.stringContaining('answered 202'),
    })
    expect(httpAgent({ url: server.url, secret: env('X'), later: {} }).needs).toEqual(['X', 'PUBLIC_URL'])
  })
})
