import type { Normalized } from '../../core/inbound.ts'
import type { Receive } from '../../ports/channel.ts'
import type { Log } from '../../ports/log.ts'
import { backoffOf, nameOf, wait } from '../connection/wait.ts'
import { NotHolder } from './fenced-writer.ts'

/** Something to hand in: what is read of it, when its turn comes, and what follows once that is stored. */
export interface Arrival {
  readonly read: () => Promise<readonly Normalized[]>
  readonly stored?: () => Promise<void>
}

/**
 * Hands events in one after the other, in the order in which they came. What cannot be stored now is kept in hand and tried again until it
 * can: WhatsApp has it as delivered. When the connection is no longer this process's, what is left is dropped here, and read again from
 * the journal by whoever is next.
 */
export class InboundQueue {
  readonly #receive: Receive
  readonly #signal: AbortSignal
  readonly #account: string
  readonly #log: Log
  #last: Promise<void> = Promise.resolve()

  constructor(receive: Receive, about: { readonly account: string; readonly log: Log; readonly signal: AbortSignal }) {
    this.#receive = receive
    this.#signal = about.signal
    this.#account = about.account
    this.#log = about.log
  }

  push(arrival: Arrival): void {
    this.#last = this.#last.then(() => this.#handIn(arrival))
  }

  /** Resolves when all that was pushed until now is handed in or dropped. */
  async settled(): Promise<void> {
    await this.#last
  }

  async #handIn({ read, stored }: Arrival): Promise<void> {
    for (let failures = 1; !this.#signal.aborted; failures += 1) {
      try {
        const events = await read()
        if (events.length > 0) await this.#receive(events)
        await stored?.()
        return
      } catch (error) {
        if (error instanceof NotHolder) return
        this.#log.warn({ account: this.#account, failures, error: nameOf(error) }, 'whatsapp_events_not_stored')
        await wait(backoffOf(failures, 100), this.#signal)
      }
    }
  }
}
