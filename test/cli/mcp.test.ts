import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, it } from 'vitest'
import { openControl } from '../../src/cli/control.ts'
import { operationsOn } from '../../src/cli/operations.ts'
import { aPhonesHouse, type PhonesHouse } from '../support/house-phones.ts'
import { bookingAction, Ledger } from '../support/ledger.ts'
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
