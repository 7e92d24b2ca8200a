import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { type SSEStreamingApi, streamSSE } from 'hono/streaming'
import { isSettled } from '../core/proposal.ts'
import { proposalEventOf } from '../core/proposal-event.ts'
import type { House } from '../gateway/house.ts'
import { outcomeInFull } from '../gateway/outcome-of.ts'
import type { Api, ApiEnv } from './endpoint.ts'
import { notFound, problem, problemResponse } from './problem.ts'
import * as schemas from './schemas.ts'
import { Waits } from './waits.ts'

const lookEveryMs = 500
const beatEveryMs = 15_000
/** Whoever listens longer connects again, and hears first how it stands. */
const longestMs = 10 * 60_000
/** So many of one key listen at one time, in each process. */
const listenersAllowed = 50

const refused = { description: 'Refused (RFC 9457).', content: { 'application/problem+json': { schema: schemas.problemShape } } }

/** Writes the stream into the document. */
export function describeStream(api: Api): void {
  api.openAPIRegistry.registerPath({
    method: 'get',
    path: '/v1/proposals/{id}/events',
    operationId: 'streamProposal',
    summary: 'What happens to a proposal as server-sent events, until its end; each carries the outcome as it stands then.',
    description: 'Needs a key with the scope `read`.',
    security: [{ key: [] }],
    request: { params: z.strictObject({ id: schemas.id }) },
    responses: {
      200: { description: 'Events.', content: { 'text/event-stream': { schema: z.string() } } },
      ...Object.fromEntries([400, 401, 403, 404, 429, 500, 503].map((status) => [status, refused])),
    },
  })
}

/** What happens to one proposal, as server-sent events, until its end: each with the proposal as it stands then. */
export function streamEndpoint(api: Api, house: House): void {
  const listeners = new Waits(listenersAllowed)
  api.get('/v1/proposals/:id/events', async (c) => {
    const id = schemas.id.safeParse(c.req.param('id'))
    if (!c.var.key.scopes.includes('read'))
      return problemResponse(c, problem(403, 'scope_missing', 'This key has not the scope read.'))
    const first = id.success ? await outcomeInFull(house, id.data) : undefined
    house.count('api_request', { endpoint: 'streamProposal', result: first === undefined ? 'not_found' : 'ok' })
    if (first === undefined) return problemResponse(c, notFound)
    const end = listeners.begin(c.var.key.id)
    if (end === undefined)
      return problemResponse(c, problem(429, 'too_many_waits', `Already ${listenersAllowed} requests of this key listen.`))
    return stream(c, house, first.id, end)
  })
}

const stream = (c: Context<ApiEnv>, house: House, id: string, end: () => void): Response =>
  streamSSE(c, async (out) => {
    try {
      await tell(out, house, id)
    } catch (error) {
      // The answer has begun: all that is left is to end it, and whoever listens connects again.
      house.log.warn({ proposal: id, err: error }, 'stream_broken')
    } finally {
      end()
    }
  })

async function tell(out: SSEStreamingApi, house: House, id: string): Promise<void> {
  const began = performance.now()
  let told = 0
  let beat = began
  while (!out.aborted && performance.now() - began < longestMs) {
    const history = await house.store.history(id)
    for (const { from, to } of history.slice(told)) {
      const event = from === to ? undefined : proposalEventOf(from, to)
      if (event !== undefined) await out.writeSSE({ event, data: JSON.stringify(await outcomeInFull(house, id)) })
    }
    told = history.length
    const last = history.at(-1)
    if (last !== undefined && isSettled({ name: last.to } as Parameters<typeof isSettled>[0])) return
    if (performance.now() - beat > beatEveryMs) {
      await out.write(': still here\n\n')
      beat = performance.now()
    }
    await out.sleep(lookEveryMs)
  }
}
