// What docs/agents.md says to write is written and run: each configuration comes to its card, is confirmed, and is done.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import type { ConfigInput } from '../../src/config/config.ts'
import { startAgentServer } from '../support/agent-server.ts'
import { aPhonesHouse, type PhonesHouse } from '../support/house-phones.ts'
import { someModels } from '../support/models.ts'
import { until } from '../support/until.ts'

const root = join(import.meta.dirname, '..', '..')
const page = readFileSync(join(root, 'docs', 'agents.md'), 'utf8')
const blocks = [...page.matchAll(/^```(ts|json)\n([\s\S]*?)^```$/gm)].map(([, kind = '', body = '']) => ({ kind, body }))
const answer = blocks.find(({ kind }) => kind === 'json')?.body ?? ''

// Inside the checkout, where the package finds itself by its own name.
mkdirSync(join(root, '.cache'), { recursive: true })
const folder = mkdtempSync(join(root, '.cache', 'agents-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const models = someModels()

/** The configuration of a block, its far sides put where the test has them. */
async function configured(name: string, elsewhere: Readonly<Record<string, string>> = {}): Promise<ConfigInput> {
  for (const { body } of blocks) {
    const [, path] = /^\/\/ (\S+)\n/.exec(body) ?? []
    if (path === undefined) continue
    const moved = Object.entries(elsewhere).reduce((text, [from, to]) => text.replaceAll(from, to), body)
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), moved)
  }
  return ((await import(join(folder, name, 'dale.config.mts'))) as { readonly default: ConfigInput }).default
}

async function isDone(test: PhonesHouse): Promise<readonly string[]> {
  const ana = test.phone('ana')
  await ana.says('a plan of 3 parts')
  expect(ana.card().text).toContain('Open a plan of 3 parts')
  await ana.says('yes')
  const texts = ana.sees().map(({ text }) => text)
  expect(texts.some((text) => text.includes('The plan of 3 parts is open.'))).toBe(true)
  expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['succeeded'])
  return texts
}

const english = { locales: { default: 'en' } } as const

it('rules come to a proposal', async () => {
  const config = await configured('rules')
  await using test = await aPhonesHouse({ ...config, ...english })
  await isDone(test)
})

it('a program over HTTP comes to a proposal', async () => {
  process.env.AGENT_SECRET = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`
  onTestFinished(() => void delete process.env.AGENT_SECRET)
  const server = await startAgentServer(process.env.AGENT_SECRET)
  onTestFinished(() => server[Symbol.asyncDispose]())
  server.next({ chunks: [answer] })
  const config = await configured('http', { 'http://127.0.0.1:8000/turns': server.url })
  await using test = await aPhonesHouse({ ...config, ...english, variables: { AGENT_SECRET: process.env.AGENT_SECRET } })
  await isDone(test)
  expect(server.arrived.every(({ verified }) => verified)).toBe(true)
})

it('a model comes to a proposal', async () => {
  models.on({ userMessage: 'plan' }, { content: '', toolCalls: [{ name: 'open_plan', arguments: '{"parts":3}' }] })
  const config = await configured('model', { 'http://127.0.0.1:11434/v1': `${models.url}/v1` })
  await using test = await aPhonesHouse({ ...config, ...english })
  await isDone(test)
})

it('an outcome starts a turn', async () => {
  const config = await configured('resume')
  await using test = await aPhonesHouse({ ...config, ...english })
  expect((await isDone(test)).at(-1)).toBe('The first of 3 parts is due on the 10th.')
})

it('a hook hears of the end', async () => {
  const config = await configured('hooks', { "'settled.log'": JSON.stringify(join(folder, 'settled.log')) })
  await using test = await aPhonesHouse({ ...config, ...english })
  await isDone(test)
  const [proposal] = await test.proposals()
  await until(() => readFileSync(join(folder, 'settled.log'), 'utf8') === `${proposal?.id}.settled open_plan succeeded\n`)
})
