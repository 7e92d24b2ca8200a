import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openApiDocument } from '../../src/api/document.ts'
import { anApi, forAna, type Got, type Program } from '../support/api.ts'
import { aPhonesHouse } from '../support/house-phones.ts'
import { anId, aProposal } from '../support/proposals.ts'

const runs = Number(process.env.DALE_API_RUNS ?? 300)
const sentinel = 'ANOTHER-TENANTS-SECRET'

/** As much of JSON Schema as the document uses. */
interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minimum?: number
  readonly maximum?: number
}
interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: Schema
}
interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly body?: Schema
}

const described = JSON.parse(JSON.stringify(openApiDocument('0.0.0')))
const operations: readonly Operation[] = Object.entries(described.paths).flatMap(([path, methods]) =>
  // A stream ends with its proposal.
  Object.entries(methods as object)
    .filter(([, operation]) => operation.responses[200]?.content?.['text/event-stream'] === undefined)
    .map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      parameters: operation.parameters ?? [],
      body: operation.requestBody?.content['application/json'].schema,
    })),
)

const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    '',
    '\u0000',
    '\ud800',
    "' or 1=1 --",
    '../../..',
    'sí',
    'dale',
    '%00',
    '__proto__',
    'constructor',
    'x'.repeat(5000),
    '🤝',
    '-1',
    '1e999',
    'NaN',
  ),
)
const anything = fc.oneof({ depthSize: 'small' }, fc.jsonValue({ maxDepth: 4 }), nasty, fc.constantFrom(null, true, 0, -1, 1e308))

/** Values that a schema takes, and now and then others. */
function arbitraryOf(schema: Schema, known: readonly string[]): fc.Arbitrary<unknown> {
  const right = ((): fc.Arbitrary<unknown> => {
    if (schema.$ref !== undefined) return arbitraryOf(described.components.schemas[schema.$ref.split('/').at(-1) ?? ''], known)
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
    if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((one) => arbitraryOf(one, known)))
    switch (schema.type) {
      case 'integer':
      case 'number':
        return fc.integer({ min: (schema.minimum ?? 0) - 1, max: Math.min(schema.maximum ?? 100, 100) + 1 })
      case 'boolean':
        return fc.boolean()
      case 'array':
        return fc.array(arbitraryOf(schema.items ?? {}, known), { maxLength: 4 })
      case 'object':
        return schema.properties === undefined
          ? fc.oneof(
              fc.record({ cajas: fc.integer({ min: 1, max: 9 }) }),
              fc.dictionary(fc.oneof(fc.constantFrom('cajas', 'confirmed'), nasty), anything, { maxKeys: 4 }),
            )
          : fc.record(
              Object.fromEntries(Object.entries(schema.properties).map(([name, one]) => [name, arbitraryOf(one, known)])),
              {
                requiredKeys: [...(schema.required ?? [])],
              },
            )
      case 'string':
        return fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: nasty })
      default:
        return anything
    }
  })()
  return fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: anything })
}

const header = fc.oneof(fc.string({ unit: 'grapheme-ascii', maxLength: 30 }), fc.constantFrom('"a"', 'a', '', 'sí', '"', '*/*'))

/** A request to an operation, whatever is in it. */
const requestTo = (operation: Operation, known: readonly string[]) =>
  fc.record({
    operation: fc.constant(operation),
    values: fc.tuple(
      ...operation.parameters.map(({ schema, required }) =>
        fc.option(arbitraryOf(schema, known), { freq: required ? 20 : 2, nil: undefined }),
      ),
    ),
    extra: fc.option(nasty, { freq: 8, nil: undefined }),
    body: fc.oneof(
      { weight: 8, arbitrary: operation.body === undefined ? fc.constant({}) : arbitraryOf(operation.body, known) },
      { weight: 1, arbitrary: anything },
    ),
    raw: fc.option(fc.oneof(nasty, fc.constantFrom('{', '[]', '{"args":{"cajas":1e999}}', '{"args":{"__proto__":{"a":1}}}')), {
      freq: 12,
      nil: undefined,
    }),
    key: fc.option(header, { freq: 3, nil: undefined }),
    type: fc.oneof({ weight: 8, arbitrary: fc.constant('application/json') }, { weight: 1, arbitrary: header }),
  })

type Drawn = ReturnType<typeof requestTo> extends fc.Arbitrary<infer T> ? T : never

async function sent(program: Program, { operation, values, extra, body, raw, key, type }: Drawn): Promise<Got> {
  const given = operation.parameters.map((parameter, place) => ({ ...parameter, value: values[place] }))
  const encoded = (value: unknown): string => {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
    return encodeURIComponent(text.toWellFormed())
  }
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encoded(given.find((one) => one.in === 'path' && one.name === name)?.value ?? ''),
  )
  const query = given
    .filter((one) => one.in === 'query' && one.value !== undefined)
    .map(({ name, value }) => `${name}=${encoded(value)}`)
  if (extra !== undefined) query.push(`${encoded(extra)}=1`)
  const headers: Record<string, string> = { 'content-type': printable(type) }
  if (key !== undefined) headers['idempotency-key'] = printable(key)
  return await program.send(`${path}${query.length === 0 ? '' : `?${query.join('&')}`}`, {
    method: operation.method,
    headers,
    ...(operation.method === 'GET' ? {} : { body: raw ?? JSON.stringify(body) }),
  })
}

const printable = (text: string): string => text.replace(/[^\x20-\x7e]/g, '').trim()

describe('whatever is sent to the API', () => {
  it('is answered without a failure of ours, shows nothing of another tenant, and decides nothing', async () => {
    await using test = await aPhonesHouse()
    const program = await anApi(test, 10_000_000).program()
    await test.phone('ana').says('cuánto sale')
    const { body } = await program.post('/v1/proposals', forAna)
    await test.quiet()
    const theirs = aProposal({ tenant: 'other', state: 'draft', canonicalArgs: `{"x":"${sentinel}"}` })
    await test.stage.store.commit({ create: [theirs] })
    const known = [
      body.proposalId,
      theirs.id,
      anId(),
      'registrar',
      'demo',
      'ana',
      'sim:ana',
      'all',
      'action:registrar',
      'eva',
      'supervisor',
      'evt_1',
    ]
    const request = fc.oneof(...operations.map((operation) => requestTo(operation, known)))
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(request, async (drawn) => {
        const got = await sent(program, { ...drawn, values: withoutWaits(drawn) })
        seen.add(`${String(got.status)[0]}xx`)
        expect(got.status).toBeLessThan(500)
        expect(JSON.stringify(got.body ?? '')).not.toContain(sentinel)
        if (got.status >= 400) {
          expect(got.headers.get('content-type')).toBe('application/problem+json')
          expect(got.body).toMatchObject({
            status: got.status,
            type: expect.stringMatching(/^urn:dale:problem:/),
            title: expect.any(String),
          })
        }
      }),
      { numRuns: runs },
    )
    expect(await test.stage.run('select * from dale.decision')).toEqual([])
    expect(await test.stage.run(`select state from dale.proposal where id = $1`, [theirs.id])).toEqual([{ state: 'draft' }])
    expect(test.logged.filter(({ event }) => event === 'request_failed')).toEqual([])
    // Which of them exactly is chance.
    expect([...seen].toSorted()).toEqual(['2xx', '4xx'])
  })
})

/** Nobody waits here for what does not come. */
const withoutWaits = ({ operation, values }: Drawn): Drawn['values'] =>
  operation.parameters.map(({ name }, place) =>
    name === 'wait' && Number(values[place]) > 0 ? 0 : values[place],
  ) as Drawn['values']
