import { setTimeout } from 'node:timers/promises'
import type { Update } from './payload.ts'

interface Waiting {
  readonly update: Update
  readonly settle: () => void
}

/**
 * How the simulator's provider delivers: in order and one at a time per chat, each update again until it was taken, chats in parallel.
 * What was not taken when it stops waits for the next start.
 */
export class Delivery {
  readonly #againAfterMs: number
  readonly #waiting = new Map<string, Waiting[]>()
  readonly #running = new Map<string, Promise<void>>()
  #hand: ((update: Update) => Promise<void>) | undefined
  #stopping = new AbortController()

  constructor(againAfterMs: number) {
    this.#againAfterMs = againAfterMs
  }

  /** Resolves once the update was taken, or at once while stopped. */
  push(update: Update): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const lane = this.#waiting.get(update.chat.id) ?? []
    this.#waiting.set(update.chat.id, lane)
    lane.push({ update, settle: resolve })
    if (this.#hand === undefined) resolve()
    else this.#run(update.chat.id, lane)
    return promise
  }

  start(hand: (update: Update) => Promise<void>): void {
    this.#hand = hand
    this.#stopping = new AbortController()
    for (const [chat, lane] of this.#waiting) this.#run(chat, lane)
  }

  /** Resolves when nothing is being handed over any more. */
  async stop(): Promise<void> {
    this.#hand = undefined
    this.#stopping.abort()
    await Promise.all(this.#running.values())
    for (const lane of this.#waiting.values()) for (const { settle } of lane) settle()
  }

  get isRunning(): boolean {
    return this.#hand !== undefined
  }

  #run(chat: string, lane: Waiting[]): void {
    if (lane.length > 0 && !this.#running.has(chat)) this.#running.set(chat, this.#drain(chat, lane))
  }

  async #drain(chat: string, lane: Waiting[]): Promise<void> {
    for (let first = lane[0]; first !== undefined && this.#hand !== undefined; first = lane[0]) {
      const taken = await this.#hand(first.update).then(
        () => true,
        // Not stored (the database is down): the gateway logs why, a provider only knows that it has to deliver again.
        () => false,
      )
      if (taken) {
        lane.shift()
        first.settle()
      } else await setTimeout(this.#againAfterMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined)
    }
    // In the same step as the last look at the lane: an update pushed after it finds no one running and starts anew.
    this.#running.delete(chat)
  }
}
