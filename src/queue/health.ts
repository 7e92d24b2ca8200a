import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../ports/log.ts'

/** How a `Health` looks after what it watches. */
export interface Watched {
  /** Opens what is watched; rejects while it cannot be. Called again until it succeeds, then never more. */
  readonly open: () => Promise<void>
  /** Does it answer now? Rejects if not; must settle by itself. */
  readonly probe: () => Promise<void>
  /** It answers, for the first time or again. */
  readonly onUp: () => void
  /** It still answers: called at every quiet look. */
  readonly onLook: () => Promise<void>
}

/**
 * Whether the queue can be used, kept true in the background: opened with retries, looked at now and then and at every doubt, and
 * while it is down asked again every `retryEveryMs`. The log hears of each change once, and of errors at most once per look.
 */
export class Health {
  readonly #watched: Watched
  readonly #log: Log
  readonly #lookEveryMs: number
  readonly #retryEveryMs: number
  readonly #stopped = new AbortController()
  #state: 'opening' | 'up' | 'down' = 'opening'
  #open = false
  #doubts = 0
  #doubted = Promise.withResolvers<void>()
  readonly #settled = Promise.withResolvers<void>()
  readonly #watching: Promise<void>

  constructor(watched: Watched, log: Log, lookEveryMs: number, retryEveryMs: number) {
    this.#watched = watched
    this.#log = log
    this.#lookEveryMs = lookEveryMs
    this.#retryEveryMs = retryEveryMs
    this.#watching = this.#watch()
  }

  get isUp(): boolean {
    return this.#state === 'up'
  }

  /** Resolves when the first try to open has ended, well or badly, or when watching was stopped. */
  firstTry(): Promise<void> {
    return this.#settled.promise
  }

  /** Something failed: says so in the log unless it is known, and has the queue looked at soon. */
  doubt(error: unknown, about: Readonly<Record<string, unknown>> = {}): void {
    this.#doubts += 1
    if (this.#doubts > 1 || this.#state !== 'up') return
    this.#log.warn({ ...about, error: messageOf(error) }, 'queue_error')
    this.#doubted.resolve()
  }

  /** Stops watching; resolves when the look in progress has ended. */
  async stop(): Promise<void> {
    this.#state = 'down'
    this.#stopped.abort()
    this.#settled.resolve()
    await this.#watching
  }

  async #watch(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      await this.#look()
      this.#settled.resolve()
      // A doubt is looked into after one retry's time: a storm of errors must become neither a storm of probes nor of log lines.
      if (this.#state === 'up') await Promise.race([this.#pause(this.#lookEveryMs), this.#doubted.promise])
      if (this.#state !== 'up' || this.#doubts > 0) await this.#pause(this.#retryEveryMs)
    }
  }

  async #look(): Promise<void> {
    const errors = this.#doubts
    this.#doubts = 0
    this.#doubted = Promise.withResolvers<void>()
    try {
      if (this.#open) await this.#watched.probe()
      else await this.#watched.open()
      this.#open = true
      if (this.#stopped.signal.aborted) return
      if (this.#state === 'up') await this.#watched.onLook()
      else this.#rise(errors)
    } catch (error) {
      if (this.#stopped.signal.aborted) return
      if (this.#state !== 'down') this.#log.error({ error: messageOf(error) }, 'queue_down')
      this.#state = 'down'
    }
  }

  #rise(errors: number): void {
    this.#watched.onUp()
    this.#log.info({ errors }, 'queue_up')
    this.#state = 'up'
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopped.signal, ref: false }).catch(() => undefined)
  }
}

/** What an error says, for the log. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ')
  return error.message
}
