import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server that listens on this machine. Disposing cuts what is connected and closes it. */
export interface LocalServer extends AsyncDisposable {
  readonly url: string
  readonly port: number
}

/** Has a server listen on a free port of this machine, unless one is named. */
export async function listening(server: Server, wanted = 0): Promise<LocalServer> {
  await new Promise<void>((resolve) => server.listen(wanted, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
