import { StreamableHTTPClientTransport, type Tool, type Transport } from '@modelcontextprotocol/client'
import { DEFAULT_INHERITED_ENV_VARS, StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { ConfigError, type Problem } from '../core/errors.ts'
import type { Action } from '../ports/action.ts'
import type { Around, OpenSource } from '../ports/action-source.ts'
import type { ReadContext } from '../ports/read.ts'
import { filled } from './filled.ts'
import { McpConnection } from './mcp-connection.ts'
import { refusalOfTool } from './mcp-definition.ts'
import { guardedFetch } from './mcp-fetch.ts'
import { type CheckedMcpOptions, nameOf } from './mcp-options.ts'
import { textOf } from './mcp-result.ts'
import { type McpToolSettings, mcpAction } from './mcp-tool.ts'

const readCap = 8_000

/** An MCP server at work: its tools as they are now, behind one connection. `ended` is told when it is disposed. */
export class OpenServer implements OpenSource {
  readonly #options: CheckedMcpOptions
  readonly #around: Around
  readonly #ended: () => void
  readonly #connection: McpConnection
  #tools: readonly Tool[] = []
  #definitions = ''
  #actions: readonly Action[] = []
  #complaint = ''

  constructor(checked: CheckedMcpOptions, around: Around, ended: () => void) {
    this.#options = checked
    this.#around = around
    this.#ended = ended
    this.#connection = new McpConnection({
      transport: () => this.#transport(),
      probes: 'url' in checked.server,
      onTools: (tools) => this.#take(tools),
      // Not its message: that may quote what the server sent.
      onTrouble: (error) =>
        around.log.warn({ source: checked.name, error: error instanceof Error ? error.name : typeof error }, 'mcp_trouble'),
    })
  }

  async open(): Promise<void> {
    const { name } = this.#options
    try {
      await this.#connection.tools()
    } catch (cause) {
      await this[Symbol.asyncDispose]()
      const said = this.#complaint.trim()
      const why = `${(cause as Error).message}${said === '' ? '' : `; it said: ${said}`}`
      throw new ConfigError([{ path: `actions.${name}`, message: `the MCP server cannot be reached: ${why}` }], { cause })
    }
    const problems = this.#problems()
    if (problems.length === 0) return
    await this[Symbol.asyncDispose]()
    throw new ConfigError(problems)
  }

  actions(): readonly Action[] {
    return this.#actions
  }

  isUp(): boolean {
    return this.#connection.isUp()
  }

  tool(name: string): Tool | undefined {
    return this.#tools.find((tool) => tool.name === name)
  }

  /** Runs a read. Throws with what the tool said when it failed. */
  async read(name: string, args: unknown, { signal }: ReadContext): Promise<string> {
    const tool = this.tool(name)
    if (tool === undefined || refusalOfTool(tool) !== undefined) throw new Error('the server does not offer this any more')
    const { timeoutMs } = this.#options
    const result = await this.#connection.call(tool, args as Readonly<Record<string, unknown>>, { signal, timeoutMs })
    const found = textOf(result, readCap)
    if (result.isError === true) throw new Error(found)
    return found
  }

  /** What of the options and the server does not fit; at start this is told, later a tool that cannot be offered is left out. */
  #problems(): readonly Problem[] {
    const { name, reads, actions, without } = this.#options
    const at = (path: string, message: string): Problem => ({ path: `actions.${name}.${path}`, message })
    const offered = this.#tools.map((tool) => tool.name)
    const missing = [
      ...reads.filter((tool) => !offered.includes(tool)).map((tool) => at('reads', `the server has no tool ${tool}`)),
      ...Object.keys(actions)
        .filter((tool) => !offered.includes(tool))
        .map((tool) => at('actions', `the server has no tool ${tool}`)),
    ]
    const wrong = this.#tools.flatMap((tool, index) => {
      if (without.includes(tool.name)) return []
      const problem = this.#refusal(tool, index) ?? this.#misfit(tool)
      return problem === undefined ? [] : [at(printable(tool.name), `${problem}; put it in without if it is not needed`)]
    })
    return [...missing, ...wrong]
  }

  #refusal(tool: Tool, index: number): string | undefined {
    const refusal = refusalOfTool(tool)
    if (refusal !== undefined) return refusal
    const name = nameOf(this.#options.name, tool.name)
    if (name.length > 64) return 'its name is too long'
    const isTaken = this.#tools.slice(0, index).some((other) => nameOf(this.#options.name, other.name) === name)
    return isTaken ? 'another tool has its name' : undefined
  }

  /** Names an operator's word for a tool an argument that it does not have? */
  #misfit(tool: Tool): string | undefined {
    const { fields = [], labels = {}, editable = [], ...one } = this.#options.actions[tool.name] ?? {}
    const known = Object.keys(tool.inputSchema.properties ?? {})
    const named = [...fields, ...Object.keys(labels), ...editable, one.typeToConfirm, one.keyField].filter(
      (name) => name !== undefined,
    )
    const unknown = named.filter((one) => !known.includes(one))
    return unknown.length === 0 ? undefined : `has no argument ${unknown.join(', ')}`
  }

  #take(tools: readonly Tool[]): void {
    const definitions = JSON.stringify(tools)
    if (definitions === this.#definitions) return
    const { name: source, reads, without, actions, timeoutMs } = this.#options
    this.#tools = tools
    const gated = tools.filter(({ name }) => !reads.includes(name) && !without.includes(name))
    this.#actions = gated.flatMap((tool) => {
      const problem = this.#refusal(tool, tools.indexOf(tool)) ?? this.#misfit(tool)
      if (problem !== undefined) {
        this.#around.log.warn({ source, tool: printable(tool.name), reason: problem }, 'mcp_tool_refused')
        return []
      }
      const parts = { source, name: nameOf(source, tool.name), tool, timeoutMs, connection: this.#connection }
      return [mcpAction({ ...parts, settings: (actions[tool.name] ?? {}) as McpToolSettings })]
    })
    const isFirst = this.#definitions === ''
    this.#definitions = definitions
    if (!isFirst) this.#around.onChange()
  }

  #transport(): Transport {
    const { server } = this.#options
    if ('url' in server)
      return new StreamableHTTPClientTransport(new URL(server.url), {
        fetch: guardedFetch(server.allowPrivate, () => filled(server.headers)),
      })
    const { command, args, env, cwd } = server
    const transport = new StdioClientTransport({
      command,
      args,
      env: environmentOf(filled(env)),
      stderr: 'pipe',
      ...(cwd === undefined ? {} : { cwd }),
    })
    // What it prints may hold anything: the end of it is kept for the case that it does not start, and never logged.
    this.#complaint = ''
    transport.stderr?.on('data', (chunk: Buffer) => {
      this.#complaint = `${this.#complaint}${chunk.toString('utf8')}`.slice(-500)
    })
    return transport
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended()
    await this.#connection[Symbol.asyncDispose]()
  }
}

/** The SDK hands some variables on by itself; here only PATH is, without which no program is found. Windows needs its own to start one at all. */
function environmentOf(named: Readonly<Record<string, string>>): Record<string, string> {
  if (process.platform === 'win32') return named
  const none = DEFAULT_INHERITED_ENV_VARS.filter((variable) => variable !== 'PATH').map((variable) => [variable, undefined])
  // A variable without a value is none to the process that is started.
  return { ...(Object.fromEntries(none) as Record<string, string>), ...named }
}

const printable = (tool: string): string => tool.replace(/[^A-Za-z0-9_.\-/]/g, '?').slice(0, 64)
