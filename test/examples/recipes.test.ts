// Each recipe asks for the same refund through the real API of a real house; a person decides it in the chat, and the recipe goes on.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { OpenAIProvider } from '@openai/agents'
import { Hono } from 'hono'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { run as runAiSdk } from '../../examples/recipes/ai-sdk.ts'
import type { Dale } from '../../examples/recipes/dale.ts'
import { run as runGraph } from '../../examples/recipes/langgraph.ts'
import workflow from '../../examples/recipes/n8n.json' with { type: 'json' }
import { run as runAgents } from '../../examples/recipes/openai-agents.ts'
import { defineAction } from '../../src/actions/define-action.ts'
import { apiApp } from '../../src/api/app.ts'
import { drawKey } from '../../src/api/key.ts'
import { listen } from '../../src/console/server.ts'
import { aPhonesHouse } from '../support/house-phones.ts'
import { someModels } from '../support/models.ts'
import { walk } from '../support/n8n.ts'
import { until } from '../support/until.ts'

vi.setConfig({ testTimeout: 60_000 })

const place = { conversation: { account: 'demo', chat: 'ana' }, requester: 'sim:ana' }

/** A house with one action, its API on loopback, and Ana's phone. */
async function aShop() {
  const refunds: unknown[] = []
  const refund = defineAction({
    name: 'refund',
    version: '1',
    description: 'Refunds an order.',
    input: z.object({ order: z.string(), amount: z.string() }),
    reversibility: 'observed',
    preview: ({ order, amount }) => ({
      summary: `Devolver el pedido ${order}`,
      fields: [{ key: 'amount', label: 'Monto', value: { kind: 'money', amount, currency: 'ARS' } }],
    }),
    execute: async (args) => {
      refunds.push(args)
      return { message: 'R-1', result: 'R-1' }
    },
  })
  const house = await aPhonesHouse({ actions: [refund] })
  const api = apiApp(house.house, { version: '1', requestsPerMinute: 1_000 })
  const server = await listen(
    new Hono().all('*', ({ req }) => api.fetch(req.raw)),
    { host: '127.0.0.1', port: 0 },
  )
  const { text: key, id, hash } = drawKey()
  await house.house.store.makeKey({ id, hash, tenant: 'default', name: 'recipe', scopes: ['propose', 'read'], by: 'test' })
  const dale: Dale = { url: server.url, key }
  const ana = house.phone('ana')
  return {
    dale,
    refunds,
    /** Says a word to the card that the recipe asked for, and gives what the recipe came to. */
    async answers<T>(word: string, running: Promise<T>): Promise<T> {
      const ended = Promise.race([running.then(() => true), until(async () => (await house.proposals()).length > 0)])
      await ended
      await house.quiet()
      expect(ana.card().text).toContain('Devolver el pedido 4512')
      expect(refunds).toEqual([])
      await ana.says(word)
      return await running
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await house[Symbol.asyncDispose]()
    },
  }
}

const done = [{ order: '4512', amount: '19.90' }]

const models = someModels()
beforeEach(() => {
  models.on(
    { userMessage: 'Refund', hasToolResult: false },
    { content: '', toolCalls: [{ name: 'refund', arguments: JSON.stringify({ order: '4512', amount: '19.90' }) }] },
  )
  // What the model says in the end is what it was told: the tool's result goes back word by word.
  models.on({ userMessage: 'Refund', hasToolResult: true }, { content: 'I was told.' })
})

/** The last thing that the model was told about its call. */
const toldToModel = (): string => JSON.stringify(models.getLastRequest()?.body)

describe('an interrupt of LangGraph', () => {
  it('becomes a card, and the graph goes on with what was done, once', async () => {
    await using shop = await aShop()
    const answer = await shop.answers('dale', runGraph(shop.dale, place, 'thread-yes', { order: '4512', amount: '19.90' }))
    expect([answer, shop.refunds]).toEqual(['Refunded: R-1.', done])
  })

  it('goes on with a refusal, and nothing is done', async () => {
    await using shop = await aShop()
    const answer = await shop.answers('no', runGraph(shop.dale, place, 'thread-no', { order: '4512', amount: '19.90' }))
    expect([answer, shop.refunds]).toEqual(['Not refunded (rejected).', []])
  })
})

describe('a tool of the OpenAI Agents SDK that needs approval', () => {
  const model = () => new OpenAIProvider({ baseURL: `${models.url}/v1`, apiKey: 'none', useResponses: false }).getModel('any')

  it('becomes a card, and the model is told what was done, once', async () => {
    await using shop = await aShop()
    expect(await shop.answers('dale', runAgents(shop.dale, place, await model(), 'Refund order 4512'))).toBe('I was told.')
    expect(shop.refunds).toEqual(done)
    expect(toldToModel()).toContain('R-1')
  })

  it('tells the model of a refusal, and nothing is done', async () => {
    await using shop = await aShop()
    await shop.answers('no', runAgents(shop.dale, place, await model(), 'Refund order 4512'))
    expect(shop.refunds).toEqual([])
    expect(toldToModel()).toContain('Not done: rejected.')
  })
})

describe('a tool of the AI SDK that asks for approval', () => {
  const model = () => createOpenAICompatible({ name: 'mock', baseURL: `${models.url}/v1` })('any')

  it('becomes a card, and the model is told what was done, once', async () => {
    await using shop = await aShop()
    expect(await shop.answers('dale', runAiSdk(shop.dale, place, model(), 'Refund order 4512'))).toBe('I was told.')
    expect(shop.refunds).toEqual(done)
    expect(toldToModel()).toContain('R-1')
  })

  it('tells the model of a refusal, and nothing is done', async () => {
    await using shop = await aShop()
    await shop.answers('no', runAiSdk(shop.dale, place, model(), 'Refund order 4512'))
    expect(shop.refunds).toEqual([])
    expect(toldToModel()).toContain('Not done: rejected.')
  })
})

describe('a workflow of n8n', () => {
  const input = { order: '4512', amount: '19.90', ...place }

  it('asks, waits, and ends with what became of it', async () => {
    await using shop = await aShop()
    const run = walk(workflow, input, { DALE_URL: shop.dale.url }, `Bearer ${shop.dale.key}`)
    expect(await shop.answers('dale', run)).toEqual({ executed: true, state: 'succeeded' })
    expect(shop.refunds).toEqual(done)
  })

  it('ends with a refusal, and nothing is done', async () => {
    await using shop = await aShop()
    const run = walk(workflow, input, { DALE_URL: shop.dale.url }, `Bearer ${shop.dale.key}`)
    expect(await shop.answers('no', run)).toEqual({ executed: false, state: 'rejected' })
    expect(shop.refunds).toEqual([])
  })
})

describe('a shell with curl', () => {
  async function asks({ url, key }: Dale) {
    const script = join(import.meta.dirname, '..', '..', 'examples', 'recipes', 'ask.sh')
    const child = spawn('sh', [script, 'demo', 'ana', 'sim:ana', '4512', '19.90'], {
      env: { ...process.env, DALE_URL: url, DALE_KEY: key },
    })
    const [[code], stdout] = await Promise.all([once(child, 'exit'), text(child.stdout)])
    return { code: code as number, stdout: stdout.trim() }
  }

  it('asks, waits, and ends with 0 once it was done', async () => {
    await using shop = await aShop()
    expect(await shop.answers('dale', asks(shop.dale))).toEqual({ code: 0, stdout: 'succeeded' })
    expect(shop.refunds).toEqual(done)
  })

  it('ends with 1 when it was refused', async () => {
    await using shop = await aShop()
    expect(await shop.answers('no', asks(shop.dale))).toEqual({ code: 1, stdout: 'rejected' })
    expect(shop.refunds).toEqual([])
  })
})
