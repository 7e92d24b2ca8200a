import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { Redis } from 'ioredis'
import { freePort } from '../../scripts/free-port.ts'

/** Where a Redis (or Valkey, which is the same here) program is on this machine, if there is one. */
export function redisBinary(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return ['redis-server', 'valkey-server'].flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync)
}

/** A Redis of one's own on a free port, to be killed and started again. Its data outlives a kill. */
export class OwnRedis implements AsyncDisposable {
  readonly url: string
  readonly #port: number
  readonly #folder: string
  readonly #settings: readonly string[]
  #process: ChildProcess | undefined

  private constructor(port: number, folder: string, settings: readonly string[]) {
    this.#port = port
    this.#folder = folder
    this.#settings = settings
    this.url = `redis://127.0.0.1:${port}`
  }

  /** Starts one; `settings` as on redis-server's command line. */
  static async started(...settings: readonly string[]): Promise<OwnRedis> {
    await using cleanup = new AsyncDisposableStack()
    const redis = cleanup.use(await OwnRedis.reserved(...settings))
    await redis.start()
    cleanup.move()
    return redis
  }

  /** Picks a free port and starts nothing yet. */
  static async reserved(...settings: readonly string[]): Promise<OwnRedis> {
    return new OwnRedis(await freePort(), await mkdtemp(join(tmpdir(), 'dale-redis-')), settings)
  }

  /** Starts the program and resolves when it answers. `more` settings win over those it was made with. */
  async start(...more: readonly string[]): Promise<void> {
    const binary = redisBinary()
    if (binary === undefined) throw new Error("there is no redis-server here: use describeOn('redis-server', …)")
    const own = ['--port', String(this.#port), '--bind', '127.0.0.1', '--dir', this.#folder, '--save', '', '--appendonly', 'yes']
    const child = spawn(binary, [...own, ...this.#settings, ...more], { stdio: 'ignore' })
    this.#process = child
    const died = once(child, 'exit').then(([code]: unknown[]) =>
      Promise.reject(new Error(`redis-server ended with ${String(code)}`)),
    )
    died.catch(() => undefined) // Being killed later is what it is for.
    const client = new Redis(this.url, { retryStrategy: () => 20, maxRetriesPerRequest: null })
    client.on('error', () => undefined) // Refused until it listens.
    try {
      await Promise.race([new Promise((listens) => client.once('connect', listens)), died])
    } finally {
      client.disconnect()
    }
  }

  /** Ends the program as a power cut would; resolves when it is gone. */
  async kill(): Promise<void> {
    const child = this.#process
    this.#process = undefined
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    await rm(this.#folder, { recursive: true, force: true })
  }
}
