import { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { HTTPException } from 'hono/http-exception'
import { StoreAwayError } from '../core/errors.ts'
import type { House } from '../gateway/house.ts'
import { serveEndpoints, writeDocument } from './document.ts'
import type { Api, ApiEnv } from './endpoint.ts'
import { keyOf } from './key.ts'
import { notFound, type ProblemPart, problem, problemResponse } from './problem.ts'
import { streamEndpoint } from './stream.ts'

const maxBodyBytes = 128 * 1024
const windowMs = 60_000

/** What of the API is configured. */
export interface ApiSettings {
  readonly version: string
  /** Of each key, on all gateways together. */
  readonly requestsPerMinute: number
}

/**
 * The HTTP API of other programs, under `/v1`. Every answer is JSON, every refusal an RFC 9457 document; whatever is sent, nothing here
 * decides: there is no address for it, no key may, and a field that is not known is refused.
 */
export function apiApp(house: House, { version, requestsPerMinute }: ApiSettings): Api {
  const api: Api = new OpenAPIHono<ApiEnv>({
    defaultHook: (result, c) => {
      if (result.success) return undefined
      const errors = result.error.issues.flatMap((issue) => partsOf(issue, result.target))
      return problemResponse(c, problem(400, 'invalid_request', 'The request is not as it should be.', { errors }))
    },
  })
  api.use('/v1/*', bodyLimit({ maxSize: maxBodyBytes, onError: (c) => problemResponse(c, tooLarge) }))
  api.get('/v1/openapi.json', (c) => c.json(writeDocument(api, version)))
  api.use('/v1/*', async (c, next) => {
    const key = await keyOf(house.store, house.tenant, c.req.header('authorization'))
    if (key === undefined) return problemResponse(c, noKey)
    const { count, endsInMs } = await house.store.countRequest(key.id, windowMs)
    const seconds = Math.max(1, Math.ceil(endsInMs / 1000))
    // https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
    c.header('ratelimit-policy', `"key";q=${requestsPerMinute};w=${windowMs / 1000}`)
    c.header('ratelimit', `"key";r=${Math.max(0, requestsPerMinute - count)};t=${seconds}`)
    if (count > requestsPerMinute) {
      house.count('api_limited')
      return problemResponse(
        c,
        problem(429, 'too_many_requests', 'This key asks too often.', { headers: { 'retry-after': String(seconds) } }),
      )
    }
    c.set('key', key)
    return await next()
  })
  serveEndpoints(api, house)
  streamEndpoint(api, house)
  api.notFound((c) => problemResponse(c, notFound))
  api.onError((error, c) => problemResponse(c, told(error, c, house)))
  return api
}

const tooLarge = problem(413, 'too_large', `A request has at most ${maxBodyBytes / 1024} KB.`)

const noKey = problem(401, 'no_key', 'A key that holds is needed: Authorization: Bearer dale_…', {
  headers: { 'www-authenticate': 'Bearer realm="dale"' },
})

function told(error: Error, c: Context, house: House) {
  if (error instanceof HTTPException && error.status < 500)
    return problem(400, 'invalid_request', 'The request is not as it should be.', { detail: error.message })
  house.log.error({ what: c.req.routePath, err: error }, 'request_failed')
  return error instanceof StoreAwayError
    ? problem(503, 'store_away', 'The database does not answer; ask again.', { headers: { 'retry-after': '1' } })
    : problem(500, 'failed', 'This went wrong on our side.')
}

interface Issue {
  readonly code?: string
  readonly path: readonly PropertyKey[]
  readonly message: string
  readonly keys?: readonly string[]
}

function partsOf(issue: unknown, target: string): readonly ProblemPart[] {
  const { path, message, keys } = issue as Issue
  const at = (more: readonly PropertyKey[]) =>
    target === 'json'
      ? more.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
      : more.map(String).join('.')
  const where = target === 'json' ? 'body' : target === 'param' ? 'path' : target === 'query' ? 'query' : 'header'
  return keys === undefined
    ? [{ in: where, at: at(path), detail: message }]
    : keys.map((key) => ({ in: where, at: at([...path, key]), detail: 'is not known here' }))
}
