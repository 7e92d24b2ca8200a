import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import { isSettled } from '../core/proposal.ts'
import { proposalEventOf } from '../core/proposal-event.ts'
import type { House } from '../gateway/house.ts'
import { outcomeInFull } from '../gateway/outcome-of.ts'
import type { Api, ApiEnv } from './endpoint.ts'
import { notFound, problem, problemResponse } from './problem.ts'
import * as schemas from './schemas.ts'

const lookEveryMs = 500
const beatEveryMs = 15_000
/** Whoever listens longer connects again, and hears first how it stands. */
const longestMs = 10 * 60_000

/** What happens to one proposal, as server-sent events, until its end: each with the proposal as it stands then. */
export function streamEndpoint(api: Api, house: House): void {
  api.get('/v1/proposals/:id/events', async (c) => {
    const id = schemas.id.safeParse(c.req.param('id'))
    if (!c.var.key.scopes.includes('read'))
      return problemResponse(c, problem(403, 'scope_missing', 'This key has not the scope read.'))
    const first = id.success ? await outcomeInFull(house, id.data) : undefined
    house.count('api_request', { endpoint: 'streamProposal', result: first === undefined ? 'not_found' : 'ok' })
    return first === undefined ? problemResponse(c, notFound) : stream(c, house, first.id)
  })
}

const stream = (c: Context<ApiEnv>, house: House, id: string): Response =>
  streamSSE(c, async (out) => {
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
  })
