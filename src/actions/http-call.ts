import type { lookup } from 'node:dns'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { type AllowPrivate, guardedLookup, refusalOfLiteral } from './addresses.ts'

/** One request, ready to be sent. */
export interface HttpCall {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
  readonly allowPrivate: AllowPrivate
  /** Bytes of the answer's body that are read at most. */
  readonly maxBytes: number
  readonly resolve?: typeof lookup
}

/** What came back. `body` is parsed JSON, else text; undefined when it was empty or larger than the cap. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: unknown
  readonly cut: boolean
}

/** No whole answer came. `sent: false` proves that no byte of the request left this process. */
export class HttpCallError extends Error {
  override readonly name = 'HttpCallError'
  readonly sent: boolean
  constructor(message: string, sent: boolean, options?: ErrorOptions) {
    super(message, options)
    this.sent = sent
  }
}

/**
 * Sends one request on a connection of its own, so that "was anything sent?" has an answer, and reads the answer. Follows no
 * redirect: the address it leads to was never agreed on. Throws `HttpCallError`; never retries.
 */
export async function httpCall(call: HttpCall): Promise<HttpAnswer> {
  const refusal = refusalOfLiteral(call.url.hostname, call.allowPrivate)
  if (refusal !== undefined) throw new HttpCallError(refusal.message, false, { cause: refusal })
  let sent = false
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = (call.url.protocol === 'https:' ? requestHttps : requestHttp)(call.url, {
        method: call.method,
        headers: { 'accept-encoding': 'identity', ...call.headers },
        agent: false,
        lookup: guardedLookup(call.allowPrivate, call.resolve),
        signal: call.signal,
      })
      request.once('socket', (socket) => whenReady(socket, () => (sent = true)))
      request.once('response', resolve)
      // More than one error may come (an abort, then the reset it causes); only the first is the answer, none may go unheard.
      request.on('error', reject)
      request.end(call.body)
    })
    const bytes = await bytesOf(response, call.maxBytes)
    return { status: response.statusCode ?? 0, headers: response.headers, body: parsed(bytes), cut: bytes === undefined }
  } catch (cause) {
    throw new HttpCallError(`${call.method} ${call.url.origin}: ${describe(cause, call.signal)}`, sent, { cause })
  }
}

/** Calls back once bytes of the request can leave: as soon as the connection stands, and with TLS not before the handshake is through. */
export function whenReady(socket: Socket, ready: () => void): void {
  const secure = socket instanceof TLSSocket
  if (secure || socket.connecting) socket.once(secure ? 'secureConnect' : 'connect', ready)
  else if (!socket.destroyed) ready()
}

async function bytesOf(response: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function parsed(bytes: Buffer | undefined): unknown {
  if (bytes === undefined || bytes.length === 0) return undefined
  const text = bytes.toString('utf8')
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function describe(cause: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'no answer in time'
  if (!(cause instanceof Error)) return String(cause)
  return 'code' in cause && typeof cause.code === 'string' && cause.message === '' ? cause.code : cause.message
}
