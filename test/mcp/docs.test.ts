import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { daleServer } from '../../src/mcp/server.ts'
import { aFolder, runToEnd } from '../support/command.ts'

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'mcp.md'), 'utf8')
const require = createRequire(import.meta.url)
const filesystem = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js')

describe('docs/mcp.md', () => {
  it('has a configuration that starts', { timeout: 60_000 }, async () => {
    const [, block = ''] = /^```ts\n\/\/ dale\.config\.mts\n([\s\S]*?)^```$/m.exec(page) ?? []
    // The installed server, so that nothing is fetched.
    const installed = block.replace(
      "command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem',",
      `command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(filesystem)},`,
    )
    expect(installed).not.toBe(block)
    await using folder = await aFolder({ 'dale.config.mts': installed })
    const doctor = await runToEnd(['doctor', '--json'], { cwd: folder.path })
    const { findings } = JSON.parse(doctor.stdout)
    expect([doctor.code, findings.filter(({ what }: { readonly what: string }) => what === 'actions of files')]).toEqual([
      0,
      [{ state: 'ok', what: 'actions of files', found: expect.stringMatching(/^answers, and offers \d+ actions$/) }],
    ])
  })

  it('names every tool, and no other', async () => {
    const desk = {} as Parameters<typeof daleServer>[0]
    const [near, far] = InMemoryTransport.createLinkedPair()
    await daleServer(desk, { by: 'test', mayPropose: true, mayRead: true }, '1').connect(far)
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(near)
    const tools = (await client.listTools()).tools.map(({ name }) => name).sort()
    expect([...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name).sort()).toEqual(tools)
  })
})
