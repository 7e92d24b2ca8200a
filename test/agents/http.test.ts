import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { AgentError } from '../../src/agents/agent-error.ts'
import { type HttpAgentOptions, httpAgent } from '../../src/agents/http.ts'
import { ConfigError } from '../../src/core/errors.ts'
import { env } from '../../src/core/secret.ts'
import { type AgentServer, type Script, startAgentServer } from '../support/agent-server.ts'
import { answerOf, aTurn } from '../support/turns.ts'

const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`
process.env.TEST_AGENT_SECRET = secret

const aServer = async (...scripts: readonly Script[]) => {
  const server = await startAgentServer(secret)
  onTestFinished(() => server[Symbol.asyncDispose]())
  server.next(...scripts)
  return server
}

const anAgent = ({ url }: Pick<AgentServer, 'url'>, differs: Partial<HttpAgentOptions> = {}) =>
  httpAgent({ url, secret: env('TEST_AGENT_SECRET'), backoffMs: 1, ...differs })

const turn = aTurn('abrí un plan ñ 👍')
const said = (text: string) => ({ kind: 'text', text })
const lines = (...events: readonly unknown[]) => events.map((event) => `${JSON.stringify(event)}\n`)

const failureOf = async (running: Promise<unknown>): Promise<AgentError> => {
  const error: unknown = await running.then(
    () => 'it went well',
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(AgentError)
  return error as AgentError
}

describe('httpAgent', () => {
  it('sends the turn, signed, under the turn’s id', async () => {
    const server = await aServer()
    expect(await answerOf(anAgent(server), turn)).toEqual([said('listo')])
    expect(server.arrived).toMatchObject([{ verified: true, headers: { 'webhook-id': turn.id, 'idempotency-key': turn.id } }])
    expect(JSON.parse(server.arrived[0]?.body ?? '')).toEqual(turn)
  })

  it('signs with every secret while one is being changed', async () => {
    process.env.TEST_AGENT_SECRETS = `another-secret-of-24-bytes-or-more ${secret}`
    onTestFinished(() => void delete process.env.TEST_AGENT_SECRETS)
    const server = await aServer()
    await answerOf(anAgent(server, { secret: env('TEST_AGENT_SECRETS') }), turn)
    expect(server.arrived).toMatchObject([{ verified: true }])
  })

  it('hands on each line of a stream as it comes', async () => {
    const server = await aServer({
      type: 'application/x-ndjson; charset=utf-8',
      chunks: lines({ kind: 'state', state: 'thinking' }),
      thenHang: true,
    })
    const events = anAgent(server).run(turn, new AbortController().signal)[Symbol.asyncIterator]()
    expect(await events.next()).toEqual({ done: false, value: { kind: 'state', state: 'thinking' } })
    await events.return?.()
    await vi.waitFor(async () => expect(await server.connections()).toBe(0))
  })

  it('reads a stream that is cut anywhere, inside a letter too', async () => {
    const events = [
      said('año 👍'),
      { kind: 'withdraw', code: 'K7Q2' },
      { kind: 'propose', action: 'crear_acuerdo', args: { cuotas: 3 } },
    ]
    const bytes = Buffer.from(`${events.map((event) => JSON.stringify(event)).join('\r\n\n')}`)
    const server = await aServer({ type: 'application/x-ndjson', chunks: [...bytes].map((byte) => Uint8Array.of(byte)) })
    expect(await answerOf(anAgent(server), turn)).toEqual(events)
  })

  it('takes an empty answer for one that says nothing', async () => {
    const server = await aServer({ status: 204, chunks: [] })
    expect(await answerOf(anAgent(server), turn)).toEqual([])
  })

  it.each<[string, Script]>([
    ['is down', { status: 503 }],
    ['fails', { status: 500 }],
    ['breaks off before its first event', { type: 'application/x-ndjson', chunks: ['{"kind":'], thenReset: true }],
  ])('asks again, under the same id, when the agent %s', async (_, script) => {
    const server = await aServer(script, script)
    expect(await answerOf(anAgent(server), turn)).toEqual([said('listo')])
    expect(server.arrived.map(({ headers }) => headers['webhook-id'])).toEqual([turn.id, turn.id, turn.id])
    expect(server.arrived.every(({ verified }) => verified)).toBe(true)
  })

  it('gives up after its retries', async () => {
    const down: Script = { status: 503 }
    const server = await aServer(down, down, down)
    expect((await failureOf(answerOf(anAgent(server, { retries: 1 }), turn))).message).toContain('answered 503')
    expect(server.arrived).toHaveLength(2)
  })

  it('waits as long as the agent asks', async () => {
    const server = await aServer({ status: 429, headers: { 'retry-after': '1' } })
    const started = performance.now()
    expect(await answerOf(anAgent(server), turn)).toEqual([said('listo')])
    expect(performance.now() - started).toBeGreaterThanOrEqual(990)
  })

  it('does not wait longer than the turn may take', async () => {
    const server = await aServer({ status: 429, headers: { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() } })
    const error = await failureOf(answerOf(anAgent(server), turn))
    expect(error.retryAfterMs).toBeGreaterThan(3_500_000)
    expect(server.arrived).toHaveLength(1)
  })

  it('never asks again once the agent has said something', async () => {
    const server = await aServer({ type: 'application/x-ndjson', chunks: lines(said('voy')), thenReset: true })
    const heard: unknown[] = []
    const listening = async () => {
      for await (const event of anAgent(server).run(turn, new AbortController().signal)) heard.push(event)
    }
    await failureOf(listening())
    expect(heard).toEqual([said('voy')])
    expect(server.arrived).toHaveLength(1)
  })

  it.each<[string, Script, string]>([
    [
      'a field that would confirm',
      { chunks: ['{"events":[{"kind":"propose","action":"a","args":{},"confirmed":true}]}'] },
      'unknown field confirmed (an agent speaks and proposes',
    ],
    ['a field beside the events', { chunks: ['{"events":[],"approvedBy":"bot"}'] }, 'unknown field approvedBy'],
    [
      'an event of a kind that is none',
      { chunks: ['{"events":[{"kind":"approve","code":"K7Q2"}]}'] },
      'an event that is none: kind',
    ],
    ['a proposal without arguments', { chunks: ['{"events":[{"kind":"propose","action":"a"}]}'] }, 'args: '],
    ['a line that is not JSON', { type: 'application/x-ndjson', chunks: ['hola\n'] }, 'what is not JSON'],
    ['a page', { type: 'text/html', chunks: ['<p>'] }, 'answered text/html: it must be application/json or application/x-ndjson'],
    ['bytes that are not UTF-8', { chunks: [Uint8Array.of(0x22, 0xff, 0x22)] }, 'not UTF-8'],
    ['too much', { chunks: [' '.repeat(1_048_577)] }, 'more than 1048576 bytes'],
    ['a refusal of the signature', { status: 401 }, 'answered 401: does it verify with the secret in TEST_AGENT_SECRET?'],
    ['a refusal', { status: 400 }, 'answered 400: look at its log'],
  ])('refuses %s, and does not ask again', async (_, script, message) => {
    const server = await aServer(script)
    expect((await failureOf(answerOf(anAgent(server), turn))).message).toContain(message)
    expect(server.arrived).toHaveLength(1)
  })

  it('follows no redirect', async () => {
    const other = await aServer()
    const server = await aServer({ status: 307, headers: { location: other.url } })
    await failureOf(answerOf(anAgent(server, { retries: 0 }), turn))
    expect(other.arrived).toEqual([])
  })

  it('says what to do when the agent is too slow', async () => {
    const server = await aServer({ chunks: ['{'], thenHang: true })
    const error = await failureOf(answerOf(anAgent(server, { timeoutMs: 100 }), turn))
    expect(error.message).toContain('did not finish within 100 ms: make it faster, or raise timeoutMs')
  })

  it('says what to do when nobody listens', async () => {
    const server = await aServer()
    await server[Symbol.asyncDispose]()
    expect((await failureOf(answerOf(anAgent(server), turn))).message).toContain(
      'cannot be reached (ECONNREFUSED): is it running?',
    )
  })

  it('stops when its turn is stopped', async () => {
    const server = await aServer({ type: 'application/x-ndjson', chunks: lines(said('voy')), thenHang: true })
    const stopped = new AbortController()
    const listening = async () => {
      for await (const _ of anAgent(server).run(turn, stopped.signal)) stopped.abort(new Error('the turn was lost'))
    }
    await expect(listening()).rejects.toThrow('the turn was lost')
    await vi.waitFor(async () => expect(await server.connections()).toBe(0))
  })

  it('refuses an address that is none, and sends nothing with a secret that is missing or short', async () => {
    expect(() => anAgent({ url: 'agent.example' })).toThrow(ConfigError)
    const server = await aServer()
    expect((await failureOf(answerOf(anAgent(server, { secret: env('TEST_NO_SECRET') }), turn))).message).toBe(
      'TEST_NO_SECRET is not set in the environment',
    )
    process.env.TEST_SHORT_SECRET = 'short'
    onTestFinished(() => void delete process.env.TEST_SHORT_SECRET)
    expect((await failureOf(answerOf(anAgent(server, { secret: env('TEST_SHORT_SECRET') }), turn))).message).toContain(
      'shorter than 24 bytes',
    )
    expect(server.arrived).toEqual([])
  })
})
