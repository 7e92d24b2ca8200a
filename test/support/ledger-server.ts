import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type LocalServer, listening } from './local-server.ts'

/**
 * Where a call can be held: `preflight`, before anything was sent; `arrived`, sent and not done; `done`, done and not answered;
 * `answered`, answered and not yet written down by who called.
 */
export type Point = 'preflight' | 'arrived' | 'done' | 'answered'

/** A call as it arrived. */
export interface LedgerRequest {
  readonly point: Point
  readonly action: string
  readonly key: string
  readonly fence: number
  readonly cajas: number
}

/** A ledger on this machine for processes that may be killed: it tells where each call stands, and holds it there. */
export interface LedgerServer extends LocalServer {
  readonly requests: readonly LedgerRequest[]
  /** What was done; with the action `registrar` at most once a key, with `anotar` at every call. */
  readonly effects: readonly LedgerRequest[]
  /** Every call for this many boxes stops at this point, until it is released. Resolves when one has come there. */
  hold(cajas: number, point: Point): Promise<void>
  /** How many of the held calls lost their caller. */
  readonly abandoned: number
  /** Nothing is held any more; what is held goes on, if its caller still lives. */
  release(): void
}

export async function ledgerServer(): Promise<LedgerServer> {
  const requests: LedgerRequest[] = []
  const effects: LedgerRequest[] = []
  const holds = new Map<string, { readonly reached: () => void; readonly released: Promise<void> }>()
  let releasing = Promise.withResolvers<void>()

  let abandoned = 0

  /** False when whoever called died meanwhile. */
  const pass = async (request: LedgerRequest, point: Point, response: ServerResponse): Promise<boolean> => {
    const held = holds.get(`${request.cajas}@${point}`)
    if (held === undefined) return true
    held.reached()
    const lives = await Promise.race([held.released.then(() => true), once(response, 'close').then(() => false)])
    if (!lives) abandoned += 1
    return lives
  }

  const server = createServer(async (incoming: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const request = JSON.parse(Buffer.concat(chunks).toString()) as LedgerRequest
    requests.push(request)
    if (request.point === 'arrived') {
      // Who died before the work was done took the call along.
      if (!(await pass(request, 'arrived', response))) return
      if (request.action !== 'registrar' || !effects.some(({ key }) => key === request.key)) effects.push(request)
    }
    if (await pass(request, request.point === 'arrived' ? 'done' : request.point, response)) response.writeHead(200).end('{}')
  })
  const local = await listening(server)
  return {
    ...local,
    requests,
    effects,
    get abandoned() {
      return abandoned
    },
    hold(cajas, point) {
      const { promise, resolve } = Promise.withResolvers<void>()
      holds.set(`${cajas}@${point}`, { reached: resolve, released: releasing.promise })
      return promise
    },
    release() {
      holds.clear()
      releasing.resolve()
      releasing = Promise.withResolvers<void>()
    },
    async [Symbol.asyncDispose]() {
      releasing.resolve()
      await local[Symbol.asyncDispose]()
    },
  }
}
