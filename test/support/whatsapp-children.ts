import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** What a gateway of one number needs to know. */
export interface ChildSettings {
  readonly account: string
  readonly serverUrl: string
  /** The root of the server's certificates, in base64. */
  readonly trust: string
  readonly databaseUrl: string
  /** The secret key, in hex. */
  readonly secret: string
  /** How long its store takes for each event, in seconds. */
  readonly storeSeconds?: number
  readonly verbose?: boolean
}

export interface ToChild {
  readonly send?: { readonly to: string; readonly text: string; readonly ref: string }
  readonly drain?: true
}

export interface FromChild {
  readonly line?: 'held' | 'let go'
  readonly sent?: { readonly ref: string; readonly as: string }
}

/** A gateway in a process of its own, to be killed. Disposing kills it. */
export class WhatsAppChild implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #gone: Promise<unknown>
  /** Everything that it told, in order. */
  readonly told: FromChild[] = []

  constructor(settings: ChildSettings) {
    this.#child = spawn(process.execPath, ['--conditions=dale-source', join(import.meta.dirname, 'whatsapp-child.ts')], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, DALE_TEST_WHATSAPP: JSON.stringify(settings) },
    })
    this.#gone = once(this.#child, 'exit')
    this.#child.on('message', (message: FromChild) => void this.told.push(message))
  }

  /** Resolves when it is at work, connected or not; rejects when it ends before. */
  async started(): Promise<void> {
    if (this.told.length > 0) return
    const died = this.#gone.then(() => Promise.reject(new Error('The gateway ended before it was at work')))
    died.catch(() => undefined) // Being killed later is what it is for.
    await Promise.race([once(this.#child, 'message'), died])
  }

  get holds(): boolean {
    return this.told.findLast(({ line }) => line !== undefined)?.line === 'held'
  }

  /** A process that is gone hears nothing. */
  tell(message: ToChild): void {
    if (this.#child.connected) this.#child.send(message)
  }

  /** Asks it to end; resolves when it has. */
  async drain(): Promise<void> {
    this.tell({ drain: true })
    await this.#gone
  }

  /** Ends it as a power cut would; resolves when it is gone. */
  async kill(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL')
    await this.#gone
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
  }
}
