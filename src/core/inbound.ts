import type { Conversation } from './conversation.ts'
import type { Moment } from './moment.ts'

/**
 * A person as the provider names them here and now. `also` holds the other ids that it gives for the very same person in the same
 * payload (a phone beside a LID), never one that only looks alike. It is empty where nothing else is known, and absent on channels
 * where a person has one id for ever. The store keeps these links and names the person by the first id it ever saw.
 */
export interface Party {
  readonly id: string
  readonly also?: readonly string[]
}

/** Who wrote: the provider's stable id with the channel's prefix (`tg:42000001`), never a user name or a display name. */
export interface Sender extends Party {
  /** What to call them in a text. Never compared with anything. */
  readonly name?: string
}

/** What a message answers natively: nothing, a message by the provider's id, or something we cannot name. */
export type Reply = { readonly kind: 'none' } | { readonly kind: 'message'; readonly id: string } | { readonly kind: 'elsewhere' }

/** What a message is when it is not a plain text that the person wrote now. None of these ever decides (RULES 2). */
export type OtherForm =
  | 'caption'
  | 'voice'
  | 'sticker'
  | 'media'
  | 'forwarded'
  | 'edited'
  | 'reaction'
  | 'contact'
  | 'location'
  | 'poll'

/** A file that came with a message, as its channel names it: whoever holds the account's own credentials can fetch it by `ref`. */
export interface Media {
  readonly kind: 'image' | 'video' | 'audio' | 'document' | 'sticker'
  readonly ref: string
  readonly mimeType?: string
  /** In bytes. */
  readonly size?: number
}

/** `text` alone can be a decision. `other.text` is what may be quoted to the agent: a caption, a transcript, a forwarded text. */
export type Body =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'other'; readonly form: OtherForm; readonly text?: string; readonly media?: Media }

interface Arrival {
  readonly conversation: Conversation
  /** Unique per account and event; a second arrival with the same id is the same event. */
  readonly providerId: string
  /** Who is on the other side of a one-to-one chat, on channels with several ids for a person: the store names the chat by them. */
  readonly peer?: Party
}

/** A person's message. */
export interface InboundMessage extends Arrival {
  readonly kind: 'message'
  readonly sender: Sender
  /** The provider's id of the message itself, which later replies name. */
  readonly messageId: string
  readonly moment: Moment
  readonly group: boolean
  /** In a group: it mentions the account, or is a command for it. Always true in a one-to-one chat. */
  readonly addressed: boolean
  readonly reply: Reply
  readonly body: Body
}

/** A tap on a native control, or a vote on the card's own poll. `payload` is opaque here; `core/press.ts` reads it. */
export interface InboundPress extends Arrival {
  readonly kind: 'press'
  readonly sender: Sender
  readonly pressId: string
  readonly payload: string
  /** The message that carries the control, where the provider names it. */
  readonly messageId?: string
  /** When it was made, where the provider tells: a Telegram tap has no time. */
  readonly moment?: Moment
  /** It is a vote on the card's own poll. */
  readonly poll?: true
  /** A vote was taken back; `payload` is the Cancel of its poll. It halts what the vote approved, and decides nothing that waits. */
  readonly withdrawn?: true
  readonly group: boolean
}

/** Something was said through the account by a human or another tool: it disarms every card before it (RULES 3). */
export interface InboundSaid extends Arrival {
  readonly kind: 'said'
  readonly by: 'owner' | 'tool'
  readonly moment: Moment
}

/**
 * The provider's later word on a message that went out through the account. `ref` is what Dale gave the sending, where the provider
 * repeats it. One about a message that is not ours is *said* by another tool (RULES 3). `final`: sending it again is of no use.
 */
export interface InboundReport extends Arrival {
  readonly kind: 'report'
  readonly messageId: string
  readonly status: 'sent' | 'delivered' | 'read' | 'failed'
  readonly moment: Moment
  readonly ref?: string
  readonly code?: string
  readonly final?: true
}

/** A chat got another id (a Telegram group became a supergroup): its conversations and open proposals move along. */
export interface InboundMoved extends Arrival {
  readonly kind: 'moved'
  readonly toChat: string
}

/**
 * A person's id changed hands or was given up (a WhatsApp number, a business-scoped id): what came under `from` binds nobody any more.
 * `to` is who the provider says the same person is now, where it says so.
 */
export interface InboundReaddressed extends Arrival {
  readonly kind: 'readdressed'
  readonly from: string
  readonly to?: string
  readonly moment: Moment
}

/** Everything that an adapter hands in, and that the inbox stores. */
export type Inbound = InboundMessage | InboundPress | InboundSaid | InboundReport | InboundMoved | InboundReaddressed

/** Not for us, with the reason in a stable word: `bot`, `channel_post`, `unknown_update`, … Counted, never stored. */
export interface Ignored {
  readonly kind: 'ignored'
  readonly reason: string
}

/** What `normalize` makes of one provider payload. */
export type Normalized = Inbound | Ignored
