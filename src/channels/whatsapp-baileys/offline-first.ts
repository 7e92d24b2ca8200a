import type { BinaryNode } from './library.ts'

/** A message of the backlog that shows no sign of having been read by then never will. */
const quietMs = 5000

/**
 * Keeps what is written now behind what was written while nobody listened. Baileys works the backlog in turn and lets messages that come
 * meanwhile pass it; a yes that overtakes what the same person wrote before it would be judged without that.
 */
export class OfflineFirst {
  /** Ids of messages of the backlog that have come and are not handed on yet, in order. */
  #backlog: string[] = []
  #held: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined

  /** A stanza has come. */
  heard({ attrs: { id, offline } }: BinaryNode): void {
    if (offline === undefined || id === undefined) return
    this.#backlog.push(id)
    this.#wait()
  }

  /** These messages are read: go on with them now if they are of the backlog, else when that is through. */
  pass(messageIds: readonly string[], goOn: () => void): void {
    const last = Math.max(...messageIds.map((id) => this.#backlog.indexOf(id)), -1)
    if (last < 0 && this.#backlog.length > 0) {
      this.#held.push(goOn)
      return
    }
    goOn()
    if (last < 0) return
    // Those before it that were not handed on are none that can be: the backlog is worked in its order.
    this.#backlog = this.#backlog.slice(last + 1)
    if (this.#backlog.length === 0) this.end()
    else this.#wait()
  }

  /** Lets everything go on that was held. */
  end(): void {
    clearTimeout(this.#timer)
    this.#backlog = []
    for (const goOn of this.#held.splice(0)) goOn()
  }

  #wait(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.end(), quietMs)
  }
}
