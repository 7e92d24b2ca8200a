import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import { listening } from './local-server.ts'

/** When the service dies: with the next change that it is asked for, before it has seen it or after it has done it. */
export type Death = 'before' | 'after'

/** An example's service in a process of its own, at an address that outlives it. Disposing it ends both. */
export interface KillableService extends AsyncDisposable {
  readonly url: string
  /** Kills it, as `kill -9` does, at that moment of the next change; whoever asked gets no answer. Resolves once it is dead. */
  dies(when: Death): Promise<void>
  /** Starts it again over what it had written. */
  starts(): Promise<void>
  /** What it says it has done. */
  movements(): Promise<readonly unknown[]>
}

/** Starts the service of an example, with a journal on disk. */
export async function killableService(example: string, ledgerFile: string): Promise<KillableService> {
  const path = join(import.meta.dirname, '..', '..', 'examples', example, 'service.ts')
  const begin = async () => {
    const child = spawn(process.execPath, [path], {
      env: { ...process.env, PORT: '0', LEDGER_FILE: ledgerFile },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    for await (const line of createInterface({ input: child.stdout })) return { child, url: line.replace(/^\w+: /, '') }
    throw new Error(`the service of ${example} said no address`)
  }
  let service = await begin()
  let death: { readonly when: Death; readonly done: () => void } | undefined
  const kill = async () => {
    const gone = once(service.child, 'exit')
    service.child.kill('SIGKILL')
    await gone
  }

  const door = await listening(
    createServer(async (request, response) => {
      const body = new Uint8Array(await buffer(request))
      const dying = request.method === 'POST' ? death : undefined
      if (dying?.when === 'before') await kill()
      try {
        const answer = await fetch(service.url + request.url, {
          method: request.method ?? 'GET',
          headers: {
            'content-type': 'application/json',
            ...(request.headers['idempotency-key'] === undefined
              ? {}
              : { 'idempotency-key': String(request.headers['idempotency-key']) }),
          },
          ...(request.method === 'POST' ? { body } : {}),
        })
        const answered = new Uint8Array(await answer.arrayBuffer())
        if (dying?.when === 'after') await kill()
        if (dying === undefined)
          return void response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answered)
      } catch {
        // Nobody is there: whoever asked sees a connection that ends.
      }
      request.socket.destroy()
      if (dying === undefined) return
      death = undefined
      dying.done()
    }),
  )

  return {
    url: door.url,
    dies: (when) => new Promise((done) => (death = { when, done })),
    starts: async () => {
      service = await begin()
    },
    movements: async () => (await (await fetch(`${service.url}/movimientos`)).json()) as readonly unknown[],
    async [Symbol.asyncDispose]() {
      await door[Symbol.asyncDispose]()
      if (service.child.exitCode === null && service.child.signalCode === null) await kill()
    },
  }
}
