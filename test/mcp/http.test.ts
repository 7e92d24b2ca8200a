import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { gatewayApp } from '../../src/console/app.ts'
import { listen } from '../../src/console/server.ts'
import { mcpApp } from '../../src/mcp/http.ts'
import { openMetrics } from '../../src/metrics.ts'
import type { KeyScope } from '../../src/ports/api-keys.ts'
import { anApi } from '../support/api.ts'
import { aPhonesHouse, type PhonesHouse } from '../support/house-phones.ts'

async function atMcp(test: PhonesHouse, requestsPerMinute = 1000) {
  const { program } = anApi(test)
  const mcp = mcpApp(test.house, { version: '1', requestsPerMinute })
  const readiness = async () => ({ ok: true, parts: {} })
  const app = gatewayApp({ log: test.house.log, readiness, metrics: openMetrics(), mcp: (request) => mcp.fetch(request) })
  const server = await listen(app, { host: '127.0.0.1', port: 0 })
  const opened: Client[] = []
  return {
    url: `${server.url}/mcp`,
    program,
    async client(scopes: readonly KeyScope[]): Promise<Client> {
      const { text } = await program(scopes)
      const client = new Client({ name: 'far', version: '1' })
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
          requestInit: { headers: { authorization: `Bearer ${text}` } },
        }),
      )
      opened.push(client)
      return client
    },
    async [Symbol.asyncDispose]() {
      for (const client of opened) await client.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

const wish = { action: 'registrar', args: { cajas: 3 }, conversation: { account: 'demo', chat: 'ana' }, requester: 'sim:ana' }

describe('/mcp, with the real client', () => {
  it('takes a proposal to its outcome, and the person alone decides', async () => {
    await using test = await aPhonesHouse()
    await test.phone('ana').says('hola')
    await using mcp = await atMcp(test)
    const client = await mcp.client(['propose', 'read'])
    const proposed = await client.callTool({ name: 'propose_action', arguments: wish })
    const { proposalId } = proposed.structuredContent as { readonly proposalId: string }
    expect(proposed.structuredContent).toMatchObject({ status: 'pending', executed: false })
    await test.phone('ana').says('dale')
    const outcome = await client.callTool({ name: 'get_outcome', arguments: { proposalId } })
    expect(outcome.structuredContent).toMatchObject({ state: 'succeeded', executed: true, origin: 'mcp' })
    expect(test.ledger.effects).toHaveLength(1)
  })

  it('has the tools that the scopes of its key are for', async () => {
    await using test = await aPhonesHouse()
    await using mcp = await atMcp(test)
    const names = async (scopes: readonly KeyScope[]) =>
      (await (await mcp.client(scopes)).listTools()).tools.map(({ name }) => name).sort()
    expect(await names(['read'])).toEqual(['get_outcome', 'list_actions'])
    expect(await names(['propose'])).toEqual(['propose_action', 'withdraw_proposal'])
    expect(await names(['halt', 'people', 'grants'])).toEqual([])
  })

  it('answers nobody without a key that holds, no page of a browser, and no key that asks too often', async () => {
    await using test = await aPhonesHouse()
    await using mcp = await atMcp(test, 1)
    const { text } = await mcp.program(['read'])
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const ask = async (headers: Readonly<Record<string, string>>) =>
      (
        await fetch(mcp.url, {
          method: 'POST',
          body,
          headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
        })
      ).status
    expect(await ask({})).toBe(401)
    expect(await ask({ authorization: 'Bearer dale_x' })).toBe(401)
    expect(await ask({ authorization: `Bearer ${text}`, origin: 'https://evil.example' })).toBe(403)
    expect([await ask({ authorization: `Bearer ${text}` }), await ask({ authorization: `Bearer ${text}` })]).toEqual([200, 429])
  })
})
