import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { type LocalServer, listening } from './local-server.ts'

/** What the agent does with the next turn. `chunks` are written one by one; `thenReset` breaks the connection after them. */
export interface Script {
  readonly status?: number
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly chunks?: readonly (string | Uint8Array)[]
  readonly thenReset?: boolean
  readonly thenHang?: boolean
}

/** A turn as it arrived, and whether its signature holds. */
export interface ArrivedTurn {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly verified: boolean
}

/** The far side of `httpAgent`, written from the Standard Webhooks specification: it verifies each request on its raw bytes. */
export interface AgentServer extends LocalServer {
  readonly arrived: readonly ArrivedTurn[]
  /** How many connections are open now. */
  connections(): Promise<number>
  /** Plays these, one a request; after them it says "listo". */
  next(...scripts: readonly Script[]): void
}

export async function startAgentServer(secret: string): Promise<AgentServer> {
  const arrived: ArrivedTurn[] = []
  const planned: Script[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    arrived.push({ headers: request.headers, body: body.toString('utf8'), verified: verify(secret, request.headers, body) })
    const script = planned.shift() ?? { chunks: ['{"events":[{"kind":"text","text":"listo"}]}'] }
    response.writeHead(script.status ?? 200, { 'content-type': script.type ?? 'application/json', ...script.headers })
    for (const chunk of script.chunks ?? []) await new Promise((resolve) => response.write(chunk, resolve))
    if (script.thenHang) return
    if (script.thenReset) request.socket.resetAndDestroy()
    else response.end()
  })
  const local = await listening(server)
  return {
    ...local,
    url: `${local.url}/turns`,
    arrived,
    connections: () =>
      new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count)))),
    next: (...scripts) => planned.push(...scripts),
  }
}

function verify(secret: string, headers: IncomingHttpHeaders, body: Buffer): boolean {
  const at = Number(headers['webhook-timestamp'])
  if (!(Math.abs(Date.now() / 1000 - at) < 300)) return false
  const signed = Buffer.concat([Buffer.from(`${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.`), body])
  const expected = createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'))
    .update(signed)
    .digest()
  return String(headers['webhook-signature'])
    .split(' ')
    .some((signature) => {
      const given = Buffer.from(signature.replace('v1,', ''), 'base64')
      return signature.startsWith('v1,') && given.length === expected.length && timingSafeEqual(given, expected)
    })
}
