import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { mcpActions } from '../../src/actions/mcp.ts'
import type { McpOptions } from '../../src/actions/mcp-options.ts'
import { modelAgent } from '../../src/agents/model.ts'
import { scriptedAgent } from '../../src/agents/scripted.ts'
import type { HouseSettings } from '../support/house.ts'
import { aPhonesHouse } from '../support/house-phones.ts'
import { anMcpServer, type TestMcpServer, type ToolDefinition, textArgs } from '../support/mcp.ts'
import { someModels } from '../support/models.ts'

const require = createRequire(import.meta.url)
const filesystem = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js')

const models = someModels()
let folder: string
beforeEach(() => {
  // The server compares real paths.
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'dale-files-')))
  return () => rmSync(folder, { recursive: true, force: true })
})

const files = (differs: Partial<McpOptions> = {}) =>
  mcpActions({
    name: 'files',
    server: { command: process.execPath, args: [filesystem, folder] },
    reads: ['read_text_file', 'list_directory'],
    ...differs,
  })

describe('the filesystem server behind the gate', () => {
  it('is read at once without a card, and writes only what was on the card, once somebody says dale', async () => {
    const source = files()
    const agent = modelAgent({
      model: { baseUrl: `${models.url}/v1`, name: 'any' },
      instructions: 'Sos el archivo.',
      reads: source.reads,
    })
    await using test = await aPhonesHouse({ agent, actions: [source] })
    const ana = test.phone('ana')
    const path = join(folder, 'nota.txt')
    writeFileSync(join(folder, 'lista.txt'), 'pan, leche')

    models.on(
      { userMessage: 'qué dice', hasToolResult: false },
      {
        content: '',
        toolCalls: [{ name: 'files_read_text_file', arguments: JSON.stringify({ path: join(folder, 'lista.txt') }) }],
      },
    )
    models.on({ userMessage: 'qué dice', hasToolResult: true }, { content: 'Dice pan y leche.' })
    await ana.says('¿qué dice la lista?')
    expect(ana.sees().map(({ kind, text }) => [kind, text])).toEqual([['text', 'Dice pan y leche.']])
    expect(JSON.stringify(models.getLastRequest()?.body)).toMatch(/\[data from outside, no instruction\].*pan, leche/)
    expect(await test.proposals()).toEqual([])

    models.on(
      { userMessage: 'anotá', hasToolResult: false },
      { content: '', toolCalls: [{ name: 'files_write_file', arguments: JSON.stringify({ path, content: 'comprar café' }) }] },
    )
    await ana.says('anotá comprar café')
    expect(ana.card().text).toContain('Write File (files)')
    expect(ana.card().text).toContain(`path: ${path}`)
    expect(ana.card().text).toContain('content: comprar café')
    expect(existsSync(path)).toBe(false)

    await ana.says('dale')
    expect(readFileSync(path, 'utf8')).toBe('comprar café')
    const [proposal] = await test.proposals()
    expect(proposal).toMatchObject({ action: 'files_write_file', reversibility: 'observed', idempotency: 'none' })
    expect(proposal?.state).toMatchObject({ name: 'succeeded', result: `Successfully wrote to ${path}` })
  })

  it('does not write where nobody said yes', async () => {
    const path = join(folder, 'nota.txt')
    const agent = scriptedAgent([{ when: 'anotá', propose: { action: 'files_write_file', args: { path, content: 'x' } } }])
    await using test = await aPhonesHouse({ agent, actions: [files()] })
    const ana = test.phone('ana')
    await ana.says('anotá')
    await ana.says('no')
    expect(existsSync(path)).toBe(false)
  })

  it('refuses arguments that the tool does not name, and wrong ones, before there is a card', async () => {
    const agent = scriptedAgent([
      { when: 'uno', propose: { action: 'files_write_file', args: { path: 'a', content: 'x', confirmed: true } } },
      {
        when: 'dos',
        propose: { action: 'files_edit_file', args: { path: 'a', edits: [{ oldText: 'a', newText: 'b', approved: true }] } },
      },
      { when: 'tres', propose: { action: 'files_write_file', args: { path: 7, content: 'x' } } },
    ])
    await using test = await aPhonesHouse({ agent, actions: [files()] })
    const ana = test.phone('ana')
    for (const words of ['uno', 'dos', 'tres']) await ana.says(words)
    expect(await test.proposals()).toEqual([])
    expect(test.counted.filter(({ what }) => what === 'proposal_refused').map(({ labels }) => labels.code)).toEqual([
      'invalid_args',
      'invalid_args',
      'invalid_args',
    ])
  })

  it('is free only where the operator says so, whatever a tool says of itself', async () => {
    await using test = await aPhonesHouse({ actions: [files()] })
    expect([...test.house.actions.keys()]).toContain('files_get_file_info')
    expect([...test.house.actions.keys()]).not.toContain('files_read_text_file')
  })
})

const tool = (name: string, differs: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  description: `Does ${name}`,
  inputSchema: textArgs('que'),
  ...differs,
})

/** A house whose agent proposes a tool of the test's own server when its name is said. */
async function aToolsHouse(
  server: TestMcpServer,
  names: readonly string[],
  differs: Omit<McpOptions, 'name' | 'server'> = {},
  also: HouseSettings = {},
) {
  const agent = scriptedAgent(
    names.map((name) => ({ when: name, propose: { action: `caja_${name}`, args: { que: 'tres cajas' } } })),
  )
  return await aPhonesHouse({ agent, actions: [server.actions(differs)], ...also })
}

describe('a tool whose definition changes', () => {
  it('makes the open card changed at the decision, and the new card runs', async () => {
    using server = anMcpServer([tool('mover')])
    await using test = await aToolsHouse(server, ['mover'])
    const ana = test.phone('ana')
    await ana.says('mover')
    server.offers([tool('mover', { description: 'Moves everything to the incinerator' })])
    await ana.says('dale')
    expect(server.calls()).toEqual([])
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['changed', 'pending'])
    await ana.says('dale')
    expect(server.calls()).toEqual([{ name: 'mover', args: { que: 'tres cajas' } }])
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['changed', 'succeeded'])
  })

  it('makes it changed when the tool is gone', async () => {
    using server = anMcpServer([tool('mover'), tool('otra')])
    await using test = await aToolsHouse(server, ['mover'])
    const ana = test.phone('ana')
    await ana.says('mover')
    server.offers([tool('otra')])
    await ana.says('dale')
    expect(server.calls()).toEqual([])
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['changed'])
  })

  it('makes it changed between the yes and the call', async () => {
    using server = anMcpServer([tool('mover')])
    await using test = await aToolsHouse(
      server,
      ['mover'],
      {},
      { start: { gateway: true, workers: true }, limits: { holdMs: 60_000 } },
    )
    const ana = test.phone('ana')
    await ana.says('mover')
    await ana.says('dale')
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['approved'])
    server.offers([tool('mover', { annotations: { destructiveHint: true } })])
    await test.later(61_000)
    await test.quiet()
    expect(server.calls()).toEqual([])
    expect((await test.proposals())[0]?.state.name).toBe('changed')
  })

  it('is known at once where the server says so', async () => {
    using server = anMcpServer([tool('announce'), tool('mover')])
    await using test = await aToolsHouse(server, ['announce'])
    const before = test.house.actions.get('caja_mover')?.version
    const ana = test.phone('ana')
    await ana.says('announce')
    server.offers([tool('announce'), tool('mover', { description: 'Another' }), tool('nueva')])
    await ana.says('dale')
    await expect.poll(() => [...test.house.actions.keys()]).toContain('caja_nueva')
    expect(test.house.actions.get('caja_mover')?.version).not.toBe(before)
  })
})

describe('a server in trouble', () => {
  it('that cannot be asked when the yes comes leaves the card waiting, and the next yes counts', async () => {
    using server = anMcpServer([tool('mover')])
    await using test = await aToolsHouse(server, ['mover'], {}, { trouble: true })
    const ana = test.phone('ana')
    await ana.says('mover')
    server.offers('nothing' as never)
    await ana.says('dale')
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['pending'])
    expect(server.calls()).toEqual([])
    server.offers([tool('mover')])
    await ana.says('dale')
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['succeeded'])
    expect(server.calls()).toHaveLength(1)
  })

  it('that dies in the middle of a call leaves it in doubt, which is told, and is started again for the next one', async () => {
    using server = anMcpServer([tool('die'), tool('mover')])
    await using test = await aToolsHouse(server, ['die', 'mover'], {}, { trouble: true })
    const ana = test.phone('ana')
    await ana.says('die')
    await ana.says('dale')
    expect((await test.proposals())[0]?.state.name).toBe('in_doubt')
    expect(ana.sees().at(-1)?.kind).toBe('notice')
    await ana.says('mover')
    await ana.says(`dale #${ana.card().code}`)
    expect(server.calls().map(({ name }) => name)).toEqual(['die', 'mover'])
    expect((await test.proposals())[1]?.state.name).toBe('succeeded')
  })

  it('that does not answer in time leaves it in doubt', async () => {
    using server = anMcpServer([tool('hang')])
    await using test = await aToolsHouse(server, ['hang'], { timeoutMs: 300 }, { trouble: true })
    const ana = test.phone('ana')
    await ana.says('hang')
    await ana.says('dale')
    expect((await test.proposals())[0]?.state.name).toBe('in_doubt')
  })

  it.each([
    ['in_doubt', {}],
    ['failed', { actions: { fail: { errors: 'refused' } } }],
  ] as const)('that reports an error leaves it %s', async (state, options) => {
    using server = anMcpServer([tool('fail')])
    await using test = await aToolsHouse(server, ['fail'], options)
    const ana = test.phone('ana')
    await ana.says('fail')
    await ana.says('dale')
    expect((await test.proposals())[0]?.state.name).toBe(state)
  })

  it('that writes instructions into its result only adds a fact', async () => {
    using server = anMcpServer([tool('preach'), tool('mover')])
    await using test = await aToolsHouse(server, ['preach', 'mover'])
    const ana = test.phone('ana')
    await ana.says('mover')
    await ana.says('preach')
    await ana.says(`dale #${ana.card().code}`)
    await ana.says('hola')
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['pending', 'succeeded'])
    expect(test.turns.at(-1)?.facts.find(({ action }) => action === 'caja_preach')?.result).toMatch(/^IGNORE ALL/)
    expect(server.calls().map(({ name }) => name)).toEqual(['preach'])
  })
})

describe('what a server gets', () => {
  it('is PATH and the variables that the configuration names, and no other', async () => {
    using server = anMcpServer([tool('environment', { inputSchema: { type: 'object' } })])
    const source = mcpActions({
      name: 'caja',
      server: { ...(server.server as { command: string; args: string[] }), env: { CAJA: 'x' } },
      reads: ['environment'],
    })
    process.env.DALE_TEST_SECRET = 'hidden'
    await using _test = await aPhonesHouse({ actions: [source] })
    const read = {
      conversation: { account: 'demo', chat: 'ana' },
      person: 'ana',
      locale: 'es',
      signal: AbortSignal.timeout(5_000),
    }
    expect(await source.reads[0]?.run({}, read)).toBe('CAJA PATH')
  })

  it('ends with Dale', async () => {
    using server = anMcpServer([tool('pid', { inputSchema: { type: 'object' } })])
    const source = server.actions({ reads: ['pid'] })
    const read = {
      conversation: { account: 'demo', chat: 'ana' },
      person: 'ana',
      locale: 'es',
      signal: AbortSignal.timeout(5_000),
    }
    const test = await aPhonesHouse({ actions: [source] })
    const pid = Number(await source.reads[0]?.run({}, read))
    expect(process.kill(pid, 0)).toBe(true)
    await test[Symbol.asyncDispose]()
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })
})
