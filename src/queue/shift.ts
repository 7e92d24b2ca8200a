import { setTimeout as sleep } from 'node:timers/promises'
import type { Room } from '../ports/bell.ts'
import type { Log } from '../ports/log.ts'
import type { Engine, RingQueue, RingWorker } from './engine.ts'
import { messageOf } from './health.ts'
import { within } from './within.ts'

/** How long closing may take once nothing is in hand any more: a queue that is away must not keep the process. */
const closeWithinMs = 5000

/** One room worked by this process, through as many BullMQ workers as it takes: one that ends or stands still is replaced. */
export class Shift {
  readonly room: Room
  readonly #onBell: (id: string) => Promise<void>
  readonly #log: Log
  readonly #retryEveryMs: number
  readonly #stopped = new AbortController()
  readonly #inHand = new Set<Promise<void>>()
  #engine: Engine | undefined
  #worker: RingWorker | undefined
  #replaced = Promise.withResolvers<void>()
  #rung = 0
  #seen: { readonly rung: number; readonly waiting: boolean } = { rung: 0, waiting: false }

  constructor(room: Room, onBell: (id: string) => Promise<void>, log: Log, retryEveryMs: number) {
    this.room = room
    this.#onBell = onBell
    this.#log = log
    this.#retryEveryMs = retryEveryMs
  }

  get isWorking(): boolean {
    return this.#worker?.isRunning() ?? false
  }

  /** Begins to work; a second call changes nothing. */
  begin(engine: Engine): void {
    if (this.#engine !== undefined || this.#stopped.signal.aborted) return
    this.#engine = engine
    void this.#work(engine)
  }

  /**
   * Replaces a worker that did nothing between two looks while bells waited and its hands were empty: after a failover a worker may
   * wait for ever on a connection that nobody serves, while ringing still works.
   */
  async look(queue: RingQueue): Promise<void> {
    const seen = this.#seen
    const waiting = this.#inHand.size === 0 && (await queue.getWaitingCount()) > 0
    this.#seen = { rung: this.#rung, waiting }
    if (!waiting || !seen.waiting || seen.rung !== this.#rung || this.#worker === undefined) return
    this.#log.error({ room: this.room }, 'queue_worker_stood_still')
    const still = this.#worker
    this.#worker = undefined
    this.#seen = { rung: this.#rung, waiting: false }
    this.#replaced.resolve()
    void this.#close(still, true)
  }

  /** Stops fetching, waits for the bells in hand however long they take, and closes the worker. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    const worker = this.#worker
    if (worker === undefined) return
    const closed = worker.close()
    // A job fetched in the last moment is still worked, so what is in hand is asked for until it stays nothing.
    while (this.#inHand.size > 0) await Promise.allSettled(this.#inHand)
    await this.#close(worker, false, closed)
    while (this.#inHand.size > 0) await Promise.allSettled(this.#inHand)
  }

  async #work(engine: Engine): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      this.#replaced = Promise.withResolvers<void>()
      const worker = engine.worker(this.room, (id) => this.#take(id))
      this.#worker = worker
      try {
        await worker.waitUntilReady()
        if (this.#stopped.signal.aborted) return
        await Promise.race([worker.run(), this.#replaced.promise])
      } catch (error) {
        this.#log.warn({ room: this.room, error: messageOf(error) }, 'queue_worker_not_started')
      }
      if (this.#stopped.signal.aborted) return
      if (this.#worker === worker) await this.#close(worker, true)
      await sleep(this.#retryEveryMs, undefined, { signal: this.#stopped.signal, ref: false }).catch(() => undefined)
    }
  }

  #take(id: string): Promise<void> {
    this.#rung += 1
    const taken = this.#answer(id).finally(() => this.#inHand.delete(taken))
    this.#inHand.add(taken)
    return taken
  }

  async #answer(id: string): Promise<void> {
    try {
      await this.#onBell(id)
    } catch (error) {
      this.#log.error({ room: this.room, error: messageOf(error) }, 'bell_unanswered')
    }
  }

  async #close(worker: RingWorker, force: boolean, closed = worker.close(force)): Promise<void> {
    try {
      await within(closeWithinMs, 'closing a worker', closed)
    } catch (error) {
      this.#log.warn({ room: this.room, error: messageOf(error) }, 'queue_worker_not_closed')
    }
  }
}
