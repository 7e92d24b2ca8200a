import { z } from 'zod'
import { ConfigError, type Problem } from '../core/errors.ts'
import type { Secret } from '../core/secret.ts'
import type { AllowPrivate } from './addresses.ts'
import { defaultTimeoutMs } from './define-action.ts'
import type { McpToolSettings } from './mcp-tool.ts'

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

/** Options that are right by themselves, with every default filled in. */
export type CheckedMcpOptions = z.output<typeof options>

/** Checks the options, all at once. Throws `ConfigError`. */
export function checkMcpOptions(given: McpOptions): CheckedMcpOptions {
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
export const nameOf = (source: string, tool: string): string => `${source}_${tool.toLowerCase().replace(/[^a-z0-9]+/g, '_')}`
