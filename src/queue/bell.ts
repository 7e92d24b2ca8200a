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
  /** How often, beside each time it comes back, the server is asked for what is wrong although it answers (5 min). */
  readonly doubtEveryMs?: number
  /** How many accounts' own rooms may be worked here at one time (0): on PostgreSQL each worker takes a connection of its own. */
  readonly ownRooms?: number
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
  readonly #doubtEveryMs: number
  readonly #shifts = new Set<Shift>()
  readonly #queues = new Map<Room, Promise<RingQueue>>()
  #isOpen = false
  #doubt: { readonly message: string; readonly sinceMs: number } | undefined
  #doubtedAt = 0
  #closed: Promise<void> | undefined

  constructor(
    engineFor: (onError: OnError) => Engine,
    { log, ringWithinMs = 2000, lookEveryMs = 15_000, retryEveryMs = 1000, doubtEveryMs = 300_000 }: BellOptions,
  ) {
    this.#log = log
    this.#ringWithinMs = ringWithinMs
    this.#retryEveryMs = retryEveryMs
    this.#doubtEveryMs = doubtEveryMs
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
    if (this.#isOpen) shift.begin(this.#engine)
    return {
      [Symbol.asyncDispose]: async () => {
        await shift.stop()
        this.#shifts.delete(shift)
      },
    }
  }

  isUp(): boolean {
    const shifts = [...this.#shifts].filter(({ room }) => rooms.includes(room))
    return this.#health.isUp && this.#engine.isConnected() && shifts.every((shift) => shift.isWorking)
  }

  doubt(): { readonly message: string; readonly sinceMs: number } | undefined {
    return this.#doubt
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #ring(room: Room, id: string, delayMs: number): Promise<void> {
    await this.#health.firstTry()
    if (this.#closed !== undefined) throw new Error('the bell is closed')
    if (!this.#isOpen) throw new Error('the queue is not open')
    if (!this.#engine.isConnected()) throw new Error('the queue is away')
    // A fresh id each time, so that no finished job can swallow a bell. BullMQ refuses ':' in it and ids that are numbers.
    const queue = await this.#queueOf(room)
    await queue.add('bell', { id }, { jobId: `b-${randomUUID()}`, ...(delayMs > 0 ? { delay: delayMs } : {}) })
  }

  /** A room's queue, opened when it is first asked for; one that could not be opened is tried again at the next asking. */
  #queueOf(room: Room): Promise<RingQueue> {
    const known = this.#queues.get(room)
    if (known !== undefined) return known
    const opening = this.#openQueue(room)
    this.#queues.set(room, opening)
    opening.catch(() => this.#queues.delete(room))
    return opening
  }

  async #openQueue(room: Room): Promise<RingQueue> {
    const queue = this.#engine.queue(room)
    try {
      await within(10_000, 'opening a queue', queue.waitUntilReady())
      return queue
    } catch (error) {
      await within(5000, 'closing a queue', queue.close()).catch(() => undefined) // It was never open; why is told already.
      throw error
    }
  }

  async #open(): Promise<void> {
    await this.#engine.prepare()
    await Promise.all(rooms.map((room) => this.#queueOf(room)))
    this.#isOpen = true
  }

  #resume(): void {
    for (const shift of this.#shifts) shift.begin(this.#engine)
    void this.#askForTrouble()
  }

  /** Never throws: a server that cannot be asked is known by other signs. */
  async #askForTrouble(): Promise<void> {
    this.#doubtedAt = performance.now()
    try {
      const message = await within(this.#ringWithinMs, 'asking for trouble', this.#engine.trouble())
      if (message === this.#doubt?.message) return
      this.#doubt = message === undefined ? undefined : { message, sinceMs: Date.now() }
      if (message === undefined) this.#log.info({}, 'queue_sound')
      else this.#log.error({ error: message }, 'queue_doubtful')
    } catch (error) {
      this.#log.warn({ error: messageOf(error) }, 'queue_not_checked')
    }
  }

  async #look(): Promise<void> {
    for (const shift of this.#shifts)
      await within(
        this.#ringWithinMs,
        'counting what waits',
        this.#queueOf(shift.room).then((queue) => shift.look(queue)),
      )
    if (performance.now() - this.#doubtedAt >= this.#doubtEveryMs) await this.#askForTrouble()
  }

  async #close(): Promise<void> {
    const closing = (queue: Promise<RingQueue>): Promise<void> =>
      queue.then(
        (open) => open.close(),
        () => undefined, // Never open: closed already.
      )
    await this.#health.stop()
    await Promise.all([...this.#shifts].map((shift) => shift.stop()))
    try {
      await within(5000, 'closing the queues', Promise.all([...this.#queues.values()].map(closing)))
      await within(5000, 'closing the connections', this.#engine.close())
    } catch (error) {
      this.#log.warn({ error: messageOf(error) }, 'queue_not_closed')
    }
  }
}
