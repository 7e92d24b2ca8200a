import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A line to a server that can fall silent without being cut, as after a failover: nothing arrives and nobody says so. */
export interface FaultyLine extends AsyncDisposable {
  readonly port: number
  /** How many connections came so far. */
  readonly connections: number
  /** Everything connected now hears nothing any more; connections made later work. */
  silence(): void
}

/** Lays a line to `host:port`. */
export async function faultyLine(host: string, port: number): Promise<FaultyLine> {
  const open = new Set<Socket>()
  let connections = 0
  const server = createServer((near) => {
    connections += 1
    const far = connect(port, host)
    near.pipe(far).pipe(near)
    for (const end of [near, far]) {
      open.add(end)
      end.on('error', () => undefined) // What either end does when the other is gone is theirs to tell.
      end.on('close', () => {
        near.destroy()
        far.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return {
    port: address.port,
    get connections() {
      return connections
    },
    silence() {
      for (const end of open) {
        end.unpipe()
        end.pause()
        end.removeAllListeners('close')
      }
    },
    async [Symbol.asyncDispose]() {
      server.close()
      for (const end of open) end.destroy()
    },
  }
}
