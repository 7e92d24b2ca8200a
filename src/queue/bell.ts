import { randomUUID } from 'node:crypto'
import type { Bell, Room } from '../ports/bell.ts'
import type { Log } from '../ports/log.ts'
import { type Engine, type OnError, type RingQueue, rooms } from './engine.ts'
import { Health, messageOf } from './health.ts'
import { Shift } from './shift.ts'
import { within } from './within.ts'

/** How a bell is opened. The times are for tests; what is here is what was measured. */
export interface BellOptions {
  readonly log: Log
  /** After this long a ring counts as lost (2 s). */
  readonly ringWithinMs?: number
  /** After this long without an answer a connection counts as gone (3 s); a single command gets twice that. */
  readonly answerWithinMs?: number
  /** How often a quiet queue is looked at (15 s): a worker that stands still is found at the second look. */
  readonly lookEveryMs?: number
  /** How often a queue that is away is tried again (1 s). */
  readonly retryEveryMs?: number
}

/** A bell on an engine, which it owns. Engines are made with the listener for their errors. */
export function ringing(engineFor: (onError: OnError) => Engine, options: BellOptions): Bell & AsyncDisposable {
  return new Ringing(engineFor, options)
}

class Ringing implements Bell, AsyncDisposable {
  readonly #engine: Engine
  readonly #log: Log
  readonly #ringWithinMs: number
  readonly #retryEveryMs: number
  readonly #health: Health
  readonly #shifts = new Set<Shift>()
  #queues: ReadonlyMap<Room, RingQueue> = new Map()
  #closed: Promise<void> | undefined

  constructor(
    engineFor: (onError: OnError) => Engine,
    { log, ringWithinMs = 2000, lookEveryMs = 15_000, retryEveryMs = 1000 }: BellOptions,
  ) {
    this.#log = log
    this.#ringWithinMs = ringWithinMs
    this.#retryEveryMs = retryEveryMs
    this.#engine = engineFor((error, room) => this.#health.doubt(error, room === undefined ? {} : { room }))
    const watched = {
      open: () => this.#open(),
      probe: () => this.#engine.probe(),
      onUp: () => this.#resume(),
      onLook: () => this.#look(),
    }
    this.#health = new Health(watched, log, lookEveryMs, retryEveryMs)
  }

  async ring(room: Room, id: string, delayMs = 0): Promise<void> {
    try {
      await within(this.#ringWithinMs, 'ringing', this.#ring(room, id, delayMs))
    } catch (error) {
      // The id stays out of the log: a conversation's may hold a phone number.
      this.#log.warn({ room, error: messageOf(error) }, 'bell_lost')
      this.#health.doubt(error, { room })
    }
  }

  async work(room: Room, onBell: (id: string) => Promise<void>): Promise<AsyncDisposable> {
    const shift = new Shift(room, onBell, this.#log, this.#retryEveryMs)
    this.#shifts.add(shift)
    if (this.#queues.size > 0) shift.begin(this.#engine)
    return {
      [Symbol.asyncDispose]: async () => {
        await shift.stop()
        this.#shifts.delete(shift)
      },
    }
  }

  isUp(): boolean {
    return this.#health.isUp && this.#engine.isConnected() && [...this.#shifts].every((shift) => shift.isWorking)
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #ring(room: Room, id: string, delayMs: number): Promise<void> {
    await this.#health.firstTry()
    if (this.#closed !== undefined) throw new Error('the bell is closed')
    if (!this.#engine.isConnected()) throw new Error('the queue is away')
    // A fresh id each time, so that no finished job can swallow a bell. BullMQ refuses ':' in it and ids that are numbers.
    await this.#queueOf(room).add('bell', { id }, { jobId: `b-${randomUUID()}`, ...(delayMs > 0 ? { delay: delayMs } : {}) })
  }

  #queueOf(room: Room): RingQueue {
    const queue = this.#queues.get(room)
    if (queue === undefined) throw new Error('the queue is not open')
    return queue
  }

  async #open(): Promise<void> {
    await this.#engine.prepare()
    const queues = new Map(rooms.map((room) => [room, this.#engine.queue(room)]))
    try {
      await within(10_000, 'opening the queues', Promise.all([...queues.values()].map((queue) => queue.waitUntilReady())))
      this.#queues = queues
    } catch (error) {
      await Promise.allSettled([...queues.values()].map((queue) => within(5000, 'closing a queue', queue.close())))
      throw error
    }
  }

  #resume(): void {
    for (const shift of this.#shifts) shift.begin(this.#engine)
  }

  async #look(): Promise<void> {
    for (const shift of this.#shifts)
      await within(this.#ringWithinMs, 'counting what waits', shift.look(this.#queueOf(shift.room)))
  }

  async #close(): Promise<void> {
    await this.#health.stop()
    await Promise.all([...this.#shifts].map((shift) => shift.stop()))
    try {
      await within(5000, 'closing the queues', Promise.all([...this.#queues.values()].map((queue) => queue.close())))
      await within(5000, 'closing the connections', this.#engine.close())
    } catch (error) {
      this.#log.warn({ error: messageOf(error) }, 'queue_not_closed')
    }
  }
}
