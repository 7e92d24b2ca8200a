import type { BinaryNode } from './library.ts'

/** A message of the backlog that shows no sign of having been read by then never will. */
const quietMs = 5000

/**
 * Keeps what is written now behind what was written while nobody listened. Baileys works the backlog in turn and lets messages that come
 * meanwhile pass it: a yes that overtakes what the same person wrote before it would be judged without that, and a ratchet that is turned
 * out of order loses keys.
 */
export class OfflineFirst {
  /** Ids of messages of the backlog that have come and are not read yet, in order. */
  #backlog: string[] = []
  #held: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined

  /** A stanza has come: goes on with it now if it is of the backlog, or there is none; else when the backlog is through. */
  take({ attrs: { id, offline } }: BinaryNode, goOn: () => void): void {
    if (offline !== undefined && id !== undefined) {
      this.#backlog.push(id)
      this.#wait()
    } else if (this.#backlog.length > 0) {
      this.#held.push(goOn)
      return
    }
    goOn()
  }

  /** These messages are read. Those of the backlog before them will not be any more: it is worked in its order. */
  passed(messageIds: readonly string[]): void {
    const last = Math.max(...messageIds.map((id) => this.#backlog.indexOf(id)), -1)
    if (last < 0) return
    this.#backlog = this.#backlog.slice(last + 1)
    if (this.#backlog.length === 0) this.#end()
    else this.#wait()
  }

  /** The connection is over: what is held was never read, and comes again. */
  drop(): void {
    clearTimeout(this.#timer)
    this.#backlog = []
    this.#held = []
  }

  #end(): void {
    const held = this.#held
    this.drop()
    for (const goOn of held) goOn()
  }

  #wait(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#end(), quietMs)
  }
}
