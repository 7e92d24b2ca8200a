import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { type AllowPrivate, guardedLookup, refusalOfLiteral } from './addresses.ts'
import { HttpCallError, whenReady } from './http-call.ts'

/** Of one answer or stream. A stream of notifications that grew so long is opened anew by whoever reads it. */
const maxBytes = 10 * 1024 * 1024

/** Answers that have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

/**
 * A `fetch` that connects only to the addresses that it may, on a connection of its own, follows no redirect and reads no endless answer.
 * Throws `HttpCallError`, whose `sent: false` proves that no byte left.
 */
export const guardedFetch =
  (allowPrivate: AllowPrivate, headers: () => Readonly<Record<string, string>>) =>
  async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input)
    const refusal = refusalOfLiteral(url.hostname, allowPrivate)
    if (refusal !== undefined) throw new HttpCallError(refusal.message, false, { cause: refusal })
    const { method = 'GET', signal, body } = init
    let sent = false
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
          method,
          headers: { 'accept-encoding': 'identity', ...Object.fromEntries(new Headers(init.headers)), ...headers() },
          agent: false,
          lookup: guardedLookup(allowPrivate),
          ...(signal ? { signal } : {}),
        })
        request.once('socket', (socket) => whenReady(socket, () => (sent = true)))
        request.once('response', resolve)
        request.on('error', reject)
        request.end(typeof body === 'string' ? body : undefined)
      })
      const { statusCode: status = 502, rawHeaders } = response
      const pairs = rawHeaders.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : []))
      const hasBody = method !== 'HEAD' && !bodiless.has(status)
      if (!hasBody) response.resume()
      return new Response(hasBody ? ReadableStream.from(capped(response)) : null, { status, headers: pairs })
    } catch (cause) {
      if (signal?.aborted) throw signal.reason
      throw new HttpCallError(`${method} ${url.origin}: ${(cause as Error).message}`, sent, { cause })
    }
  }

async function* capped(response: IncomingMessage): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw new HttpCallError(`an answer over ${maxBytes} bytes is not read`, true)
    yield chunk
  }
}
