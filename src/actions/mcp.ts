import { StreamableHTTPClientTransport, type Tool, type Transport } from '@modelcontextprotocol/client'
import { DEFAULT_INHERITED_ENV_VARS, StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { z } from 'zod'
import { ConfigError, type Problem } from '../core/errors.ts'
import type { Secret } from '../core/secret.ts'
import type { Action } from '../ports/action.ts'
import type { ActionSource, Around, OpenSource } from '../ports/action-source.ts'
import type { Read, ReadContext } from '../ports/read.ts'
import type { AllowPrivate } from './addresses.ts'
import { defaultTimeoutMs } from './define-action.ts'
import { filled } from './filled.ts'
import { McpConnection } from './mcp-connection.ts'
import { guardedFetch } from './mcp-fetch.ts'
import { textOf } from './mcp-result.ts'
import { toolSchemaOf } from './mcp-schema.ts'
import { type McpToolSettings, mcpAction, refusalOfTool } from './mcp-tool.ts'

export type { McpToolSettings } from './mcp-tool.ts'

/** A server of the Model Context Protocol: a program that is started, or an address of streamable HTTP. */
export type McpServer =
  | {
      readonly command: string
      readonly args?: readonly string[]
      /** All of its environment beside PATH: it inherits nothing else. `env('CRM_TOKEN')` hands on a variable of Dale's. */
      readonly env?: Readonly<Record<string, string | Secret>>
      readonly cwd?: string
    }
  | {
      readonly url: string
      readonly headers?: Readonly<Record<string, string | Secret>>
      /** Hosts inside a network that it may call, or `true` for any but link-local. Default none. */
      readonly allowPrivate?: AllowPrivate
    }

/** The tools of one server as actions. */
export interface McpOptions {
  /** Small letters, digits and `_`. Put before the names of its tools: `files` and `write_file` make `files_write_file`. */
  readonly name: string
  readonly server: McpServer
  /** Tools that only look and that the agent may call at once. You say which; the server's own word is not enough. All others wait for a yes. */
  readonly reads?: readonly string[]
  /** Tools that are not offered at all. */
  readonly without?: readonly string[]
  /** What there is to say of single tools, by their name on the server. */
  readonly actions?: Readonly<Record<string, McpToolSettings>>
  /** How long one call may take, in milliseconds. Default 30 seconds. */
  readonly timeoutMs?: number
}

/** A server in a configuration: itself among the `actions`, and `reads` among the reads of a model. */
export interface McpActions extends ActionSource {
  readonly reads: readonly Read[]
}

const readCap = 8_000
const ms = (least: number, greatest: number) => z.int().min(least).max(greatest).optional()
const text = z.string().min(1)
const names = z.array(text).default([])
const values = z.record(z.string(), z.union([z.string(), z.object({ env: z.string(), prefix: z.string() })])).default({})

const settings = z.strictObject({
  description: text.optional(),
  summary: z
    .custom<McpToolSettings['summary']>(
      (value) => value === undefined || typeof value === 'function',
      'is a function of the arguments',
    )
    .optional(),
  fields: z.array(text).optional(),
  labels: z.record(z.string(), text).optional(),
  reversibility: z.enum(['reversible', 'observed', 'irreversible']).optional(),
  severity: z.literal('high').optional(),
  typeToConfirm: text.optional(),
  rejectReason: z.enum(['kept', 'told']).optional(),
  // Whom to ask is checked with all other actions, once the tools are known.
  approvers: z.unknown().optional(),
  escalate: z.unknown().optional(),
  onOutcome: z.enum(['tell', 'resume']).optional(),
  always: z.strictObject({ times: z.int().min(1).max(100), days: z.int().min(1).max(365) }).optional(),
  editable: z.array(text).optional(),
  ttlMs: ms(1_000, 7 * 24 * 3_600_000),
  timeoutMs: ms(100, 600_000),
  keyField: text.optional(),
  keyValidForMs: ms(60_000, 365 * 24 * 3_600_000),
  errors: z.enum(['refused', 'unknown']).optional(),
})

const options = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]{0,31}$/, 'is small letters, digits and _, a letter first, 32 at most'),
  server: z.union(
    [
      z.strictObject({ command: text, args: z.array(z.string()).default([]), env: values, cwd: text.optional() }),
      z.strictObject({
        url: z.url({ protocol: /^https?$/ }),
        headers: values,
        allowPrivate: z.union([z.boolean(), names]).default(false),
      }),
    ],
    "is { command: 'npx', args: […] }, or { url: 'https://…' }",
  ),
  reads: names,
  without: names,
  actions: z.record(z.string(), settings).default({}),
  timeoutMs: z.int().min(100).max(600_000).default(defaultTimeoutMs),
})

type Checked = z.output<typeof options>

/**
 * Takes the tools of an MCP server as actions: those in `reads` the agent calls freely, every other one waits for a yes. Nothing is started
 * here. Throws `ConfigError` with every problem of the options; what is wrong with the server is told when Dale starts.
 */
export function mcpActions(given: McpOptions): McpActions {
  const checked = check(given)
  const { name, server, reads, actions } = checked
  const secrets = Object.values('command' in server ? server.env : server.headers)
  const opened = new Set<OpenServer>()
  return {
    source: name,
    needs: secrets.flatMap((value) => (typeof value === 'string' ? [] : [value.env])),
    longestTimeoutMs: Math.max(checked.timeoutMs, ...Object.values(actions).map(({ timeoutMs = 0 }) => timeoutMs)),
    mayHave: (action) => action.startsWith(`${name}_`),
    reads: reads.map((tool) => readOf(checked, tool, () => [...opened].at(-1))),
    async open(around) {
      const one = new OpenServer(checked, around, () => opened.delete(one))
      await one.open()
      opened.add(one)
      return one
    },
  }
}

function check(given: McpOptions): Checked {
  const read = options.safeParse(given)
  const name = typeof given?.name === 'string' ? given.name : 'mcpActions'
  if (!read.success)
    throw new ConfigError(
      read.error.issues.map(({ path, message }) => ({ path: [name, ...path].map(String).join('.'), message })),
    )
  const { server, reads, without, actions } = read.data
  const problems: Problem[] = []
  for (const tool of Object.keys(actions).filter((one) => reads.includes(one) || without.includes(one)))
    problems.push({ path: `${name}.actions.${tool}`, message: 'is in reads or without too, and no action then' })
  for (const tool of reads.filter((one) => without.includes(one)))
    problems.push({ path: `${name}.without`, message: `${tool} is in reads too` })
  if ('url' in server) {
    const { protocol, hostname, username, password } = new URL(server.url)
    const isInside = typeof server.allowPrivate === 'boolean' ? server.allowPrivate : server.allowPrivate.includes(hostname)
    if (protocol === 'http:' && !isInside)
      problems.push({
        path: `${name}.server.url`,
        message: 'http:// sends secrets in the clear: use https://, or name the host in allowPrivate',
      })
    if (username !== '' || password !== '')
      problems.push({ path: `${name}.server.url`, message: 'carries credentials: use headers with env(…)' })
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return read.data
}

/** The name of a tool among all actions and reads. */
const nameOf = (source: string, tool: string): string => `${source}_${tool.toLowerCase().replace(/[^a-z0-9]+/g, '_')}`

class OpenServer implements OpenSource {
  readonly #options: Checked
  readonly #around: Around
  readonly #ended: () => void
  readonly #connection: McpConnection
  #tools: readonly Tool[] = []
  #definitions = ''
  #actions: readonly Action[] = []
  #complaint = ''

  constructor(checked: Checked, around: Around, ended: () => void) {
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

/** A tool that the operator allowed to be called freely. What it is called with is the server's to check; what comes back is data. */
function readOf({ name: source }: Checked, tool: string, server: () => OpenServer | undefined): Read {
  return {
    name: nameOf(source, tool),
    get description() {
      return server()?.tool(tool)?.description?.slice(0, 4_000) ?? tool
    },
    get input() {
      const read = toolSchemaOf(server()?.tool(tool)?.inputSchema)
      return read.ok ? read.schema : { type: 'object' }
    },
    async run(args, context) {
      const open = server()
      if (open === undefined) throw new Error(`${source} is not open: put it among the actions of the configuration too`)
      return await open.read(tool, args, context)
    },
  }
}
