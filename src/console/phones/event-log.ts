import { randomUUID } from 'node:crypto'

/** One thing that pages were told, in the form in which server-sent events carry it. */
export interface Told {
  readonly id: string
  readonly event: string
  readonly data: string
}

/** The latest things told, so that a page that lost its connection gets what it missed. Ids are of this log alone. */
export class EventLog {
  readonly #run = randomUUID().slice(0, 8)
  readonly #limit: number
  readonly #told: Told[] = []
  #count = 0
  #changed = Promise.withResolvers<void>()

  constructor(limit: number) {
    this.#limit = limit
  }

  add(event: string, data: unknown): void {
    this.#count += 1
    this.#told.push({ id: `${this.#run}-${this.#count}`, event, data: JSON.stringify(data) })
    if (this.#told.length > this.#limit) this.#told.shift()
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }

  /** The id after which everything is still to come. */
  get last(): string {
    return `${this.#run}-${this.#count}`
  }

  /** What was told after `id`; undefined when the log does not reach back so far, or `id` is another log's. */
  after(id: string): readonly Told[] | undefined {
    const [run, number] = id.split('-')
    const count = Number(number)
    if (run !== this.#run || !Number.isInteger(count) || count > this.#count) return undefined
    const missed = this.#count - count
    return missed > this.#told.length ? undefined : this.#told.slice(this.#told.length - missed)
  }

  /** Resolves at the next thing told. */
  changed(): Promise<void> {
    return this.#changed.promise
  }
}
