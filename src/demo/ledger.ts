/** A customer of the demo, and what they owe. Amounts are decimal strings in major units. */
export interface Customer {
  readonly id: string
  readonly name: string
  readonly debt: string
  readonly currency: string
}

/** One thing that really happened. */
export interface Effect {
  readonly key: string
  readonly what: string
}

/**
 * The demo's far side: customers and a journal of effects. It keeps idempotency keys as a good API does, so the same call twice is one
 * effect; what it counts is what the demo prints at the end.
 */
export class Ledger {
  readonly #customers: ReadonlyMap<string, Customer>
  readonly #effects = new Map<string, Effect>()

  constructor(customers: readonly Customer[]) {
    this.#customers = new Map(customers.map((customer) => [customer.id, customer]))
  }

  customer(id: string): Customer | undefined {
    return this.#customers.get(id)
  }

  /** Does it, once per key. */
  record(key: string, what: string): void {
    if (!this.#effects.has(key)) this.#effects.set(key, { key, what })
  }

  has(key: string): boolean {
    return this.#effects.has(key)
  }

  get effects(): readonly Effect[] {
    return [...this.#effects.values()]
  }
}
