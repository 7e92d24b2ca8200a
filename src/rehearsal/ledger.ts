import { ActionError } from '../core/errors.ts'
import type { CallContext, CallResult } from '../ports/action.ts'
import type { Ending, WorldTurn } from './script.ts'

/** Something that would really have happened. */
export interface Effect {
  readonly action: string
  readonly args: unknown
}

/**
 * The far side of a rehearsal: it counts what would have happened, once per idempotency key where an action keeps keys, and lets calls
 * take their time on the rehearsal's clock.
 */
export class Ledger {
  readonly #effects: Effect[] = []
  readonly #keys = new Set<string>()
  readonly #calls = new Map<string, number>()
  readonly #worlds = new Map<string, WorldTurn>()
  readonly #waiting = new Set<{ readonly atMs: number; readonly go: () => void }>()
  readonly #nowMs: () => number

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  get effects(): readonly Effect[] {
    return this.#effects
  }

  /** Calls that still take their time. */
  get taking(): number {
    return this.#waiting.size
  }

  /** Ends the calls whose time is over. */
  pass(): void {
    for (const call of this.#waiting) {
      if (call.atMs > this.#nowMs()) continue
      this.#waiting.delete(call)
      call.go()
    }
  }

  /** From now on an action's preview meets this. */
  turn(action: string, turn: WorldTurn): void {
    this.#worlds.set(action, turn)
  }

  /** What an action's preview meets, where the file has turned it. */
  world(action: string): WorldTurn | undefined {
    return this.#worlds.get(action)
  }

  /** Counts an effect, unless this key was seen and the action keeps keys. */
  record(action: string, args: unknown, key: string | undefined): void {
    if (key !== undefined && this.#keys.has(key)) return
    if (key !== undefined) this.#keys.add(key)
    this.#effects.push({ action, args })
  }

  /** What the next call of an action will end as; the last ending stays. */
  ending(action: string, endings: readonly Ending[]): Ending {
    const index = this.#calls.get(action) ?? 0
    return endings[Math.min(index, endings.length - 1)] ?? { kind: 'succeeds' }
  }

  /** One call of a declared action. Throws as a real one does. */
  async call(
    action: {
      readonly name: string
      readonly idempotency: 'key' | 'none'
      readonly takesMs: number
      readonly endings: readonly Ending[]
    },
    args: unknown,
    { idempotencyKey }: CallContext,
  ): Promise<CallResult> {
    const ending = this.ending(action.name, action.endings)
    this.#calls.set(action.name, (this.#calls.get(action.name) ?? 0) + 1)
    if (action.takesMs > 0) await this.#take(action.takesMs)
    const key = action.idempotency === 'key' ? idempotencyKey : undefined
    const failed = (message: string, mayHaveHappened: boolean) =>
      new ActionError(message, { action: action.name, permanent: !mayHaveHappened, mayHaveHappened })
    switch (ending.kind) {
      case 'refused':
        throw failed(ending.why, false)
      case 'timed_out':
        throw failed(`${action.name} did not answer`, true)
      case 'lost_answer':
        this.record(action.name, args, key)
        throw failed(`${action.name} was called, and its answer was lost`, true)
      case 'succeeds':
      case 'unverified':
      case 'denied':
        this.record(action.name, args, key)
        return ending.kind === 'succeeds' && ending.message !== undefined ? { message: ending.message } : {}
    }
  }

  #take(ms: number): Promise<void> {
    return new Promise((go) => this.#waiting.add({ atMs: this.#nowMs() + ms, go }))
  }
}
