import { z } from 'zod'
import { ChannelError } from '../../core/errors.ts'
import { type Known, knownError } from './error-codes.ts'

/** How the Graph API is reached. */
export interface GraphSettings {
  readonly apiRoot: string
  readonly token: string
  readonly timeoutMs: number
}

const refusalSchema = z.object({
  error: z.object({ code: z.int(), error_subcode: z.int().optional().catch(undefined) }),
})

/** These come before a connection stands: nothing has left. Any later trouble may have come after the request was taken. */
const neverLeft = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'])

const errorOf = (
  message: string,
  is: { readonly code: string; readonly permanent?: boolean; readonly retryAfterMs?: number; readonly mayHaveHappened?: boolean },
): ChannelError => new ChannelError(message, { channel: 'whatsapp-cloud', permanent: false, ...is })

/** The subcode of a request to a number that is not there, or not the token's: Meta's code for it is that of a wrong parameter. */
const unknownObject = 33

function refusalOf(what: string, status: number, body: unknown, retryAfterMs: number | undefined): ChannelError {
  const read = refusalSchema.safeParse(body)
  // Not Meta's: something in between, which proves nothing.
  if (!read.success)
    return errorOf(`${what}: HTTP ${status} without an error of Meta's`, { code: 'server_error', mayHaveHappened: true })
  const { code, error_subcode: subcode } = read.data.error
  const known: Known | undefined = knownError(code === 100 && subcode === unknownObject ? unknownObject : code)
  const told = `${what}: HTTP ${status}, code ${code}`
  if (known === undefined) {
    if (status === 429) return errorOf(told, { code: 'rate_limited', retryAfterMs: retryAfterMs ?? 60_000 })
    if (status === 401 || status === 403) return errorOf(told, { code: 'unauthorized', retryAfterMs: 60_000 })
    return status >= 500
      ? errorOf(told, { code: 'server_error', mayHaveHappened: true })
      : errorOf(told, { code: `graph_${Math.abs(code)}`, permanent: true })
  }
  const waitMs = Math.max(known.retryAfterMs ?? 0, retryAfterMs ?? 0)
  return errorOf(told, {
    code: known.code,
    permanent: known.meaning === 'final' || known.meaning === 'bug',
    mayHaveHappened: known.uncertain === true,
    ...(waitMs > 0 && known.meaning !== 'window' ? { retryAfterMs: waitMs } : {}),
  })
}

/** `Retry-After` in seconds; a date is not used there. */
function retryAfterOf(headers: Headers): number | undefined {
  const seconds = headers.get('retry-after')
  return seconds !== null && /^\d{1,5}$/.test(seconds) ? Number(seconds) * 1000 : undefined
}

/** What may be told of a failed `fetch`: its code, never the request. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  if (cause instanceof AggregateError) return codeOf(cause.errors[0])
  if (typeof cause !== 'object' || cause === null) return 'unknown'
  if ('code' in cause && typeof cause.code === 'string') return cause.code
  return 'name' in cause && typeof cause.name === 'string' ? cause.name : 'unknown'
}

/**
 * Asks the Graph API once; nothing is repeated here. Resolves to what a 2xx holds. Throws `ChannelError`: a refusal of Meta's proves that
 * nothing was sent, as far as its code says so; a lost connection, a timeout or an answer that is not Meta's prove nothing. The cause is
 * left out on purpose: it may carry the message.
 */
export async function askGraph(
  settings: GraphSettings,
  method: 'GET' | 'POST',
  path: string,
  { body, signal }: { readonly body?: unknown; readonly signal?: AbortSignal } = {},
): Promise<unknown> {
  const what = `${method} ${path.replace(/\d{5,}/gu, '…').split('?')[0]}`
  let response: Response
  let text: string
  try {
    response = await fetch(`${settings.apiRoot}/${path}`, {
      method,
      redirect: 'error',
      headers: {
        authorization: `Bearer ${settings.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      signal: AbortSignal.any([AbortSignal.timeout(settings.timeoutMs), ...(signal === undefined ? [] : [signal])]),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    text = await response.text()
  } catch (error) {
    const code = codeOf(error)
    throw errorOf(`${what}: network trouble (${code})`, { code: 'network', mayHaveHappened: !neverLeft.has(code) })
  }
  const read = jsonOf(text)
  if (!response.ok) throw refusalOf(what, response.status, read, retryAfterOf(response.headers))
  return read
}

/** `undefined` when it is not JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
