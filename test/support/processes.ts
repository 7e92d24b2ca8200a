import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** What a process of Dale is, and where everything stands that it talks to. */
export interface ProcessSettings {
  readonly gateway: boolean
  readonly workers: boolean
  /** The Bot API server's address and token. */
  readonly apiRoot: string
  readonly token: string
  /** The ledger server's address. */
  readonly ledger: string
  readonly databaseUrl?: string
  readonly redisUrl?: string
  /** Its account has a line, which is this process's or another's. */
  readonly lined?: { readonly owner: string; readonly ttlMs: number }
  /** The folder of an embedded database, instead. */
  readonly folder?: string
  /** How much later it is, by the clock of its embedded database, when it starts. */
  readonly laterMs?: number
  /** Its agent goes on from outcomes, and asks the ledger server before it answers: by `resumed`, for a hundred boxes more than the outcome's. */
  readonly resumes?: true
  readonly verbose?: boolean
}

/** What a test asks of a running process. */
export type Wish = { readonly do: 'moveClock'; readonly byMs: number } | { readonly do: 'drain' }

/** A real process, to be killed, stopped and gone on with. Disposing kills it. */
export class DaleProcess implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #gone: Promise<unknown>

  private constructor(child: ChildProcess) {
    this.#child = child
    this.#gone = once(child, 'exit')
  }

  /** Starts one; resolves when it is at work. */
  static async started(settings: ProcessSettings): Promise<DaleProcess> {
    const child = spawn(
      process.execPath,
      [
        '--conditions=dale-source',
        '--no-wasm-tier-up',
        '--no-wasm-dynamic-tiering',
        join(import.meta.dirname, 'processes-child.ts'),
      ],
      { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env: { ...process.env, DALE_TEST_PROCESS: JSON.stringify(settings) } },
    )
    const started = new DaleProcess(child)
    const died = started.#gone.then(() => Promise.reject(new Error('The process ended before it was at work')))
    await Promise.race([once(child, 'message'), died])
    died.catch(() => undefined) // Being killed later is what it is for.
    return started
  }

  /** Ends it as a power cut would; resolves when it is gone. */
  async kill(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL')
    await this.#gone
  }

  /** Stops it where it stands, as a long pause would. */
  pause(): void {
    this.#child.kill('SIGSTOP')
  }

  goOn(): void {
    this.#child.kill('SIGCONT')
  }

  /** Moves the clock of its embedded database. */
  moveClock(byMs: number): Promise<void> {
    return this.#wish({ do: 'moveClock', byMs })
  }

  /** Has it take up nothing new; resolves when what it had in hand has ended. */
  drain(): Promise<void> {
    return this.#wish({ do: 'drain' })
  }

  async #wish(wish: Wish): Promise<void> {
    const done = once(this.#child, 'message')
    this.#child.send(wish)
    await done
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
  }
}
