import { once } from 'node:events'
import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import type { Hono } from 'hono'

/** Where to listen. The times are for tests. */
export interface Listening {
  readonly host: string
  /** 0 takes any free one. */
  readonly port: number
  /** How long a request may take to arrive (10 s): whoever sends a byte a minute holds no connection. */
  readonly arriveWithinMs?: number
  /** How long requests in hand are waited for at the end (2 s); a page that listens for news never ends by itself. */
  readonly endWithinMs?: number
}

/** A server that listens. Disposing takes no new request, waits for those in hand, and closes every connection. */
export interface Listens extends AsyncDisposable {
  /** `http://host:port`, with the port that was given. */
  readonly url: string
}

/** The address is taken, may not be used, or is not one of this machine. The message says what to do. */
export class CannotListenError extends Error {
  override readonly name = 'CannotListenError'
}

/** Listens for an app. Throws `CannotListenError`. */
export async function listen(
  app: Hono,
  { host, port, arriveWithinMs = 10_000, endWithinMs = 2000 }: Listening,
): Promise<Listens> {
  const server = createAdaptorServer({
    fetch: app.fetch,
    serverOptions: {
      requestTimeout: arriveWithinMs,
      headersTimeout: arriveWithinMs,
      connectionsCheckingInterval: Math.min(1000, arriveWithinMs / 2),
      maxHeaderSize: 16 * 1024,
      // Longer than the idle time of the usual proxies, which otherwise send into a connection that is being closed.
      keepAliveTimeout: 65_000,
    },
  }) as Server
  server.maxConnections = 10_000
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw new CannotListenError(whyNot(cause, host, port), { cause })
  }
  const address = server.address()
  const taken = typeof address === 'object' && address !== null ? address.port : port
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      // A connection that is kept alive is idle once its answer is out, and would stay for a minute.
      const idle = setInterval(() => server.closeIdleConnections(), 20)
      const over = setTimeout(() => server.closeAllConnections(), endWithinMs)
      await closed
      clearInterval(idle)
      clearTimeout(over)
    },
  }
}

function whyNot(cause: unknown, host: string, port: number): string {
  switch ((cause as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is used by another process: stop that one, or set PORT to another number (0 takes any free one).`
    case 'EACCES':
      return `This user may not listen on port ${port}: set PORT to 1024 or above, and put a proxy in front.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is no address of this machine: set HOST to 127.0.0.1, or to 0.0.0.0 for every address it has.`
    default:
      return `Cannot listen on ${host}:${port}: ${cause instanceof Error ? cause.message : String(cause)}`
  }
}
