/**
 * When something happened, as the provider tells it: `atMs` on its clock, in milliseconds since 1970, and its order inside
 * the chat where it numbers messages (Telegram's `message_id`). WhatsApp and callbacks have no order.
 */
export interface Moment {
  readonly atMs: number
  readonly order?: number
}

/**
 * Was `a` strictly after `b`? By the provider's order where both have one, and then its clock must not say otherwise: an old text that
 * is delivered late can get a high number. Without order by the clock alone, to whole seconds. A tie is a no.
 */
export function isAfter(a: Moment, b: Moment): boolean {
  if (a.order !== undefined && b.order !== undefined) return a.order > b.order && secondOf(a) >= secondOf(b)
  return secondOf(a) > secondOf(b)
}

/** The whole second of a moment: providers count in seconds, so nothing finer is compared. */
export const secondOf = (moment: Moment): number => Math.floor(moment.atMs / 1000)
