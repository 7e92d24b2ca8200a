/** One message to one person in this time, once WhatsApp has said that there were too many. */
const spacingMs = 6_000
/** How long it is kept up after the last refusal: by then whatever was borrowed is paid back. */
const slowForMs = 300_000
/** As many persons at most are remembered; the oldest is forgotten first. */
const mostRemembered = 10_000

interface Slow {
  readonly refusals: number
  readonly notBeforeMs: number
  readonly untilMs: number
}

/**
 * How fast one person may be written to. A number may send a person about one message in six seconds, more in a burst that is then
 * paid back, and is refused with 131056 beyond that; the wait is 4^n seconds for the n-th refusal in a row, and never less than six.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/send-messages/ ("pair rate limits")
 */
export class Pace {
  readonly #slow = new Map<string, Slow>()

  /** Was this receiver's limit met lately? If not, the time does not matter. */
  isSlow(receiver: string): boolean {
    return this.#slow.has(receiver)
  }

  /** How long to wait before the next message to this receiver; 0 is now. */
  waitMs(receiver: string, nowMs: number): number {
    const slow = this.#slow.get(receiver)
    return slow === undefined ? 0 : Math.max(0, slow.notBeforeMs - nowMs)
  }

  /** WhatsApp refused one; answers how long to wait. */
  refused(receiver: string, nowMs: number): number {
    const refusals = this.#slow.get(receiver)?.refusals ?? 0
    const waitMs = Math.max(spacingMs, Math.min(4 ** refusals, 900) * 1000)
    this.#keep(receiver, { refusals: refusals + 1, notBeforeMs: nowMs + waitMs, untilMs: nowMs + slowForMs })
    return waitMs
  }

  /** WhatsApp took one. */
  took(receiver: string, nowMs: number): void {
    const slow = this.#slow.get(receiver)
    if (slow === undefined) return
    if (nowMs >= slow.untilMs) this.#slow.delete(receiver)
    else this.#keep(receiver, { refusals: 0, notBeforeMs: nowMs + spacingMs, untilMs: slow.untilMs })
  }

  #keep(receiver: string, slow: Slow): void {
    this.#slow.delete(receiver)
    this.#slow.set(receiver, slow)
    const [oldest] = this.#slow.keys()
    if (this.#slow.size > mostRemembered && oldest !== undefined) this.#slow.delete(oldest)
  }
}
