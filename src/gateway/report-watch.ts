/** A bare yes waits this long for the report that its card was delivered (RULES 3). */
const reportWithinMs = 5000
/** Reports that another process takes in are found by looking again this often. */
const lookEveryMs = 250

/** Wakes who waits for a report, when this process takes one in. In a rehearsal nothing comes by itself, and nobody waits. */
export class ReportWatch {
  readonly withinMs: number
  readonly #waiting = new Map<string, Set<() => void>>()

  constructor(withinMs = reportWithinMs) {
    this.withinMs = withinMs
  }

  /** How many wait now. */
  get waiting(): number {
    return [...this.#waiting.values()].reduce((sum, here) => sum + here.size, 0)
  }

  /** A report came on a message of this conversation. */
  tell(conversationKey: string): void {
    for (const wake of this.#waiting.get(conversationKey) ?? []) wake()
  }

  /** Resolves at the next report here, at the next look, or after `ms`, whichever is first. */
  async next(conversationKey: string, ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const here = this.#waiting.get(conversationKey) ?? new Set()
    this.#waiting.set(conversationKey, here.add(resolve))
    const timer = setTimeout(resolve, Math.min(ms, lookEveryMs))
    await promise
    clearTimeout(timer)
    here.delete(resolve)
    if (here.size === 0) this.#waiting.delete(conversationKey)
  }
}
