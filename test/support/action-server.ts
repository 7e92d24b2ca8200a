import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type LocalServer, listening } from './local-server.ts'

/** How the far side behaves towards the next request. `lost`: it does the work, and the answer never arrives. */
export type Behaviour =
  | {
      readonly kind: 'status'
      readonly status: number
      readonly body?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  | { readonly kind: 'reset' | 'hang' | 'half' | 'lost' }

/** A request as it arrived. */
export interface Arrived {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/**
 * A far side that keeps idempotency keys as draft-ietf-httpapi-idempotency-key describes: a key seen before gets the first answer
 * again, or 422 when its body differs. `effects` is what was really done, once each.
 */
export interface ActionServer extends LocalServer {
  readonly host: string
  readonly arrived: readonly Arrived[]
  readonly effects: readonly { readonly key: string | undefined; readonly path: string; readonly body: unknown }[]
  /** Plays these, one a request; after them everything goes well again. */
  next(...behaviours: readonly Behaviour[]): void
}

export async function startActionServer(): Promise<ActionServer> {
  const arrived: Arrived[] = []
  const effects: { key: string | undefined; path: string; body: unknown }[] = []
  const kept = new Map<string, { readonly body: string; readonly answer: string }>()
  const planned: Behaviour[] = []

  const server = createServer(async (request, response) => {
    const body = await textOf(request)
    const { method = '', url: path = '' } = request
    arrived.push({ method, path, headers: request.headers, body })
    const behaviour = planned.shift()
    if (behaviour?.kind === 'hang') return
    if (behaviour?.kind === 'reset') return request.socket.resetAndDestroy()
    if (behaviour?.kind === 'half') {
      response.writeHead(200, { 'content-length': '1000' }).write('{"id":')
      response.socket?.end()
      return
    }
    if (behaviour?.kind === 'status') return void response.writeHead(behaviour.status, behaviour.headers).end(behaviour.body)
    if (method === 'GET') return lookUp(path, response)
    const key = request.headers['idempotency-key']
    const answer = work(typeof key === 'string' ? key : undefined, path, body)
    if (behaviour?.kind === 'lost') return request.socket.resetAndDestroy()
    if (answer === undefined) return void response.writeHead(422).end('{"error":"this key came with another body"}')
    response.writeHead(201, { 'content-type': 'application/json' }).end(answer)
  })

  function work(key: string | undefined, path: string, body: string): string | undefined {
    const before = key === undefined ? undefined : kept.get(key)
    if (before !== undefined) return before.body === body ? before.answer : undefined
    effects.push({ key, path, body: body === '' ? undefined : JSON.parse(body) })
    const answer = JSON.stringify({ id: effects.length, success: true })
    if (key !== undefined) kept.set(key, { body, answer })
    return answer
  }

  function lookUp(path: string, response: ServerResponse): void {
    const found = kept.get(decodeURIComponent(path.slice(path.lastIndexOf('/') + 1)))
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' }).end(found?.answer ?? '{}')
  }

  return {
    ...(await listening(server)),
    host: '127.0.0.1',
    arrived,
    effects,
    next: (...behaviours) => planned.push(...behaviours),
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
