import type { Tool } from '@modelcontextprotocol/client'
import { z } from 'zod'
import type { Field, FieldValue } from '../core/card.ts'
import { ActionError } from '../core/errors.ts'
import { canonicalOf } from '../core/fingerprint.ts'
import type { AlwaysTerms } from '../core/grant.ts'
import type { Reversibility } from '../core/proposal.ts'
import type { Escalation, Whom } from '../core/whom.ts'
import type { Action, CallContext, CallResult, PreviewContext } from '../ports/action.ts'
import { checkPreview } from './check-preview.ts'
import { readArguments } from './input-schema.ts'
import { McpCallError, type McpConnection } from './mcp-connection.ts'
import { versionOf } from './mcp-definition.ts'
import { textOf } from './mcp-result.ts'
import { toolSchemaOf } from './mcp-schema.ts'

/** What an operator says of one tool that is gated. All of it may be left out. */
export interface McpToolSettings {
  /** What the agent is told instead of the server's own description. */
  readonly description?: string
  /** The card's first line; default the tool's title, and whose tool it is. */
  readonly summary?: (args: Readonly<Record<string, unknown>>, context: PreviewContext) => string
  /** Arguments that come first on the card, in this order. All others follow: none is ever left out. */
  readonly fields?: readonly string[]
  /** What an argument is called on the card; default its title, else its name. */
  readonly labels?: Readonly<Record<string, string>>
  /** Default `observed`. A tool that calls itself destructive is never less than that. */
  readonly reversibility?: Reversibility
  /** Its cards look different and are read longer. */
  readonly severity?: 'high'
  /** The argument whose value one person types to say yes to what is grave. */
  readonly typeToConfirm?: string
  readonly rejectReason?: 'kept' | 'told'
  readonly approvers?: Whom
  readonly escalate?: Escalation
  readonly onOutcome?: 'tell' | 'resume'
  readonly always?: AlwaysTerms
  readonly editable?: readonly string[]
  readonly ttlMs?: number
  readonly timeoutMs?: number
  /** The argument in which the server keeps an idempotency key: Dale fills it in, and only with it is a call ever made again. */
  readonly keyField?: string
  /** How long the server keeps a key. Default one day. */
  readonly keyValidForMs?: number
  /**
   * What an error that the tool itself reports says: `refused`, nothing happened; `unknown`, a part of it may have. Default `unknown`: only
   * who knows the tool can say that its errors prove something.
   */
  readonly errors?: 'refused' | 'unknown'
}

/** Everything that an action is made of. */
export interface McpToolParts {
  readonly source: string
  readonly name: string
  readonly tool: Tool
  readonly settings: McpToolSettings
  readonly timeoutMs: number
  readonly connection: McpConnection
}

const minute = 60_000
const day = 24 * 60 * minute
const resultCap = 2_000
const textCap = 4_000

/**
 * A tool of an MCP server behind the gate. The card is written from the arguments, all of them; before it is shown, when a yes is to count
 * and right before the call the server is asked again what the tool is. Throws `TypeError` for a tool that `refusalOfTool` refuses.
 */
export function mcpAction({ source, name, tool, settings, timeoutMs: usualMs, connection }: McpToolParts): Action {
  const { keyField, timeoutMs = usualMs, errors = 'unknown' } = settings
  const offered = inputOf(tool, keyField)
  const schema = z.fromJSONSchema(offered as JsonSchema)
  if (!(schema instanceof z.ZodObject)) throw new TypeError(`${name}: its arguments are no object`)
  const called = tool.title ?? tool.annotations?.title ?? tool.name

  return Object.freeze<Action>({
    name,
    version: versionOf(tool),
    description: settings.description ?? `${tool.description ?? called} (${source})`,
    input: offered,
    reversibility: reversibilityOf(tool, settings),
    idempotency: keyField === undefined ? 'none' : 'key',
    keyValidForMs: keyField === undefined ? 0 : (settings.keyValidForMs ?? day),
    ttlMs: settings.ttlMs ?? 30 * minute,
    timeoutMs,
    ...(settings.severity && { severity: settings.severity }),
    ...(settings.typeToConfirm && { typeToConfirm: settings.typeToConfirm }),
    ...(settings.rejectReason && { rejectReason: settings.rejectReason }),
    ...(settings.approvers && { approvers: settings.approvers }),
    ...(settings.escalate && { escalate: settings.escalate }),
    ...(settings.onOutcome && { onOutcome: settings.onOutcome }),
    ...(settings.always && { always: settings.always }),
    ...(settings.editable && { editable: settings.editable }),
    parse(args, locale) {
      const read = readArguments(schema, args, locale)
      if (!read.ok) return read
      const long = Object.entries(read.args as Args).filter(([, value]) => shown(value).length > textCap)
      if (long.length === 0) return read
      return {
        ok: false,
        problems: long.map(([key]) => `args.${key}: is longer than the ${textCap} characters that a card shows`),
      }
    },
    async preview(args, context) {
      // The list that comes back replaces this action where its definition changed; whoever asked looks at that.
      await connection.tools()
      const summary = settings.summary?.(args as Args, context) ?? `${called} (${source})`
      return { ...checkPreview(name, { summary, fields: fieldsOf(args as Args, offered, settings) }), kind: 'ready' }
    },
    async preflight() {
      await connection.tools()
      return { kind: 'ready' }
    },
    execute: (args, context) => execute(args as Args, context),
  })

  async function execute(args: Args, { idempotencyKey, attempt, signal }: CallContext): Promise<CallResult> {
    const keyed = keyField === undefined ? args : { ...args, [keyField]: idempotencyKey }
    // A refusal proves nothing while an earlier attempt may have gone through.
    const first = attempt <= 1
    const failed = (message: string, is: { readonly permanent: boolean; readonly proof: boolean }, options?: ErrorOptions) =>
      new ActionError(
        `${name}: ${message}`,
        { action: name, permanent: is.permanent, mayHaveHappened: !(is.proof && first) },
        options,
      )
    try {
      const result = await connection.call(tool, keyed, { signal, timeoutMs })
      const text = textOf(result, resultCap)
      if (result.isError === true) {
        // Only what is told to the person is said here: what an error is about may be anything, and this is logged.
        const proof = errors === 'refused'
        throw failed(proof && text !== '' ? text : 'the tool reports an error', { permanent: true, proof })
      }
      return text === '' ? {} : { result: text }
    } catch (cause) {
      if (!(cause instanceof McpCallError)) throw cause
      throw failed(cause.message, { permanent: false, proof: cause.proof }, { cause })
    }
  }
}

type Args = Readonly<Record<string, unknown>>
type JsonSchema = Parameters<typeof z.fromJSONSchema>[0]
interface Input {
  readonly properties?: Args
  readonly required?: readonly string[]
}

/** The arguments that an agent gives; the key is Dale's to fill in. */
function inputOf(tool: Tool, keyField: string | undefined): Input {
  const read = toolSchemaOf(tool.inputSchema)
  if (!read.ok) throw new TypeError(`${tool.name}: ${read.problem}`)
  const schema = read.schema as Input
  if (keyField === undefined) return schema
  const { [keyField]: key, ...properties }: Args = schema.properties ?? {}
  if (key === undefined) throw new TypeError(`${tool.name} has no argument ${keyField}`)
  const required = (schema.required ?? []).filter((one) => one !== keyField)
  return { ...schema, properties, required }
}

/** What a server says of its own tool can only make it stricter. */
function reversibilityOf({ annotations }: Tool, { reversibility = 'observed' }: McpToolSettings): Reversibility {
  return annotations?.destructiveHint === true && reversibility === 'reversible' ? 'observed' : reversibility
}

function fieldsOf(args: Args, { properties = {} }: Input, { fields = [], labels = {} }: McpToolSettings): readonly Field[] {
  const order = [...new Set([...fields, ...Object.keys(properties)])].filter((key) => Object.hasOwn(args, key))
  return order.map((key) => {
    const { title } = properties[key] as { readonly title?: string }
    return { key, label: labels[key] ?? title ?? key, value: fieldValueOf(args[key]) }
  })
}

const fieldValueOf = (value: unknown): FieldValue =>
  typeof value === 'number' ? { kind: 'number', number: value } : { kind: 'text', text: shown(value) }

/** Lists and objects stand on the card as they are sent. */
function shown(value: unknown): string {
  if (typeof value === 'string') return value
  const canonical = canonicalOf(value)
  return canonical.ok ? canonical.canonical : String(value)
}
