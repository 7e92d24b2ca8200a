import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type McpActions, mcpActions } from '../../src/actions/mcp.ts'
import type { McpOptions } from '../../src/actions/mcp-options.ts'

/** A tool as a server tells it. */
export interface ToolDefinition {
  readonly name: string
  readonly inputSchema: unknown
  readonly title?: string
  readonly description?: string
  readonly annotations?: Readonly<Record<string, boolean>>
}

/** An argument or two, as most tools have. */
export const textArgs = (...names: readonly string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  required: names,
})

/** A server whose tools can be changed while it runs. Disposing takes its files away. */
export interface TestMcpServer extends Disposable {
  readonly server: McpOptions['server']
  actions(options?: Omit<McpOptions, 'name' | 'server'>): McpActions
  offers(tools: readonly ToolDefinition[]): void
  /** Of the process that was started last. */
  pid(): number
  calls(): readonly { readonly name: string; readonly args: unknown }[]
}

/** Prepares the test's own server, not started yet. */
export function anMcpServer(tools: readonly ToolDefinition[]): TestMcpServer {
  const folder = mkdtempSync(join(tmpdir(), 'dale-mcp-'))
  const [definitions, calls] = [join(folder, 'tools.json'), join(folder, 'calls')]
  const offers = (now: readonly ToolDefinition[]) => writeFileSync(definitions, JSON.stringify(now))
  offers(tools)
  writeFileSync(calls, '')
  const server = {
    command: process.execPath,
    args: ['--conditions=dale-source', new URL('./mcp-child.ts', import.meta.url).pathname, definitions, calls],
  }
  return {
    server,
    actions: (options = {}) => mcpActions({ name: 'caja', server, ...options }),
    offers,
    pid: () => Number(readFileSync(`${calls}.pid`, 'utf8')),
    calls: () =>
      readFileSync(calls, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}
