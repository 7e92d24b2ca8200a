import { once } from 'node:events'
import { createServer } from 'node:net'

/** A port of this machine on which nobody listened just now, for a program that is told its port when it is started. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return address.port
}
