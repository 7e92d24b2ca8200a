/** How many requests of each key wait in this process, so that none holds all connections. */
export class Waits {
  readonly allowed: number
  readonly #waiting = new Map<string, number>()

  constructor(allowed: number) {
    this.allowed = allowed
  }

  /** Begins a wait, and returns what ends it; undefined where the key has as many as it may. */
  begin(key: string): (() => void) | undefined {
    const others = this.#waiting.get(key) ?? 0
    if (others >= this.allowed) return undefined
    this.#waiting.set(key, others + 1)
    return () => {
      const left = (this.#waiting.get(key) ?? 1) - 1
      if (left > 0) this.#waiting.set(key, left)
      else this.#waiting.delete(key)
    }
  }
}
