import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { type HttpActionDefinition, httpAction } from '../../src/actions/http.ts'
import { ActionError, ConfigError } from '../../src/core/errors.ts'
import { env } from '../../src/core/secret.ts'
import { type ActionServer, type Behaviour, startActionServer } from '../support/action-server.ts'
import { aCall } from '../support/calls.ts'

const input = z.object({ cliente: z.string(), cuotas: z.int() })
const args = { cliente: '42', cuotas: 3 }

const anAction = (server: Pick<ActionServer, 'url'>, differs: Partial<HttpActionDefinition<typeof input>> = {}) =>
  httpAction<typeof input>({
    name: 'crear_acuerdo',
    version: '1',
    description: 'Crea un plan de pagos.',
    input,
    reversibility: 'observed',
    method: 'POST',
    url: `${server.url}/clients/{cliente}/plans`,
    keyHeader: 'Idempotency-Key',
    lookUp: { url: `${server.url}/plans/by-key/{idempotencyKey}` },
    allowPrivate: ['127.0.0.1'],
    preview: () => ({ summary: 'Plan', fields: [] }),
    ...differs,
  })

const anUnkeyedAction = ({ url }: Pick<ActionServer, 'url'>) =>
  httpAction({
    name: 'crear_acuerdo',
    version: '1',
    description: 'Crea un plan de pagos.',
    input,
    reversibility: 'observed',
    method: 'POST',
    url: `${url}/plans`,
    allowPrivate: true,
    preview: () => ({ summary: 'Plan', fields: [] }),
  })

const aServer = async () => {
  const server = await startActionServer()
  onTestFinished(() => server[Symbol.asyncDispose]())
  return server
}

const failureOf = async (running: Promise<unknown>): Promise<ActionError> => {
  const error: unknown = await running.then(
    () => 'it went well',
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ActionError)
  return error as ActionError
}

describe('httpAction', () => {
  it('sends the arguments with the key, and hands the answer to the agent', async () => {
    const server = await aServer()
    expect(await anAction(server).execute(args, aCall())).toEqual({ result: '{"id":1,"success":true}' })
    expect(server.arrived).toMatchObject([
      {
        method: 'POST',
        path: '/clients/42/plans',
        headers: { 'idempotency-key': 'key-1', 'content-type': 'application/json' },
        body: '{"cliente":"42","cuotas":3}',
      },
    ])
  })

  it('does the work once when the same call is made again', async () => {
    const server = await aServer()
    server.next({ kind: 'lost' })
    const action = anAction(server)
    expect(await failureOf(action.execute(args, aCall()))).toMatchObject({ permanent: false, mayHaveHappened: true })
    expect(await action.execute(args, aCall({ attempt: 2 }))).toEqual({ result: '{"id":1,"success":true}' })
    expect(server.effects).toHaveLength(1)
  })

  it('percent-encodes what it puts into an address', async () => {
    const server = await aServer()
    await anAction(server).execute({ cliente: 'a/b?c#d é', cuotas: 1 }, aCall())
    expect(server.arrived[0]?.path).toBe('/clients/a%2Fb%3Fc%23d%20%C3%A9/plans')
  })

  it.each(['..', '.', ''])('refuses the value %j, which would call another address', async (cliente) => {
    const server = await aServer()
    const error = await failureOf(anAction(server).execute({ cliente, cuotas: 1 }, aCall()))
    expect(error).toMatchObject({ permanent: true, mayHaveHappened: false })
    expect(server.arrived).toEqual([])
  })

  it('sends a secret from the environment, and nothing at all when it is missing', async () => {
    const server = await aServer()
    const action = anAction(server, { headers: { Authorization: env('TEST_CRM_TOKEN', 'Bearer ') } })
    expect(action.needs).toEqual(['TEST_CRM_TOKEN'])
    expect(await failureOf(action.execute(args, aCall()))).toMatchObject({
      mayHaveHappened: false,
      message: expect.stringContaining('TEST_CRM_TOKEN is not set'),
    })
    process.env.TEST_CRM_TOKEN = 'abc'
    onTestFinished(() => void delete process.env.TEST_CRM_TOKEN)
    await action.execute(args, aCall())
    expect(server.arrived.map(({ headers }) => headers.authorization)).toEqual(['Bearer abc'])
  })

  it('counts an answer that says no as refused, where that is declared', async () => {
    const server = await aServer()
    server.next({ kind: 'status', status: 200, body: '{"success":false}' })
    const action = anAction(server, { okWhen: ({ body }) => (body as { success?: boolean }).success === true })
    expect(await failureOf(action.execute(args, aCall()))).toMatchObject({ permanent: true, mayHaveHappened: false })
    expect(await action.execute(args, aCall())).toEqual({ result: '{"id":1,"success":true}' })
  })

  it('tells what its definition makes of the answer', async () => {
    const server = await aServer()
    const action = anAction(server, {
      told: ({ body }, { cuotas }) => ({ message: `Plan ${(body as { id: number }).id} en ${cuotas} cuotas` }),
    })
    expect(await action.execute(args, aCall())).toEqual({ message: 'Plan 1 en 3 cuotas' })
  })

  it('is never made twice without a key header', () => {
    expect(anUnkeyedAction({ url: 'https://crm.example' })).toMatchObject({ idempotency: 'none', keyValidForMs: 0 })
  })

  it('refuses a definition with every problem of its addresses', () => {
    const make = () =>
      anAction({ url: 'http://crm.example/{nada}' }, { allowPrivate: false, lookUp: { url: 'https://{cliente}.example/x' } })
    expect(make).toThrow(ConfigError)
    expect(make).toThrow(
      [
        'crear_acuerdo.url: {nada} is not a field of input',
        'crear_acuerdo.url: http:// sends secrets in the clear: use https://, or name the host in allowPrivate',
        'crear_acuerdo.lookUp.url: has a place in its host',
      ].join('\n'),
    )
  })

  it.each(['https://user:secret@crm.example/', 'ftp://crm.example/', 'https://crm.example/{+cliente}', 'not an address'])(
    'refuses the address %s',
    (url) => {
      expect(() => anAction({ url: 'https://crm.example' }, { url })).toThrow(ConfigError)
    },
  )
})

const status = (code: number, headers?: Record<string, string>): Behaviour => ({
  kind: 'status',
  status: code,
  ...(headers && { headers }),
})

describe('what went wrong is read as what it proves', () => {
  it.each<[string, Behaviour, { permanent: boolean; mayHaveHappened: boolean }]>([
    ['400 is a refusal', status(400), { permanent: true, mayHaveHappened: false }],
    ['401 is a refusal', status(401), { permanent: true, mayHaveHappened: false }],
    ['404 is a refusal', status(404), { permanent: true, mayHaveHappened: false }],
    ['409 with a key is a call under way', status(409), { permanent: false, mayHaveHappened: true }],
    ['422 is a refusal for good', status(422), { permanent: true, mayHaveHappened: false }],
    ['408 proves nothing', status(408), { permanent: false, mayHaveHappened: true }],
    ['425 was not worked on', status(425), { permanent: false, mayHaveHappened: false }],
    ['429 was not worked on', status(429), { permanent: false, mayHaveHappened: false }],
    ['500 proves nothing', status(500), { permanent: false, mayHaveHappened: true }],
    ['503 proves nothing', status(503), { permanent: false, mayHaveHappened: true }],
    ['303 proves nothing', status(303, { location: 'http://127.0.0.1:1/' }), { permanent: true, mayHaveHappened: true }],
    ['a reset proves nothing', { kind: 'reset' }, { permanent: false, mayHaveHappened: true }],
    ['half an answer proves nothing', { kind: 'half' }, { permanent: false, mayHaveHappened: true }],
  ])('%s', async (_, behaviour, proves) => {
    const server = await aServer()
    server.next(behaviour)
    expect(await failureOf(anAction(server).execute(args, aCall()))).toMatchObject({ action: 'crear_acuerdo', ...proves })
    expect(server.arrived).toHaveLength(1)
  })

  it.each([400, 404, 422, 425, 429])('%i proves nothing on a later attempt', async (code) => {
    const server = await aServer()
    server.next(status(code))
    expect((await failureOf(anAction(server).execute(args, aCall({ attempt: 2 })))).mayHaveHappened).toBe(true)
  })

  it('409 without a key is a refusal', async () => {
    const server = await aServer()
    server.next(status(409))
    expect(await failureOf(anUnkeyedAction(server).execute(args, aCall()))).toMatchObject({
      permanent: true,
      mayHaveHappened: false,
    })
  })

  it('a hang ends at the timeout and proves nothing', async () => {
    const server = await aServer()
    server.next({ kind: 'hang' })
    const error = await failureOf(anAction(server, { timeoutMs: 100 }).execute(args, aCall()))
    expect(error).toMatchObject({
      permanent: false,
      mayHaveHappened: true,
      message: expect.stringContaining('no answer in time'),
    })
  })

  it('a refused connection proves that nothing left', async () => {
    const server = await aServer()
    await server[Symbol.asyncDispose]()
    expect(await failureOf(anAction(server).execute(args, aCall()))).toMatchObject({ permanent: false, mayHaveHappened: false })
  })

  it('a name that does not resolve proves that nothing left', async () => {
    const error = await failureOf(anAction({ url: 'https://nowhere.invalid' }).execute(args, aCall()))
    expect(error).toMatchObject({ permanent: false, mayHaveHappened: false })
  })

  it('a call that was given up before it began proves that nothing left', async () => {
    const server = await aServer()
    expect(await failureOf(anAction(server).execute(args, aCall({ signal: AbortSignal.abort() })))).toMatchObject({
      mayHaveHappened: false,
    })
    expect(server.arrived).toEqual([])
  })

  it('a failed handshake proves that nothing left', async () => {
    const server = await aServer()
    const error = await failureOf(anAction({ url: server.url.replace('http:', 'https:') }).execute(args, aCall()))
    expect(error.mayHaveHappened).toBe(false)
    expect(server.arrived).toEqual([])
  })

  it('an answer too large to read is a success by its status, and in doubt where its body decides', async () => {
    const server = await aServer()
    const large: Behaviour = { kind: 'status', status: 200, body: 'x'.repeat(300_000) }
    server.next(large, large)
    expect(await anAction(server).execute(args, aCall())).toEqual({})
    expect(await failureOf(anAction(server, { okWhen: () => true }).execute(args, aCall()))).toMatchObject({
      mayHaveHappened: true,
    })
  })
})

describe('a look-up by key', () => {
  it('finds the effect of a call whose answer was lost', async () => {
    const server = await aServer()
    server.next({ kind: 'lost' })
    const action = anAction(server)
    await failureOf(action.execute(args, aCall()))
    expect(await action.lookUp?.(args, aCall())).toEqual({ kind: 'found', result: { result: '{"id":1,"success":true}' } })
    expect(server.arrived[1]).toMatchObject({ method: 'GET', path: '/plans/by-key/key-1', body: '' })
  })

  it.each<[string, Behaviour | undefined, string]>([
    ['is absent where nothing was done', undefined, 'absent'],
    ['is unknown when the server fails', status(500), 'unknown'],
    ['is unknown without permission', status(403), 'unknown'],
    ['is unknown when the connection is lost', { kind: 'reset' }, 'unknown'],
  ])('%s', async (_, behaviour, kind) => {
    const server = await aServer()
    if (behaviour) server.next(behaviour)
    expect(await anAction(server).lookUp?.(args, aCall())).toEqual({ kind })
  })
})
