import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import fc from 'fast-check'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { mcpActions } from '../../src/actions/mcp.ts'
import type { McpOptions } from '../../src/actions/mcp-options.ts'
import { toolSchemaOf } from '../../src/actions/mcp-schema.ts'
import { openSources } from '../../src/actions/open-sources.ts'
import { listen } from '../../src/console/server.ts'
import { ActionError, ConfigError } from '../../src/core/errors.ts'
import { env } from '../../src/core/secret.ts'
import type { CallContext } from '../../src/ports/action.ts'
import { anMcpServer, type ToolDefinition, textArgs } from '../support/mcp.ts'

const log = { info: () => {}, warn: () => {}, error: () => {} }
const context: CallContext = {
  proposalId: 'p',
  idempotencyKey: 'k',
  attempt: 1,
  fence: 1,
  locale: 'en',
  signal: AbortSignal.timeout(15_000),
}
const looking = { locale: 'en', conversation: { account: 'demo', chat: 'ana' }, signal: AbortSignal.timeout(15_000) }

async function problemsOf(work: () => unknown): Promise<readonly string[]> {
  try {
    await work()
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map(({ path, message }) => `${path}: ${message}`)
  }
}

const opening = (tools: readonly ToolDefinition[], options: Omit<McpOptions, 'name' | 'server'> = {}) =>
  problemsOf(async () => {
    using server = anMcpServer(tools)
    await using _opened = await openSources([], [server.actions(options)], { log })
  })

const object = (properties: object) => ({ type: 'object', properties })

describe('tools that cannot be shown', () => {
  const fine = textArgs('que')
  it.each<[string, ToolDefinition, string]>([
    [
      'a name of other characters',
      { name: 'mo ver', inputSchema: fine },
      'caja.mo?ver: its name is not letters, digits and _ - . /',
    ],
    ['an invisible name', { name: 'mover\u200b', inputSchema: fine }, 'caja.mover?: its name is not letters, digits and _ - . /'],
    ['a huge name', { name: 'a'.repeat(100), inputSchema: fine }, `caja.${'a'.repeat(64)}: its name is too long`],
    [
      'a title that turns the line around',
      { name: 'mover', title: 'safe \u202e', inputSchema: fine },
      'caja.mover: its title is too long, or holds what cannot be seen',
    ],
    [
      'a huge description',
      { name: 'mover', description: 'x'.repeat(5_000), inputSchema: fine },
      'caja.mover: its description is too long, or holds what cannot be seen',
    ],
    [
      'instructions in tags that nobody sees',
      { name: 'mover', description: `Moves${String.fromCodePoint(0xe0041)}`, inputSchema: fine },
      'caja.mover: its description is too long, or holds what cannot be seen',
    ],
    [
      'a huge definition',
      { name: 'mover', inputSchema: object({ a: { enum: Array.from({ length: 9_000 }, (_, at) => `value ${at}`) } }) },
      'caja.mover: its definition is too large',
    ],
    [
      'a schema that refers to itself',
      {
        name: 'mover',
        inputSchema: { ...object({ a: { $ref: '#/$defs/a' } }), $defs: { a: object({ a: { $ref: '#/$defs/a' } }) } },
      },
      'caja.mover: args.a.a refers to itself (#/$defs/a)',
    ],
    [
      'a schema that grows by reference',
      {
        name: 'mover',
        inputSchema: {
          ...object({ a: { $ref: '#/$defs/d0' } }),
          $defs: Object.fromEntries(
            Array.from({ length: 9 }, (_, at) => [
              `d${at}`,
              object(
                Object.fromEntries(
                  Array.from({ length: 9 }, (_, k) => [`f${k}`, at === 8 ? {} : { $ref: `#/$defs/d${at + 1}` }]),
                ),
              ),
            ]),
          ),
        },
      },
      'caja.mover: is too large to be shown on a card',
    ],
    [
      'a schema from elsewhere',
      { name: 'mover', inputSchema: object({ a: { $ref: 'https://example.com/s' } }) },
      'caja.mover: args.a refers to a schema elsewhere',
    ],
    [
      'a field that cannot be seen',
      { name: 'mover', inputSchema: object({ '\u2066a': {} }) },
      'caja.mover: args has a field whose name cannot be shown',
    ],
    [
      'fields by a pattern',
      { name: 'mover', inputSchema: { type: 'object', patternProperties: { '(a+)+$': {} } } },
      'caja.mover: args names its fields by a pattern',
    ],
  ])('are refused at start: %s', async (_, definition, problem) => {
    expect(await opening([definition])).toEqual([`actions.${problem}; put it in without if it is not needed`])
  })

  it('are left out where the operator says so', async () => {
    expect(await opening([{ name: 'mover', title: '\u202e', inputSchema: fine }], { without: ['mover'] })).toEqual([])
  })
})

describe('what does not fit together', () => {
  it.each<[string, () => unknown, readonly string[]]>([
    [
      'no server',
      () => mcpActions({ name: 'x' } as never),
      ["x.server: is { command: 'npx', args: […] }, or { url: 'https://…' }"],
    ],
    [
      'a strange name',
      () => mcpActions({ name: 'Mis-archivos', server: { command: 'x' } }),
      ['Mis-archivos.name: is small letters, digits and _, a letter first, 32 at most'],
    ],
    [
      'a read that is an action too',
      () => mcpActions({ name: 'x', server: { command: 'x' }, reads: ['a'], actions: { a: {} } }),
      ['x.actions.a: is in reads or without too, and no action then'],
    ],
    [
      'secrets in the clear',
      () => mcpActions({ name: 'x', server: { url: 'http://example.com/mcp' } }),
      ['x.server.url: http:// sends secrets in the clear: use https://, or name the host in allowPrivate'],
    ],
    [
      'credentials in the address',
      () => mcpActions({ name: 'x', server: { url: 'https://me:pass@example.com/mcp' } }),
      ['x.server.url: carries credentials: use headers with env(…)'],
    ],
  ])('is told when it is written: %s', async (_, write, problems) => {
    expect(await problemsOf(write)).toEqual(problems)
  })

  it('is told at start: tools and arguments that the server does not have', async () => {
    const tools = [{ name: 'mover', inputSchema: textArgs('que') }]
    expect(
      await opening(tools, {
        reads: ['leer'],
        actions: { borrar: {}, mover: { keyField: 'clave', labels: { quien: 'Quién' } } },
      }),
    ).toEqual([
      'actions.caja.reads: the server has no tool leer',
      'actions.caja.actions: the server has no tool borrar',
      'actions.caja.mover: has no argument quien, clave; put it in without if it is not needed',
    ])
  })

  it('is told at start: a server that is not there, with what it said', async () => {
    const nowhere = mcpActions({ name: 'caja', server: { command: '/no/such/program' } })
    expect(await problemsOf(() => openSources([], [nowhere], { log }))).toEqual([
      expect.stringMatching(/^actions\.caja: the MCP server cannot be reached: .*ENOENT/),
    ])
    const broken = mcpActions({
      name: 'caja',
      server: { command: process.execPath, args: ['-e', 'console.error("no licence"); process.exit(1)'] },
    })
    expect(await problemsOf(() => openSources([], [broken], { log }))).toEqual([
      expect.stringMatching(/^actions\.caja: the MCP server cannot be reached: .*it said: no licence/s),
    ])
  })

  it('is told at start: two actions of one name', async () => {
    using server = anMcpServer([{ name: 'mover', inputSchema: textArgs('que') }])
    const [one, two] = [server.actions(), server.actions()]
    expect(await problemsOf(() => openSources([], [one, { ...two, source: 'otra' }], { log }))).toEqual([
      'actions.otra: there is another action caja_mover',
    ])
  })
})

async function opened(tools: readonly ToolDefinition[], options: Omit<McpOptions, 'name' | 'server'> = {}) {
  const server = anMcpServer(tools)
  const from = await openSources([], [server.actions(options)], { log })
  return {
    server,
    action: (name: string) => from.actions.get(`caja_${name}`) ?? expect.fail(`There is no action ${name}`),
    async [Symbol.asyncDispose]() {
      await from[Symbol.asyncDispose]()
      server[Symbol.dispose]()
    },
  }
}

describe('the card of a tool', () => {
  it('has every argument, those that the operator names first, under the schema’s titles or the operator’s', async () => {
    const inputSchema = {
      type: 'object',
      properties: {
        note: { type: 'string', title: 'Note' },
        amount: { type: 'number' },
        to: { type: 'string' },
        tags: { type: 'array', items: { type: 'string' } },
        urgent: { type: 'boolean', default: false },
      },
      required: ['amount', 'to'],
    }
    await using test = await opened([{ name: 'pay', title: 'Pay', inputSchema }], {
      actions: { pay: { fields: ['to', 'amount'], labels: { to: 'A quién' }, summary: ({ to }) => `Pagar a ${String(to)}` } },
    })
    const pay = test.action('pay')
    const parsed = pay.parse({ note: 'x', amount: 3.5, to: 'ana', tags: ['a', 'b'] })
    if (!parsed.ok) throw new Error(parsed.problems.join())
    expect(await pay.preview(parsed.args, looking)).toEqual({
      kind: 'ready',
      summary: 'Pagar a ana',
      fields: [
        { key: 'to', label: 'A quién', value: { kind: 'text', text: 'ana' } },
        { key: 'amount', label: 'amount', value: { kind: 'number', number: 3.5 } },
        { key: 'note', label: 'Note', value: { kind: 'text', text: 'x' } },
        { key: 'tags', label: 'tags', value: { kind: 'text', text: '["a","b"]' } },
        { key: 'urgent', label: 'urgent', value: { kind: 'text', text: 'false' } },
      ],
    })
  })

  it('is for no argument that it could not show whole', async () => {
    await using test = await opened([{ name: 'mover', inputSchema: textArgs('que') }])
    expect(test.action('mover').parse({ que: 'x'.repeat(5_000) })).toEqual({
      ok: false,
      problems: ['args.que: is longer than the 4000 characters that a card shows'],
    })
  })

  it('is stricter by what a tool says of itself, and never milder', async () => {
    const tool = (name: string, annotations: Readonly<Record<string, boolean>>) => ({
      name,
      annotations,
      inputSchema: textArgs('que'),
    })
    await using test = await opened(
      [
        tool('a', { destructiveHint: true }),
        tool('b', { readOnlyHint: true }),
        tool('c', { destructiveHint: false }),
        tool('d', {}),
      ],
      { actions: { a: { reversibility: 'reversible' }, d: { reversibility: 'reversible' } } },
    )
    expect(['a', 'b', 'c', 'd'].map((name) => test.action(name).reversibility)).toEqual([
      'observed',
      'observed',
      'observed',
      'reversible',
    ])
  })

  it('fills in the idempotency key where the server keeps one, and only then may a call be made again', async () => {
    await using test = await opened([{ name: 'mover', inputSchema: textArgs('que', 'clave') }], {
      actions: { mover: { keyField: 'clave' } },
    })
    const mover = test.action('mover')
    expect(mover.idempotency).toBe('key')
    expect(mover.parse({ que: 'x', clave: 'mine' })).toMatchObject({ ok: false })
    expect(await mover.execute({ que: 'x' }, context)).toEqual({ result: 'done mover' })
    expect(test.server.calls()).toEqual([{ name: 'mover', args: { que: 'x', clave: 'k' } }])
  })

  it('keeps two thousand characters of a result', async () => {
    await using test = await aWebServer({ answer: () => 'x'.repeat(10_000) })
    await using from = await openSources([], [web(test.url)], { log })
    const { result = '' } = (await from.actions.get('web_mover')?.execute({ que: 'x' }, context)) ?? {}
    expect([result.length, result.at(-1)]).toEqual([2_000, '…'])
  })
})

/** A server over streamable HTTP; what it is asked with is kept. */
async function aWebServer({ answer = () => 'done' }: { readonly answer?: () => string } = {}) {
  const tokens: (string | undefined)[] = []
  const handler = createMcpHandler(() => {
    const server = new Server({ name: 'web', version: '1' }, { capabilities: { tools: {} } })
    server.setRequestHandler('tools/list', async () => ({ tools: [{ name: 'mover', inputSchema: textArgs('que') as never }] }))
    server.setRequestHandler('tools/call', async () => ({ content: [{ type: 'text', text: answer() }] }))
    return server
  })
  const app = new Hono()
    .get('/moved', (c) => c.redirect('/mcp', 307))
    .post('/moved', (c) => c.redirect('http://169.254.169.254/mcp', 307))
    .all('/mcp', (c) => {
      tokens.push(c.req.header('authorization'))
      return handler.fetch(c.req.raw)
    })
  const server = await listen(app, { host: '127.0.0.1', port: 0 })
  return {
    url: `${server.url}/mcp`,
    moved: `${server.url}/moved`,
    tokens,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

const web = (url: string, differs: object = {}) =>
  mcpActions({ name: 'web', server: { url, allowPrivate: ['127.0.0.1'], ...differs } })

describe('a server over HTTP', () => {
  it('is called with the headers of the configuration, whose secrets are read each time', async () => {
    await using test = await aWebServer()
    process.env.WEB_TOKEN = 'one'
    await using from = await openSources([], [web(test.url, { headers: { authorization: env('WEB_TOKEN', 'Bearer ') } })], {
      log,
    })
    process.env.WEB_TOKEN = 'two'
    expect(await from.actions.get('web_mover')?.execute({ que: 'x' }, context)).toEqual({ result: 'done' })
    expect([test.tokens[0], test.tokens.at(-1)]).toEqual(['Bearer one', 'Bearer two'])
  })

  it.each([
    'https://127.0.0.1:9/mcp',
    'https://localhost:9/mcp',
    'https://[::1]:9/mcp',
    'https://169.254.169.254/mcp',
    'https://0x7f000001/mcp',
  ])('inside the network is not called unless it is named: %s', async (url) => {
    const source = mcpActions({ name: 'web', server: { url } })
    expect(await problemsOf(() => openSources([], [source], { log }))).toEqual([
      expect.stringContaining('not on the public internet'),
    ])
  })

  it('leads nowhere else: no redirect is followed', async () => {
    await using test = await aWebServer()
    expect(await problemsOf(() => openSources([], [web(test.moved)], { log }))).toEqual([
      expect.stringContaining('cannot be reached'),
    ])
    expect(test.tokens).toEqual([])
  })

  it('that went away before the call proves that nothing happened', async () => {
    const test = await aWebServer()
    await using from = await openSources([], [web(test.url)], { log })
    await test[Symbol.asyncDispose]()
    const error = await from.actions
      .get('web_mover')
      ?.execute({ que: 'x' }, context)
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ActionError)
    expect(error).toMatchObject({ mayHaveHappened: false })
    // On a later attempt it proves nothing: an earlier one may have gone through.
    expect(
      await from.actions
        .get('web_mover')
        ?.execute({ que: 'x' }, { ...context, attempt: 2 })
        .catch((thrown: unknown) => thrown),
    ).toMatchObject({
      mayHaveHappened: true,
    })
  })
})

describe('a schema of anybody’s', () => {
  const node = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small' },
      fc.jsonValue(),
      fc.record(
        {
          type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object', 'file'),
          items: tie('node'),
        },
        { requiredKeys: ['type'] },
      ),
      fc.record(
        { type: fc.constant('object'), properties: fc.dictionary(fc.string(), tie('node')), additionalProperties: tie('node') },
        { requiredKeys: ['type'] },
      ),
      fc.record({ anyOf: fc.array(tie('node')), title: fc.string(), description: fc.string() }, { requiredKeys: [] }),
      fc.record(
        {
          $ref: fc.constantFrom('#', '#/properties/a', '#/$defs/a', '#/$defs/b'),
          allOf: fc.array(tie('node'), { maxLength: 2 }),
        },
        { requiredKeys: [] },
      ),
      fc.record({ enum: fc.array(fc.jsonValue()), pattern: fc.string(), format: fc.string() }, { requiredKeys: [] }),
    ),
  })).node

  it('is read or refused, and what is read takes no field that it does not name', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), node), node, (properties, shared) => {
        const read = toolSchemaOf({
          type: 'object',
          properties: { ...properties, a: shared },
          $defs: { a: shared, b: { $ref: '#/$defs/a' } },
        })
        if (!read.ok) return read.problem !== ''
        expect(read.schema).toMatchObject({ type: 'object', additionalProperties: false })
        expect(JSON.stringify(read.schema)).not.toMatch(/"(\$ref|allOf|oneOf|pattern|patternProperties)":/)
        let schema: z.ZodType | undefined
        try {
          schema = z.fromJSONSchema(read.schema as never)
        } catch {
          return true
        }
        return schema.safeParse({ 'no such field': 1 }).success === false
      }),
      { numRuns: Number(process.env.DALE_RUNS ?? 300) },
    )
  })
})
