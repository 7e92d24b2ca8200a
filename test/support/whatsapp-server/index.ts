import type { proto } from 'baileys'
import { WA_CERT_DETAILS } from 'baileys'
import { serve } from './serve.ts'

/** How a chat is addressed: by LIDs, with the phone as the alternative beside it, or the other way round. */
export type Addressing = 'lid' | 'pn'

/** What is special about one message of a person. */
export interface About {
  /** The account's number, where the server has several. */
  readonly to?: string
  /** Written in this group. */
  readonly group?: Group
  /** The id of the message that it answers. */
  readonly replyTo?: string
  readonly forwarded?: boolean
  /** In the wrapper of a chat with disappearing messages. */
  readonly ephemeral?: boolean
  readonly viewOnce?: boolean
  /** The id it gets; an id that was used before makes it the same message again, in a new ciphertext. */
  readonly id?: string
  /** When it was written, in ms; the server's clock where it is not said. */
  readonly at?: number
  /** For this message alone. */
  readonly addressing?: Addressing
  /**
   * What arrives first cannot be read. `once`: it is sent again when the device asks for it. `always`: it never can be. `absent`: it
   * comes without content, as some messages from advertisements do; the account's own phone hands it over when the device asks, two
   * seconds later (`PLACEHOLDER_MESSAGE_RESEND`).
   */
  readonly garbled?: 'once' | 'always' | 'absent'
}

/** Which of their two ids the creator and the voter have in the key of a vote: it varies among real clients. */
export interface AboutVote extends About {
  readonly creator?: Addressing
  readonly voter?: Addressing
}

/** A message as it stands on a phone, decrypted there. */
export interface Seen {
  readonly id: string
  /** The chat: a group, or who is on the other side, by the id that the message was sent to. */
  readonly chat: string
  /** `account`: a linked device sent it. `phone`: it was typed on the account's own phone. */
  readonly by: 'account' | 'phone'
  /** The text, the caption, or the question of a poll. */
  readonly text: string | undefined
  readonly poll: { readonly options: readonly string[]; readonly selectable: number } | undefined
  /** The id of the message that it answers, edits, takes back or reacts to. */
  readonly quotes: string | undefined
  readonly edits: string | undefined
  readonly deletes: string | undefined
  readonly reacts: { readonly id: string; readonly emoji: string } | undefined
  /** The whole of it. */
  readonly message: proto.IMessage
  /** When the server took it, in ms of its clock. */
  readonly at: number
}

interface Screen {
  /** Everything that came, in order. */
  sees(): readonly Seen[]
  /** The first message for which `isSo`, among those that came and those that will. */
  until(isSo: (seen: Seen) => boolean): Promise<Seen>
}

/**
 * A person's phone. What it sends resolves with the message's id once the server has it; a linked device that is away gets it when it
 * is back. `server.acknowledged(id)` tells when the device has it.
 */
export interface Phone extends Screen {
  readonly name: string
  /** `99900002222@lid` */
  readonly lid: string
  /** `15550002222@s.whatsapp.net`; nobody is told it where the person keeps it to themself. */
  readonly jid: string | undefined
  /** How chats with this person are addressed from now on. `lid` at first. */
  addressing: Addressing
  says(text: string, about?: About): Promise<string>
  /** A text that quotes `id`; the same as `says` with `replyTo`. */
  replies(id: string, text: string, about?: About): Promise<string>
  /** A text written by somebody else. */
  forwards(text: string, about?: About): Promise<string>
  /** Votes in a poll that this phone has seen. `undefined` takes the vote back. An option that is not on it is an error. */
  votes(pollId: string, option: string | undefined, about?: AboutVote): Promise<string>
  unvotes(pollId: string, about?: AboutVote): Promise<string>
  reacts(id: string, emoji: string, about?: About): Promise<string>
  unreacts(id: string, about?: About): Promise<string>
  /** Changes a text of this person: as older clients say it, or in the envelope that 2026's clients use. */
  edits(id: string, text: string, form?: 'legacy' | 'encrypted', about?: About): Promise<string>
  /** Takes a message of this person back, for everybody. */
  deletes(id: string, about?: About): Promise<string>
  sends(form: 'voice' | 'image' | 'sticker', caption?: string, about?: About): Promise<string>
  /** Any message at all, in WhatsApp's own shape. */
  sendsRaw(message: proto.IMessage, about?: About): Promise<string>
  /** Posts to `status@broadcast`. */
  posts(text: string, about?: About): Promise<string>
  /** A message that this person sent, delivered once more under its id. */
  repeats(id: string): Promise<void>
  /** Tells the account that the message was read. */
  reads(id: string): Promise<void>
  /** No network: nothing is received and no receipt is sent, until it is back. */
  goesAway(): void
  comesBack(): Promise<void>
  /** Loses its Signal sessions, as after a backup: what the account sends next has to be sent again, which the phone asks for. */
  forgets(): void
}

/** An account's number, and the phone that it lives on. */
export interface OwnPhone extends Screen {
  /** Digits only. */
  readonly phone: string
  readonly jid: string
  readonly lid: string
  /** Links the device that shows this QR. Resolves when the device has signed and was asked to restart (515). */
  scans(qr: string): Promise<void>
  /** Links the device that shows this pairing code; a wrong code is an error. Resolves like `scans`. */
  enters(code: string): Promise<void>
  /** Typed on this phone: the other side gets it, and the linked devices a copy. Resolves with its id. */
  types(to: Phone | Group | string, text: string, about?: Pick<About, 'id' | 'at' | 'replyTo'>): Promise<string>
  /** Takes every linked device off: 401 now, and at every later login. */
  unlinks(): Promise<void>
}

export interface Group {
  /** `120363000000000001@g.us` */
  readonly id: string
  readonly members: readonly Phone[]
  readonly addressing: Addressing
}

/** What became of one message that a linked device sent, in the order in which the server got them. */
export interface Sending {
  readonly id: string
  readonly to: string
  /** The number it came from. */
  readonly phone: string
  /** `text`, `poll`, `reaction`, … as the stanza says. */
  readonly type: string
  /** When it came, in ms of the server's clock. */
  readonly at: number
  answer: 'ack' | 'held' | 'nothing' | { readonly error: number }
}

/**
 * How the next messages of linked devices are answered; rules are asked in the order in which they were made, and one without `times`
 * stays. `error`: refused, nobody gets it; with `held` at `releases`. `nothing`: delivered, and the answer is lost. `held`: delivered, answered at `releases`.
 */
export interface AnswerRule {
  /** Only messages to this person or group, by any of their ids. */
  readonly to?: string
  /** Only stanzas of this type: `text`, `poll`, … */
  readonly type?: string
  readonly with: 'ack' | 'nothing' | 'held' | { readonly error: number; readonly held?: true } | { readonly afterMs: number }
  readonly times?: number
}

/**
 * How a connection ends. A number is the code that Baileys reports: 515 restart, 503, 440 replaced, 401 unlinked and 408 as stream
 * errors, 428 as the stream's end, 405 as a failure. `cut`: the line is gone, nothing is said. `silent`: it stays, and nothing more
 * comes; Baileys gives up with 408 five seconds after its keep-alive.
 */
export type Ending = 515 | 428 | 408 | 503 | 440 | 401 | 405 | 'cut' | 'silent'

/** Sockets of one number, counted since it was made. */
export interface Sockets {
  /** Logged in now. */
  readonly open: number
  /** How many were logged in at one time, at most. */
  readonly most: number
  readonly logins: number
  readonly pairings: number
}

/** WhatsApp on this machine: its server, and the phones of everybody. */
export interface WhatsAppServer extends AsyncDisposable {
  /** The `waWebSocketUrl` of a client. */
  readonly url: string
  /** The public key under which the server's certificates are signed. See `trusting`. */
  readonly trust: Uint8Array
  /** Its time in ms. `Date.now` unless a stage moves it. */
  clock: () => number
  /** The account's number; the same digits are the same number. */
  number(phone: string): Promise<OwnPhone>
  /** A person; a second call with the same name is the same person. Ids are digits. */
  person(name: string, ids: { readonly lid: string; readonly phone?: string }): Promise<Phone>
  /** A group of these people and every number. Its id is digits, or ends in `@g.us`. */
  group(id: string, members: readonly Phone[], addressing?: Addressing): Promise<Group>
  sockets(phone: string): Sockets
  /** Resolves when a socket of this number is logged in and has asked for its messages; at once if one is. */
  connected(phone: string): Promise<void>
  /** Ends every socket of the number that is logged in, and resolves when the last is gone (`silent`: at once). */
  closes(phone: string, how: Ending): Promise<void>
  /** Logins with a client version older than this are answered 405. */
  requires(version: readonly [number, number, number]): void
  answers(rule: AnswerRule): void
  /** Answers every message that is held. */
  releases(): void
  readonly sendings: readonly Sending[]
  /** Resolves when the linked device has acknowledged a message that a phone sent. */
  acknowledged(id: string): Promise<void>
  /** Resolves when `isSo`, asked after everything that a device sends. */
  until(isSo: () => boolean): Promise<void>
  /** What should not have come: stanzas that the server does not know, messages that no phone could read. */
  readonly problems: readonly Error[]
}

/** Starts one on a free port of this machine. Many sockets may come, of this process and of others. */
export const startWhatsAppServer = (): Promise<WhatsAppServer> => serve()

/**
 * Has Baileys in this process trust the server's certificates instead of WhatsApp's. Every server of a process has the same root; a
 * child process is given it (`Buffer.from(server.trust).toString('base64')`).
 */
export function trusting(server: Pick<WhatsAppServer, 'trust'>): void {
  WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(server.trust)
}
