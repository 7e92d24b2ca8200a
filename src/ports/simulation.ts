import type { Card } from '../core/card.ts'
import type { Conversation } from '../core/conversation.ts'
import type { OtherForm } from '../core/inbound.ts'
import type { Channel } from './channel.ts'

/** A chat of the simulator by its id, and a topic of it where it has topics. */
export type Place = string | { readonly chat: string; readonly topic?: string }

/** What stands in a transcript. `text`, `notice`, `question`, `card` and `list` are as in `Outgoing`; `other` is no plain text. */
export type Content =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'notice'; readonly text: string; readonly code?: string }
  | { readonly kind: 'question'; readonly text: string }
  | { readonly kind: 'card'; readonly card: Card }
  | { readonly kind: 'list'; readonly text: string; readonly cards: readonly Card[] }
  | { readonly kind: 'other'; readonly form: Exclude<OtherForm, 'edited' | 'reaction'>; readonly text?: string }

/** Who is behind a message: a person of the chat, Dale, or a human or tool that used the account beside Dale. */
export type Author =
  | { readonly kind: 'person'; readonly person: string; readonly name: string }
  | { readonly kind: 'account' }
  | { readonly kind: 'owner' }
  | { readonly kind: 'tool' }

/** One message as it stands in a chat now. `order` rises within a chat, topics included; `atMs` is the given clock's. */
export interface Entry {
  readonly id: string
  readonly conversation: Conversation
  readonly order: number
  readonly atMs: number
  readonly by: Author
  readonly content: Content
  readonly replyTo?: string
  readonly edited: boolean
  /** The latest reaction of each person. */
  readonly reactions: Readonly<Record<string, string>>
}

/** What changed in a chat, told in the order in which it happened. */
export type ChatEvent =
  | { readonly kind: 'message'; readonly conversation: Conversation; readonly entry: Entry }
  /** A card became what it is now, a person edited a text, or a reaction was added: `entry` replaces the one with its id. */
  | { readonly kind: 'edit'; readonly conversation: Conversation; readonly entry: Entry }
  | { readonly kind: 'deleted'; readonly conversation: Conversation; readonly messageId: string }
  /** A tap was answered: `text` is the toast for the person who tapped, and may be empty. */
  | {
      readonly kind: 'answer'
      readonly conversation: Conversation
      readonly person: string
      readonly messageId: string
      readonly text: string
    }
  /** The account is writing; it holds until its next message here, or a few seconds. */
  | { readonly kind: 'typing'; readonly conversation: Conversation }

/** A tap was made; or there is no such control now, or several with this label, which `labels` tells apart. */
export type Pressed =
  | { readonly kind: 'pressed'; readonly pressId: string }
  | { readonly kind: 'no_control'; readonly labels: readonly string[] }

/** What the provider does to the account's next sending: refuses it, or takes it and loses the answer. */
export type SimulatedFault =
  | { readonly kind: 'refuse'; readonly code: string; readonly permanent: boolean; readonly retryAfterMs?: number }
  | { readonly kind: 'lose_answer' }
  /** Takes it, and reports later that it could not be delivered; only where the account's provider reports at all. */
  | { readonly kind: 'fail_later'; readonly code: string; readonly final?: true }

/** What a person's message answers: a message by its id, or something that the account cannot name. */
export interface Answering {
  readonly reply?: string | { readonly elsewhere: true }
}

/**
 * The far side of the simulator's channel: people's hands and eyes. Whatever they do resolves once the gateway has stored it, or at
 * once while the channel is stopped (it is delivered at the next start). Names of people and chats are plain; the channel adds `sim:`.
 */
export interface Simulation {
  /** The account's name in the configuration. */
  readonly account: string
  says(place: Place, person: string, text: string, answering?: Answering): Promise<Entry>
  /** Sends what is no plain text: a caption, a voice note, a sticker …; `text` is its caption or transcript. */
  sends(
    place: Place,
    person: string,
    form: Exclude<OtherForm, 'edited' | 'reaction' | 'forwarded'>,
    text?: string,
    answering?: Answering,
  ): Promise<Entry>
  forwards(place: Place, person: string, text: string): Promise<Entry>
  /** Edits a text of one's own; undefined when there is none with this id. */
  edits(place: Place, person: string, messageId: string, text: string): Promise<Entry | undefined>
  /** Reacts to a message; undefined when there is none with this id. */
  reacts(place: Place, person: string, messageId: string, emoji: string): Promise<Entry | undefined>
  /** Taps a control that stands there now, by its label, or by `<label> #CODE` where a label stands several times. */
  presses(place: Place, person: string, messageId: string, label: string): Promise<Pressed>
  /** Takes a vote back: the tap of a control that a poll would carry. */
  withdraws(place: Place, person: string, messageId: string): Promise<Pressed>
  /** Turns the phones of a chat off or on. While they are off nothing that is sent there is reported as delivered; then all of it is. */
  turns(place: Place, phones: 'off' | 'on'): Promise<void>
  /** The account's owner, or another tool on the same account, writes in the chat; where deliveries are reported, a tool's message is only told by that. */
  ownerSays(place: Place, text: string, by?: 'owner' | 'tool'): Promise<Entry>
  /** Delivers everything that people did in the place once more, with the same ids. */
  redelivers(place: Place): Promise<void>
  /** A message disappears: it can no longer be edited. */
  deletes(place: Place, messageId: string): void
  /** The account's next sending or edit meets this fault; several are met one after the other. */
  fails(fault: SimulatedFault): void

  /** Everything that stands in a place now, oldest first. */
  transcript(place: Place): readonly Entry[]
  /** Tells every change from now on; returns what stops that. */
  on(listener: (event: ChatEvent) => void): () => void
}

/** A channel whose provider lives in memory. */
export type SimulatorChannel = Channel & Simulation
