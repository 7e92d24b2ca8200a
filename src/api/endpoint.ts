import { createRoute, type OpenAPIHono, type z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { House } from '../gateway/house.ts'
import type { ApiKey, KeyScope } from '../ports/api-keys.ts'
import { type Answer, once, readIdempotencyKey } from './idempotency.ts'
import { problem, problemResponse } from './problem.ts'
import { problemShape } from './schemas.ts'

/** What each request has once its key was read. */
export interface ApiEnv {
  Variables: { key: ApiKey }
}

/** The API while its addresses are put into it. */
export type Api = OpenAPIHono<ApiEnv>

type Read<S> = S extends z.ZodType ? z.output<S> : undefined

/** One address: what it takes, what it answers, and which scope its key needs. */
export interface Endpoint<P, Q, B> {
  readonly method: 'get' | 'post' | 'delete'
  readonly path: string
  /** The name in the document, in generated clients and in metrics. */
  readonly called: string
  readonly summary: string
  readonly scope: KeyScope
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  readonly answers: Readonly<Partial<Record<200 | 201 | 202, z.ZodType>> & { readonly 204?: undefined | 'empty' }>
  readonly refuses: readonly (400 | 404 | 409 | 422 | 503)[]
}

/** What a handler is given, checked. `proposalId` is the id that a proposal made by this request has. */
export interface Given<P, Q, B> {
  readonly params: Read<P>
  readonly query: Read<Q>
  readonly body: Read<B>
  readonly key: ApiKey
  readonly proposalId: string
  readonly signal: AbortSignal
}

/** Serves an address and writes it into the document: both from the same definition. */
export function endpoint<P extends z.ZodObject | undefined, Q extends z.ZodObject | undefined, B extends z.ZodType | undefined>(
  api: Api,
  house: House,
  about: Endpoint<P, Q, B>,
  handle: (given: Given<P, Q, B>) => Promise<Answer>,
): void {
  const { method, path, called, summary, scope, params, query, body } = about
  const route = createRoute({
    method,
    path,
    operationId: called,
    summary,
    description: `Needs a key with the scope \`${scope}\`.`,
    security: [{ key: [] }],
    request: {
      ...(params === undefined ? {} : { params }),
      ...(query === undefined ? {} : { query }),
      ...(body === undefined ? {} : { body: { required: true, content: { 'application/json': { schema: body } } } }),
    },
    ...(method === 'post' ? { parameters: [idempotencyKey] } : {}),
    responses: responsesOf(about),
    middleware: [scoped(scope)],
  } as Parameters<typeof createRoute>[0])
  api.openapi(route, (async (c: Context<ApiEnv>) => {
    const read = (target: 'param' | 'query' | 'json') => c.req.valid(target as never) as unknown
    const work = (proposalId: string) =>
      handle({
        params: (params && read('param')) as Read<P>,
        query: (query && read('query')) as Read<Q>,
        body: (body && read('json')) as Read<B>,
        key: c.var.key,
        proposalId,
        signal: c.req.raw.signal,
      })
    const answer = method === 'post' ? await answerOnce(c, house, work) : await work(house.mint.ulid())
    return respond(c, house, called, answer)
  }) as never)
}

async function answerOnce(c: Context<ApiEnv>, house: House, work: (proposalId: string) => Promise<Answer>) {
  const name = readIdempotencyKey(c.req.header('idempotency-key'))
  if (name === undefined) return await work(house.mint.ulid())
  if (typeof name !== 'string') return name
  const request = { key: c.var.key.id, name, method: c.req.method, path: c.req.path, body: await c.req.text() }
  return await once(house, request, work)
}

function respond(c: Context<ApiEnv>, house: House, called: string, answer: Answer & { readonly replayed?: true }): Response {
  house.count('api_request', { endpoint: called, result: answer.kind === 'problem' ? answer.code : 'ok' })
  if (answer.replayed) c.header('idempotency-replayed', 'true')
  if (answer.kind === 'problem') return problemResponse(c, answer)
  return answer.kind === 'empty' ? c.body(null, 204) : c.json(answer.body as never, answer.status)
}

const scoped = (scope: KeyScope) => async (c: Context<ApiEnv>, next: () => Promise<void>) => {
  if (c.var.key.scopes.includes(scope)) return await next()
  return problemResponse(c, problem(403, 'scope_missing', `This key has not the scope ${scope}.`))
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same request sent again under the same key within 24 hours is done once.',
  schema: { type: 'string', minLength: 1, maxLength: 257 },
}

function responsesOf({ answers, refuses, method }: Pick<Endpoint<unknown, unknown, unknown>, 'answers' | 'refuses' | 'method'>) {
  const problems = [
    ...new Set([400, 401, 403, 413, 429, 500, 503, ...refuses, ...(method === 'post' ? [409, 422] : [])]),
  ].toSorted((a, b) => a - b)
  return {
    ...Object.fromEntries(
      Object.entries(answers).map(([status, schema]) => [
        status,
        typeof schema === 'object'
          ? { description: 'Done.', content: { 'application/json': { schema } } }
          : { description: 'Done; nothing more to say.' },
      ]),
    ),
    ...Object.fromEntries(
      problems.map((status) => [
        status,
        { description: 'Refused (RFC 9457).', content: { 'application/problem+json': { schema: problemShape } } },
      ]),
    ),
  }
}
