import type { Card } from '../core/card.ts'
import type { Conversation } from '../core/conversation.ts'
import type { Normalized } from '../core/inbound.ts'
import type { Moment } from '../core/moment.ts'
import type { Outgoing } from '../core/outgoing.ts'

/** What a channel can show and take, so that the runtime says only what will stand there. Lengths in UTF-16 units. */
export interface Capabilities {
  readonly controls: 'buttons' | 'poll' | 'words'
  readonly buttons: number
  readonly labelLength: number
  readonly textLength: number
  readonly edits: boolean
  /** How long after the person's last message anything may be said without a template; none where there is no such window. */
  readonly windowMs?: number
  /** A bare approve also needs the provider's `delivered` report, and messages leave one after the other (WhatsApp, RULES 3 and 9). */
  readonly reportsDelivery: boolean
  /** A tap can be answered with a short text of its own. Where it cannot, the answer is a message, once. */
  readonly toasts: boolean
}

/** What a channel may need to know of one sending. */
export interface Sending {
  /**
   * The same at every sending of this message: the provider's reports may repeat it, and a second copy is known by it. At most 64 letters and
   * digits. It goes with the last part alone, for then the message is accepted: a report that names it is believed to be about the whole.
   */
  readonly ref: string
  /** Every id that the provider gave for the person of a one-to-one chat, newest first: the chat's own name may be of another time. */
  readonly addresses: readonly string[]
  /** When the person last wrote here, on our clock; absent if never. */
  readonly lastInboundAtMs?: number
}

/** A connection that lives in one process at a time. */
export interface Line {
  /** Does this process hold it now? Only then can it send. */
  held(): boolean
  /** Called whenever `held` may have changed. */
  onChange(listener: () => void): void
}

/** The provider took the message. `messageIds` are its parts in order; the last carries the controls. */
export interface Accepted {
  readonly messageIds: readonly string[]
  /** The provider's own time and order of the last part, where its answer tells them. */
  readonly moment?: Moment
  /** Ids that the provider's answer gives for the very person it was sent to (the number as WhatsApp writes it). */
  readonly also?: readonly string[]
}

/**
 * Hands normalised events to the gateway. Resolves once every event is stored, so the adapter may acknowledge to the provider;
 * rejects when nothing was stored (the database is down): then it must not acknowledge, and the provider delivers again.
 * The same event may be handed in any number of times.
 */
export type Receive = (events: readonly Normalized[]) => Promise<void>

/** An HTTP request as the gateway's server got it: the body's raw bytes, header names in lower case. */
export interface WebhookRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly query: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

export interface WebhookAnswer {
  readonly status: number
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * One account on one provider. An adapter speaks and decides nothing. Every error that leaves it is a `ChannelError`.
 * The contract suite is `test/contracts/channel.ts`; a new adapter begins by passing it.
 */
export interface Channel {
  readonly kind: string
  /** The account's name in the configuration; the `account` of every conversation here. */
  readonly account: string
  readonly capabilities: Capabilities

  /** Reads one provider payload (an update, a webhook body). Pure, never throws; what it does not know is ignored with a reason. */
  normalize(payload: unknown): readonly Normalized[]

  /**
   * Starts to receive (long polling, a socket) and returns what stops it. A webhook account only registers here, and takes its
   * requests through `webhook`. Resolves when receiving has begun; trouble later is retried inside and reported by `health`.
   */
  start(receive: Receive): Promise<AsyncDisposable>

  /** Answers one request of the provider. Authenticates on the raw bytes before anything else. Absent where there are no webhooks. */
  readonly webhook?: (request: WebhookRequest, receive: Receive) => Promise<WebhookAnswer>

  /** Present where the connection lives in exactly one process: messages are sent where it is held, wherever they were written. */
  readonly line?: Line

  /** Would this message stand on the channel with every key field whole? */
  fits(message: Outgoing): boolean

  /**
   * Sends one message. Throws `ChannelError`: `retryAfterMs` as the provider says, `permanent` when it will never be taken,
   * `mayHaveHappened` when the request left and no answer came, `code: 'window_closed'` when it must wait for the person to write.
   * Never retries by itself after the request may have left. Without `sending` the chat's own name is the address.
   */
  send(to: Conversation, message: Outgoing, sending?: Sending): Promise<Accepted>

  /**
   * Replaces an earlier card by what it is now. `gone`: the message can no longer be edited (deleted, too old, no edits here).
   * Editing to what already stands there is `edited`. Safe to repeat.
   */
  edit(to: Conversation, messageIds: readonly string[], card: Card): Promise<'edited' | 'gone'>

  /** Ends a tap's spinner with a short text, at most once each. A tap that is too old to answer is no error. */
  answerPress(pressId: string, text: string): Promise<void>

  /** Shows for a few seconds that an answer is being written. Best effort: it never throws. Absent where a channel cannot. */
  readonly typing?: (to: Conversation) => Promise<void>

  /** What an operator should know about the connection now. */
  health(): { readonly state: 'up' | 'down' | 'starting'; readonly detail?: string }
}
