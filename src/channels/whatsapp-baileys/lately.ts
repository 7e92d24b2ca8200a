/** What is remembered for a while: the newest `size` entries, none for longer than `keptMs`. */
export class Lately<T> {
  readonly #entries = new Map<string, { readonly value: T; readonly until: number }>()
  readonly #size: number
  readonly #keptMs: number

  constructor(size: number, keptMs: number) {
    this.#size = size
    this.#keptMs = keptMs
  }

  set(id: string, value: T): void {
    this.#entries.delete(id)
    this.#entries.set(id, { value, until: performance.now() + this.#keptMs })
    const [oldest] = this.#entries.keys()
    if (this.#entries.size > this.#size && oldest !== undefined) this.#entries.delete(oldest)
  }

  get(id: string): T | undefined {
    const entry = this.#entries.get(id)
    return entry === undefined || entry.until < performance.now() ? undefined : entry.value
  }
}
