import type { Seen } from './index.ts'

/** What a phone shows, and who waits for it. */
export class Screen {
  readonly #seen: Seen[] = []
  readonly #waiting = new Set<(seen: Seen) => void>()

  /** False where the id is there already: a phone shows a message once, however often it comes. */
  shows(seen: Seen): boolean {
    if (this.has(seen.id)) return false
    this.#seen.push(seen)
    for (const tell of this.#waiting) tell(seen)
    return true
  }

  has(id: string): boolean {
    return this.#seen.some((seen) => seen.id === id)
  }

  find(id: string): Seen | undefined {
    return this.#seen.find((seen) => seen.id === id)
  }

  sees(): readonly Seen[] {
    return [...this.#seen]
  }

  until(isSo: (seen: Seen) => boolean): Promise<Seen> {
    const there = this.#seen.find(isSo)
    if (there !== undefined) return Promise.resolve(there)
    return new Promise((resolve) => {
      const tell = (seen: Seen) => {
        if (!isSo(seen)) return
        this.#waiting.delete(tell)
        resolve(seen)
      }
      this.#waiting.add(tell)
    })
  }
}
