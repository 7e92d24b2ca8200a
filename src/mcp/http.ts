import { createMcpHandler } from '@modelcontextprotocol/server'
import { Hono } from 'hono'
import { keyOf } from '../api/key.ts'
import { proposerOf } from '../api/proposals.ts'
import type { House } from '../gateway/house.ts'
import { deskOf } from './desk.ts'
import { daleServer } from './server.ts'

const maxBodyBytes = 128 * 1024
const windowMs = 60_000

/**
 * `/mcp`, streamable HTTP without sessions: each request carries a key of `dale keys`, whose scopes say which tools there are. What a key
 * proposes here it may withdraw over the HTTP API too. Pages of browsers are not answered: no key belongs into one.
 */
export function mcpApp(
  house: House,
  { version, requestsPerMinute }: { readonly version: string; readonly requestsPerMinute: number },
): Hono {
  const desk = deskOf(house)
  return new Hono().all('/mcp', async (c) => {
    if (c.req.header('origin') !== undefined) return c.json(errorOf('no pages of browsers'), 403)
    const key = await keyOf(house.store, house.tenant, c.req.header('authorization'))
    if (key === undefined)
      return c.json(errorOf('a key that holds is needed'), 401, { 'www-authenticate': 'Bearer realm="dale"' })
    const { count, endsInMs } = await house.store.countRequest(key.id, windowMs)
    if (count > requestsPerMinute)
      return c.json(errorOf('this key asks too often'), 429, { 'retry-after': String(Math.max(1, Math.ceil(endsInMs / 1000))) })
    const user = { by: proposerOf(key), mayPropose: key.scopes.includes('propose'), mayRead: key.scopes.includes('read') }
    const handler = createMcpHandler(() => daleServer(desk, user, version), {
      maxRequestBodySize: maxBodyBytes,
      onerror: (error) => house.log.warn({ err: error }, 'mcp_request_failed'),
    })
    return await handler.fetch(c.req.raw)
  })
}

const errorOf = (message: string) => ({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null })
