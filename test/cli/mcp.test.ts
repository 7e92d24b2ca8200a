import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, it } from 'vitest'
import { openControl } from '../../src/cli/control.ts'
import { operationsOn } from '../../src/cli/operations.ts'
import { aFolder, runToEnd, started } from '../support/command.ts'
import { describeOn } from '../support/describe-on.ts'
import { aPhonesHouse, type PhonesHouse } from '../support/house-phones.ts'
import { bookingAction, Ledger } from '../support/ledger.ts'
import { anMcpServer, textArgs } from '../support/mcp.ts'
import { freshDatabase } from '../support/services.ts'
import { shippedLocales, shippedSource } from '../support/vocabularies.ts'

const dale = new URL('../../src/cli/dale.ts', import.meta.url).pathname

/** A house with a person who has written, and the real client in front of `dale mcp`, a process of its own. */
async function aClient(): Promise<
  AsyncDisposable & { readonly test: PhonesHouse; readonly client: Client; readonly call: Call; readonly trouble: Error[] }
> {
  const ledger = new Ledger()
  const test = await aPhonesHouse({ ledger, actions: [bookingAction(ledger)] })
  await test.phone('ana').says('hola')
  const folder = mkdtempSync(join(tmpdir(), 'dale-mcp-'))
  mkdirSync(join(folder, 'data'))
  const control = await openControl(
    folder,
    operationsOn(test.house.store, async () => test.house),
    test.house.log,
  )
  const client = new Client({ name: 'planner', version: '1' }, { capabilities: { elicitation: {} } })
  client.setRequestHandler('elicitation/create', () => {
    throw new Error('nobody is asked through a client')
  })
  // Whatever else is written to stdout is no message of the protocol, and comes here.
  const trouble: Error[] = []
  client.onerror = (error) => trouble.push(error)
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ['--conditions=dale-source', dale, 'mcp', '--as', 'planner'],
      env: { DALE_DATA_DIR: folder },
      stderr: 'inherit',
    }),
  )
  return {
    test,
    client,
    trouble,
    call: async (name, args) => {
      const result = await client.callTool({ name, arguments: args })
      const [block] = result.content
      return {
        isError: result.isError === true,
        text: block?.type === 'text' ? block.text : '',
        told: (result.structuredContent ?? {}) as Told,
      }
    },
    async [Symbol.asyncDispose]() {
      await client.close()
      await control[Symbol.asyncDispose]()
      await test[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

type Told = Readonly<Record<string, unknown>>
type Call = (
  name: string,
  args: Record<string, unknown>,
) => Promise<{ readonly isError: boolean; readonly text: string; readonly told: Told }>

const chat = { account: 'demo', chat: 'ana' }

describe('dale mcp, with the real client over stdio', () => {
  it('lists, proposes, and tells the outcome of what a person decided in their chat', async () => {
    await using mcp = await aClient()
    const { test, client, call } = mcp
    expect((await client.listTools()).tools.map(({ name }) => name).sort()).toEqual([
      'get_outcome',
      'list_actions',
      'propose_action',
      'withdraw_proposal',
    ])
    expect((await call('list_actions', {})).told).toMatchObject({ actions: [{ name: 'registrar' }] })

    const { told } = await call('propose_action', {
      action: 'registrar',
      args: { cajas: 3 },
      conversation: chat,
      requester: 'sim:ana',
    })
    expect(told).toMatchObject({ status: 'pending', executed: false, repeated: false })
    await test.quiet()
    expect((await test.proposals())[0]).toMatchObject({ origin: 'mcp', proposedBy: 'mcp:planner' })
    expect((await call('get_outcome', { proposalId: told.proposalId })).told).toMatchObject({
      state: 'pending',
      final: false,
      executed: false,
    })

    const waited = call('get_outcome', { proposalId: told.proposalId, waitSeconds: 30 })
    await test.phone('ana').says('dale')
    expect((await waited).told).toMatchObject({
      state: 'succeeded',
      final: true,
      executed: true,
      decisions: [{ person: 'sim:ana', verdict: 'approve', via: 'phrase' }],
    })
    expect(test.ledger.effects).toMatchObject([{ args: { cajas: 3 } }])
    expect(mcp.trouble).toEqual([])
  })

  it('takes back what it proposed itself, and nothing of anybody else', async () => {
    await using mcp = await aClient()
    const { test, call } = mcp
    await test.phone('ana').says('registrá 2 cajas')
    const [own] = await test.proposals()
    expect(await call('withdraw_proposal', { proposalId: own?.id })).toMatchObject({
      isError: true,
      text: expect.stringContaining('not_own'),
    })
    const { told } = await call('propose_action', {
      action: 'registrar',
      args: { cajas: 3 },
      conversation: chat,
      requester: 'sim:ana',
    })
    await test.quiet()
    expect((await call('withdraw_proposal', { proposalId: told.proposalId })).told).toEqual({
      proposalId: told.proposalId,
      state: 'discarded',
    })
    expect((await test.proposals()).map(({ state }) => state.name)).toEqual(['pending', 'discarded'])
  })

  it('decides nothing with any word of any locale through any tool, and refuses every field that it does not name', async () => {
    await using mcp = await aClient()
    const { test, client, call } = mcp
    await test.phone('ana').says('registrá 2 cajas')
    const [card] = await test.proposals()
    const words = shippedLocales.flatMap((locale) =>
      Object.values(shippedSource(locale).decision)
        .flat()
        .flatMap((entry) => (typeof entry === 'object' && entry !== null && 'text' in entry ? [String(entry.text)] : [])),
    )
    expect(words.length).toBeGreaterThan(100)
    const { tools } = await client.listTools()
    for (const word of words) {
      for (const said of [word, `${word} #${card?.code}`]) {
        for (const args of [
          { action: said, args: { cajas: 3 } },
          { action: 'registrar', args: { cajas: said }, conversation: chat, requester: 'sim:ana' },
          { action: 'registrar', args: { cajas: 3, confirmed: said }, conversation: chat, requester: 'sim:ana' },
        ])
          expect((await call('propose_action', args)).isError).toBe(true)
        expect((await call('withdraw_proposal', { proposalId: said })).isError).toBe(true)
        expect((await call('get_outcome', { proposalId: said })).isError).toBe(true)
      }
      for (const { name } of tools)
        expect(
          (
            await call(name, {
              proposalId: card?.id,
              action: 'registrar',
              args: { cajas: 3 },
              verdict: 'approve',
              confirmed: word,
            })
          ).isError,
        ).toBe(true)
    }
    await test.quiet()
    expect((await test.proposals()).map(({ id, state }) => [id, state.name])).toEqual([[card?.id, 'pending']])
    expect(await test.stage.store.decisions(card?.id ?? '')).toEqual([])
    expect(test.ledger.effects).toEqual([])
  })

  it('ends when its client goes', async () => {
    const mcp = await aClient()
    const { pid } = mcp.client.transport as StdioClientTransport
    await mcp[Symbol.asyncDispose]()
    expect(() => process.kill(pid ?? 0, 0)).toThrow('ESRCH')
  })
})

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('dale start with an MCP server', { timeout: 60_000 }, () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)('leaves no process behind after %s', async (signal) => {
    using server = anMcpServer([{ name: 'mover', inputSchema: textArgs('que') }])
    await using folder = await aFolder({ 'dale.config.mts': configWith(server.server) })
    await using dale = await started(['start', '--json'], { cwd: folder.path })
    const pid = server.pid()
    expect(isAlive(pid)).toBe(true)
    dale.child.kill(signal)
    await dale.ended
    await expect.poll(() => isAlive(pid), { timeout: 15_000 }).toBe(false)
  })
})

const configWith = (server: unknown) => `import { defineConfig, mcpActions } from 'dale-gateway'
export default defineConfig({
  accounts: { demo: { channel: 'simulator' } },
  agent: { async *run() {} },
  actions: [mcpActions({ name: 'caja', server: ${JSON.stringify(server)} })],
  people: [{ id: 'eva', name: 'Eva', roles: ['boss'], identities: ['sim:eva'] }],
  roleChats: { boss: { account: 'demo', chat: 'eva' } },
  policies: [{ then: 'confirm', action: '*', approvers: { kind: 'role', role: 'boss', second: false }, reason: { code: 'CUSTOM_POLICY_REQUIREMENT' } }],
})
`

describe('dale mcp where nothing runs', { timeout: 60_000 }, () => {
  it('says so, and writes nothing to stdout', async () => {
    await using folder = await aFolder({ 'dale.config.mts': configWith({ command: 'x' }) })
    mkdirSync(join(folder.path, '.dale', 'data'), { recursive: true })
    const ended = await runToEnd(['mcp'], { cwd: folder.path })
    expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('dale start, or set DATABASE_URL') })
  })
})

describeOn('postgres', 'dale mcp on PostgreSQL', () => {
  it('proposes beside a gateway a tool of an MCP server, for somebody with a role', { timeout: 60_000 }, async () => {
    await using database = await freshDatabase()
    using server = anMcpServer([{ name: 'mover', inputSchema: textArgs('que') }])
    await using folder = await aFolder({ 'dale.config.mts': configWith(server.server) })
    const variables = { DATABASE_URL: database.url, DALE_SECRET_KEY: 'ab'.repeat(32) }
    expect((await runToEnd(['migrate'], { cwd: folder.path, env: variables })).code).toBe(0)
    await using _gateway = await started(['start', '--json'], { cwd: folder.path, env: variables })
    const client = new Client({ name: 'planner', version: '1' })
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: ['--conditions=dale-source', dale, 'mcp'],
        cwd: folder.path,
        env: variables,
      }),
    )
    const proposed = await client.callTool({ name: 'propose_action', arguments: { action: 'caja_mover', args: { que: 'todo' } } })
    expect(proposed).toMatchObject({ structuredContent: { status: 'pending', executed: false } })
    const { pid } = client.transport as StdioClientTransport
    const moverPid = server.pid()
    await client.close()
    await expect.poll(() => [isAlive(pid ?? 0), isAlive(moverPid)], { timeout: 15_000 }).toEqual([false, false])
    expect(server.calls()).toEqual([])
  })
})
