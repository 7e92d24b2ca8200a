/** A person as Telegram tells them to a bot. */
export interface User {
  readonly id: number
  readonly is_bot: boolean
  readonly first_name: string
  readonly username?: string
}

/** A chat as it comes with a message. */
export interface Chat {
  readonly id: number
  readonly type: 'private' | 'group' | 'supergroup' | 'channel'
  readonly title?: string
  readonly first_name?: string
  readonly is_forum?: true
}

export interface Button {
  readonly text: string
  readonly callback_data?: string
  readonly style?: string
}

/** A message that stands in a chat, in the Bot API's own words. */
export interface Message {
  readonly message_id: number
  readonly from: User
  readonly chat: Chat
  readonly date: number
  readonly message_thread_id?: number
  readonly is_topic_message?: true
  readonly text?: string
  readonly caption?: string
  readonly entities?: readonly unknown[]
  readonly caption_entities?: readonly unknown[]
  readonly reply_to_message?: unknown
  readonly edit_date?: number
  readonly reply_markup?: { readonly inline_keyboard: readonly (readonly Button[])[] }
  readonly [field: string]: unknown
}

/** Everything that anybody could have seen, in order. */
export type Entry =
  | { readonly what: 'sent' | 'edited'; readonly by: 'bot' | 'person'; readonly message: Message }
  | { readonly what: 'deleted'; readonly chat: number; readonly messageId: number }
  | { readonly what: 'answered'; readonly pressId: string; readonly text: string }
  | { readonly what: 'typing'; readonly chat: number }

/** A chat with what stands in it. */
export interface Room {
  readonly chat: Chat
  readonly members: Set<number>
  readonly topics: Set<number>
  readonly messages: Map<number, Message>
  /** In a private chat: the person has pressed Start, or written. Until then the bot may not write. */
  begun: boolean
  /** In a private chat: the person has blocked the bot. */
  blocked: boolean
  /** The new id, once the group became a supergroup. */
  movedTo: number | undefined
}

/** The chats of one bot: who is there, what stands there, and what anybody could have seen. */
export class World {
  readonly bot: User
  readonly journal: Entry[] = []
  readonly rooms = new Map<number, Room>()
  readonly now: () => number
  /** Private chats and basic groups share one numbering; every supergroup has its own. */
  #ids = new Map<string, number>()

  constructor(bot: User, now: () => number) {
    this.bot = bot
    this.now = now
  }

  open(chat: Chat, members: readonly number[]): Room {
    const room: Room = {
      chat,
      members: new Set(members),
      topics: new Set(),
      messages: new Map(),
      begun: chat.type !== 'private',
      blocked: false,
      movedTo: undefined,
    }
    this.rooms.set(chat.id, room)
    // Number 1 is the message that a supergroup begins with, so no topic is ever opened by it.
    if (chat.type === 'supergroup') this.nextId(chat)
    return room
  }

  nextId(chat: Chat): number {
    const numbering = chat.type === 'supergroup' || chat.type === 'channel' ? String(chat.id) : 'bot'
    const next = (this.#ids.get(numbering) ?? 0) + 1
    this.#ids.set(numbering, next)
    return next
  }

  /** Puts a message into a chat: numbered, dated, and seen. */
  put(room: Room, from: User, content: Readonly<Record<string, unknown>>, thread?: number): Message {
    const isTopic = thread !== undefined && room.topics.has(thread)
    const message: Message = {
      message_id: this.nextId(room.chat),
      from,
      chat: room.chat,
      date: this.now(),
      ...(thread === undefined ? {} : { message_thread_id: thread }),
      ...(isTopic ? { is_topic_message: true as const } : {}),
      ...content,
    }
    room.messages.set(message.message_id, message)
    this.journal.push({ what: 'sent', by: from.id === this.bot.id ? 'bot' : 'person', message })
    return message
  }

  change(room: Room, message: Message, by: 'bot' | 'person'): Message {
    room.messages.set(message.message_id, message)
    this.journal.push({ what: 'edited', by, message })
    return message
  }

  remove(room: Room, messageId: number): void {
    if (room.messages.delete(messageId)) this.journal.push({ what: 'deleted', chat: room.chat.id, messageId })
  }

  /** The bot's messages that stand in a chat now, oldest first. */
  botMessages(chat: number): readonly Message[] {
    return [...(this.rooms.get(chat)?.messages.values() ?? [])].filter(({ from }) => from.id === this.bot.id)
  }
}
