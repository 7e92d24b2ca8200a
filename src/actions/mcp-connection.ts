import {
  type CallToolResult,
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/client'
import { HttpCallError } from './http-call.ts'

/** How long a server may take to say who it is, and what it offers. */
const askMs = 10_000
/** More than any agent can choose from. */
const mostTools = 500

/** A call that brought no result. `proof`: the request never left, or the server refused to begin. */
export class McpCallError extends Error {
  override readonly name = 'McpCallError'
  readonly proof: boolean
  constructor(message: string, proof: boolean, options?: ErrorOptions) {
    super(message, options)
    this.proof = proof
  }
}

/** What a connection is made of. */
export interface ConnectionParts {
  readonly transport: () => Transport
  /** Ask first which generation of the protocol it is? Over stdio that would start the server twice. */
  readonly probes: boolean
  /** What the server offers, each time it was asked. */
  readonly onTools: (tools: readonly Tool[]) => void
  readonly onTrouble: (error: unknown) => void
}

/**
 * One server, connected when it is used and anew after it went away. Dale offers it nothing: no sampling, no elicitation, no roots, so a
 * server can ask nobody anything through it.
 */
export class McpConnection implements AsyncDisposable {
  readonly #parts: ConnectionParts
  #connecting: Promise<Client> | undefined
  #client: Client | undefined
  #asking: Promise<unknown> = Promise.resolve()
  #isClosed = false

  constructor(parts: ConnectionParts) {
    this.#parts = parts
  }

  isUp(): boolean {
    return this.#client !== undefined
  }

  /** Asks what the server offers now: one question at a time, so that an older answer never follows a newer one. */
  tools(): Promise<readonly Tool[]> {
    const asked = this.#asking.then(() => this.#ask())
    this.#asking = asked.catch(() => undefined)
    return asked
  }

  /** Calls a tool once. Throws `McpCallError`; never tries again. */
  async call(
    tool: Tool,
    args: Readonly<Record<string, unknown>>,
    { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<CallToolResult> {
    const client = await this.#connected().catch((cause: unknown) => {
      throw new McpCallError('the server cannot be reached', true, { cause })
    })
    // Without its output schema: a result that does not fit is no sign that nothing happened.
    const { outputSchema: _outputSchema, ...toolDefinition } = tool
    try {
      return await client.callTool(
        { name: tool.name, arguments: args },
        { signal, timeout: timeoutMs, maxTotalTimeout: timeoutMs, toolDefinition },
      )
    } catch (cause) {
      const { because, proof } = meaningOf(cause)
      throw new McpCallError(because, proof, { cause })
    }
  }

  async #ask(): Promise<readonly Tool[]> {
    for (let again = true; ; again = false) {
      const client = await this.#connected()
      try {
        const { tools } = await client.listTools(undefined, { cacheMode: 'refresh', timeout: askMs, maxTotalTimeout: askMs })
        if (tools.length > mostTools) throw new Error(`it offers more than ${mostTools} tools`)
        this.#parts.onTools(tools)
        return tools
      } catch (error) {
        await this.#drop(client)
        if (!again) throw error
      }
    }
  }

  #connected(): Promise<Client> {
    if (this.#isClosed) return Promise.reject(new McpCallError('Dale is stopping', true))
    this.#connecting ??= this.#connect().catch((error: unknown) => {
      this.#connecting = undefined
      throw error
    })
    return this.#connecting
  }

  async #connect(): Promise<Client> {
    const { transport, probes, onTrouble } = this.#parts
    const client = new Client(
      { name: 'dale-gateway', version: '1' },
      {
        capabilities: {},
        inputRequired: { autoFulfill: false },
        listMaxPages: 16,
        ...(probes ? { versionNegotiation: { mode: 'auto' } } : {}),
        listChanged: { tools: { autoRefresh: false, onChanged: () => void this.tools().catch(onTrouble) } },
      },
    )
    client.onerror = onTrouble
    client.onclose = () => this.#forget(client)
    try {
      await client.connect(transport(), { timeout: askMs, maxTotalTimeout: askMs })
    } catch (error) {
      await client.close().catch(onTrouble)
      throw error
    }
    this.#client = client
    return client
  }

  #forget(client: Client): void {
    if (this.#client !== client) return
    this.#client = undefined
    this.#connecting = undefined
  }

  async #drop(client: Client): Promise<void> {
    this.#forget(client)
    await client.close().catch(this.#parts.onTrouble)
  }

  /** Ends the connection, and the process behind it: asked first, then by force. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    await this.#asking
    const client = await this.#connecting?.catch(() => undefined)
    if (client !== undefined) await this.#drop(client)
  }
}

/** Errors of JSON-RPC with which a server refuses to begin: no such request, no such method, wrong parameters. */
const refusals: ReadonlySet<number> = new Set([-32600, -32601, -32602])
/** Answers of HTTP before anything was given to the server: not you, not here, not now. */
const unbegun: ReadonlySet<number> = new Set([401, 403, 404, 405, 413, 415, 429])

function meaningOf(error: unknown): { readonly because: string; readonly proof: boolean } {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof HttpCallError && !cause.sent) return { because: cause.message, proof: true }
  if (error instanceof ProtocolError)
    return { because: `the server answered with error ${error.code}`, proof: refusals.has(error.code) }
  if (error instanceof SdkHttpError)
    return { because: `the server answered with status ${error.status}`, proof: unbegun.has(error.status ?? 0) }
  if (error instanceof SdkError)
    return { because: `no result came (${error.code})`, proof: error.code === SdkErrorCode.NotConnected }
  return { because: 'no result came', proof: false }
}
