import { createHash, randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { type Composition, compose } from '../compose.ts'
import type { Checked } from '../config/check-config.ts'
import { codeFrom } from '../core/code.ts'
import { conversationOf } from '../core/conversation.ts'
import type { Normalized } from '../core/inbound.ts'
import { ulidFrom } from '../core/ulid.ts'
import { converse } from '../gateway/converse.ts'
import { deliver } from '../gateway/deliver.ts'
import { execute } from '../gateway/execute.ts'
import { handleInbound } from '../gateway/handle-inbound.ts'
import type { House } from '../gateway/house.ts'
import { receive } from '../gateway/receive.ts'
import { sweep } from '../gateway/sweep.ts'
import type { Log } from '../ports/log.ts'
import type { Footing } from '../store/database.ts'
import type { StillClock } from './clock.ts'
import type { Ledger } from './ledger.ts'
import type { Stage } from './stage.ts'

/** How long, in real time, a house may take to come to rest before something is wrong with it. */
const restWithinMs = 30_000
const sweepEveryMs = 1_000
const lookEveryMs = 50

/** What a house is put together from, the same at each start. */
export interface HouseSet extends Checked {
  readonly account: string
  readonly stage: Stage
  readonly ledger: Ledger
  readonly clock: StillClock
  readonly footing: Footing
  readonly log: Log
  readonly count: House['count']
  /** What cards will carry, in order; further codes follow. */
  readonly codes: readonly string[]
}

/**
 * The real house with its real queue on a stage, in slow motion: nothing is swept and nothing taken in but when it is asked. It can be
 * closed and opened again over what it had stored.
 */
export class StagedHouse implements AsyncDisposable {
  readonly #set: HouseSet
  readonly #captured: Normalized[] = []
  readonly #mint: House['mint']
  #composition: Composition | undefined
  #working: AsyncDisposable[] = []
  #executing: AsyncDisposable | undefined
  #taking: Promise<void> = Promise.resolve()
  #stir = Promise.withResolvers<void>()

  constructor(set: HouseSet) {
    this.#set = set
    const codes = codesAfter(set.codes)
    this.#mint = { ulid: () => ulidFrom(Date.now(), randomBytes(16)), code: () => codes.next().value }
  }

  get house(): House {
    if (this.#composition === undefined) throw new Error('the house of a rehearsal is not open')
    return this.#composition.house
  }

  get account(): string {
    return this.#set.account
  }

  async open(): Promise<void> {
    const { config, environment, account, stage, log, count, footing } = this.#set
    const channel = stage.open()
    const composition = await compose(config, environment, {
      log,
      count,
      footing,
      channels: new Map([[account, channel]]),
      mint: this.#mint,
      // Time stands still while a message is handled: what has not come by then does not come.
      reportWithinMs: 0,
    })
    this.#composition = composition
    const { house } = composition
    await house.store.seedPeople(config.people, config.roleChats)
    this.#working = [
      await house.bell.work('turns', (key) => this.#after(() => converse(house, conversationOf(key)))),
      await house.bell.work('deliveries', (key) => this.#after(() => deliver(house, conversationOf(key)))),
      await channel.start((events) => this.#hear(events)),
    ]
    await this.#begin()
    while (!house.bell.isUp()) await setTimeout(1)
    await sweep(house)
  }

  async close(): Promise<void> {
    await this.#end()
    for (const part of this.#working.splice(0).toReversed()) await part[Symbol.asyncDispose]()
    await this.#composition?.[Symbol.asyncDispose]()
    this.#composition = undefined
  }

  /** Takes away what runs approvals, or brings it back; everything else goes on. */
  async workers(turn: 'down' | 'up'): Promise<void> {
    await this.#end()
    if (turn === 'down') return
    await this.#begin()
    await sweep(this.house)
  }

  async #begin(): Promise<void> {
    const { house } = this
    this.#executing = await house.bell.work('executions', (id) => this.#after(() => execute(house, id)))
  }

  async #end(): Promise<void> {
    await this.#executing?.[Symbol.asyncDispose]()
    this.#executing = undefined
  }

  /** What the channel has handed over since it was last asked. */
  arrived(): readonly Normalized[] {
    return this.#captured.splice(0)
  }

  /** Takes events in through the front door, and handles them in their order. Bells are answered after all of it: one moment is one. */
  async take(events: readonly Normalized[]): Promise<void> {
    this.#taking = (async () => {
      for (const conversation of await receive(this.house, this.#set.account, events))
        await handleInbound(this.house, conversation)
    })()
    await this.#taking
  }

  /** Lets time pass, in steps of at most a minute or a sixtieth of it, each with what is due then. */
  async pass(ms: number): Promise<void> {
    const { clock, ledger } = this.#set
    const stepMs = Math.max(60_000, Math.ceil(ms / 60))
    for (let left = ms; left > 0; left -= stepMs) {
      await clock.move(Math.min(stepMs, left))
      ledger.pass()
      await sweep(this.house)
      await this.rest()
    }
  }

  /** Waits until nothing more can happen before time passes. Throws when that takes too long in real time: then something is stuck. */
  async rest(): Promise<void> {
    const began = performance.now()
    for (let swept = began; ; await this.#stirred()) {
      if (await this.#isQuiet()) return
      const now = performance.now()
      if (now - began > restWithinMs)
        throw new Error(`The house does not come to rest: ${JSON.stringify(await this.house.store.backlog())}`)
      if (now - swept < sweepEveryMs) continue
      // A lost bell costs a second here, as it does in life.
      swept = now
      await sweep(this.house)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** What people did waits for its moment; what the provider reports of a message does not. */
  async #hear(events: readonly Normalized[]): Promise<void> {
    this.#captured.push(...events.filter(({ kind }) => kind !== 'report'))
    const reports = events.filter(({ kind }) => kind === 'report')
    for (const conversation of await receive(this.house, this.#set.account, reports))
      await handleInbound(this.house, conversation)
  }

  async #after(work: () => Promise<void>): Promise<void> {
    // What went wrong at the door is told there.
    await this.#taking.catch(() => undefined)
    try {
      await work()
    } finally {
      this.#stir.resolve()
      this.#stir = Promise.withResolvers()
    }
  }

  /** Waits until a bell was answered; a moment at most, since what is waited for may be something else. */
  async #stirred(): Promise<void> {
    const waited = new AbortController()
    await Promise.race([this.#stir.promise, setTimeout(lookEveryMs, undefined, { signal: waited.signal }).catch(() => undefined)])
    waited.abort()
  }

  /** Calls that take their time and approvals that are held wait for the clock; so does a retry that is not due. */
  async #isQuiet(): Promise<boolean> {
    const { store } = this.house
    const { inbound, turns, outgoing, executions } = await store.backlog()
    if (inbound + turns + outgoing > 0) return false
    // What nobody runs waits.
    if (this.#executing === undefined) return true
    if (executions > this.#set.ledger.taking && executions > this.#set.ledger.taking + (await this.#held())) return false
    return (await store.due(1)).executions.length === 0
  }

  async #held(): Promise<number> {
    const approved = await this.house.store.list({ states: ['approved'], limit: 100 })
    return approved.filter(({ state }) => state.name === 'approved' && (state.holdUntilMs ?? 0) > this.#set.clock.nowMs).length
  }
}

/** The codes of the file, then others that are the same at each run. */
function* codesAfter(codes: readonly string[]): Generator<string, never> {
  yield* codes
  for (let index = 0; ; index += 1) {
    const code = codeFrom(createHash('sha256').update(`rehearsal ${index}`).digest())
    if (!codes.includes(code)) yield code
  }
}
