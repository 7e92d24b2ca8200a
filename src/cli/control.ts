import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { createServer, request, type Server } from 'node:http'
import { join, relative } from 'node:path'
import { json } from 'node:stream/consumers'
import { BrokenInvariantError } from '../core/errors.ts'
import type { Log } from '../ports/log.ts'
import type { Operations } from './operations.ts'

const names = [
  'list',
  'find',
  'show',
  'settle',
  'halts',
  'halt',
  'resume',
  'activeVocabularies',
  'vocabularyHistory',
  'activate',
  'nearMisses',
  'wordDecisions',
  'forgetNearMisses',
  'forgetPast',
  'people',
  'changePeople',
  'peopleChanges',
  'personOf',
  'askingPast',
  'grants',
  'grantUses',
  'revokeGrant',
  'makeKey',
  'keys',
  'revokeKey',
  'webhooks',
  'replayWebhook',
  'consentOf',
  'deskActions',
  'deskPropose',
  'deskWithdraw',
  'deskOutcome',
] as const satisfies readonly (keyof Operations)[]

/** A socket's path may be about a hundred bytes long; from the working directory it is often shorter. */
function socketIn(folder: string): string | undefined {
  const path = join(folder, 'control.sock')
  const shortest = [path, relative(process.cwd(), path)].toSorted((a, b) => a.length - b.length)[0] ?? path
  return Buffer.byteLength(shortest) > 100 ? undefined : shortest
}

/**
 * Lets other commands on this machine operate on the embedded database, which only one process may open. The socket lies in the data
 * folder and is this user's alone. Where it cannot be opened that is logged, and the commands say to stop this process first.
 */
export async function openControl(folder: string, operations: Operations, log: Log): Promise<AsyncDisposable> {
  const server = createServer(async (incoming, response) => {
    try {
      const name = names.find((one) => incoming.url === `/${one}`)
      if (name === undefined) return void response.writeHead(404).end()
      const args = (await json(incoming)) as readonly never[]
      const result: unknown = await (operations[name] as (...args: readonly never[]) => Promise<unknown>)(...args)
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ result }))
    } catch (error) {
      log.error({ err: error }, 'control_failed')
      response.writeHead(500).end(JSON.stringify({ error: error instanceof Error ? error.message : String(error) }))
    }
  })
  const socket = socketIn(folder)
  try {
    if (socket === undefined) throw new Error('the path of the data folder is too long for a socket')
    // Left behind by a process that was killed: whoever gets here holds the folder's lock.
    await rm(socket, { force: true })
    await listening(server, socket)
    await chmod(socket, 0o600)
  } catch (error) {
    log.warn({ err: error }, 'control_not_open')
    return { [Symbol.asyncDispose]: async () => {} }
  }
  return {
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      await closed
    },
  }
}

async function listening(server: Server, socket: string): Promise<void> {
  server.listen(socket)
  await once(server, 'listening')
}

/** The operations of the process that has the folder open; undefined where none answers. */
export async function controlOf(folder: string): Promise<Operations | undefined> {
  const socket = socketIn(folder)
  if (socket === undefined) return undefined
  const call =
    (name: string) =>
    async (...args: readonly unknown[]) =>
      await ask(socket, name, args)
  const operations = Object.fromEntries(names.map((name) => [name, call(name)])) as unknown as Operations
  try {
    await operations.halts()
    return operations
  } catch (error) {
    if (['ENOENT', 'ECONNREFUSED'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}

async function ask(socketPath: string, name: string, args: readonly unknown[]): Promise<unknown> {
  const asking = request({ socketPath, path: `/${name}`, method: 'POST', agent: false, timeout: 30_000 })
  asking.on('timeout', () => asking.destroy(new Error('the running process does not answer')))
  asking.end(JSON.stringify(args))
  const [response] = await once(asking, 'response')
  const answered = (await json(response)) as { readonly result?: unknown; readonly error?: string }
  if (response.statusCode !== 200)
    throw new BrokenInvariantError(`The running process could not do it: ${answered.error ?? 'no reason given'}`)
  return answered.result
}
