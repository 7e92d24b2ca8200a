/** A person with WhatsApp, as the platform knows them. */
export interface User {
  readonly name: string
  /** The business-scoped id; older accounts' webhooks have none. */
  readonly userId: string | undefined
  /** The number as WhatsApp writes it; hidden where a user name stands for it. */
  readonly waId: string | undefined
  /** Other spellings of the number that reach the same person when they are dialled. */
  readonly dialled: readonly string[]
}

/** A button under a message. */
export interface Button {
  readonly id: string
  readonly title: string
  /** Of a template: a tap comes as another kind of message. */
  readonly isQuickReply?: true
}

/** A message as it stands in a chat. `body` is what was sent, with the marks in it. */
export interface Message {
  readonly id: string
  readonly chat: string
  readonly by: 'account' | 'person' | 'owner' | 'tool'
  readonly at: number
  readonly type: string
  readonly body: string
  readonly buttons: readonly Button[]
  readonly from?: string
  readonly replyTo?: string
  readonly ref?: string
}

/** A chat: with one person, named by their id, or a group. */
export interface Room {
  readonly chat: string
  readonly users: readonly User[]
  readonly isGroup: boolean
  readonly messages: Message[]
  /** When somebody wrote here last, in seconds; the account may say anything for a day from then. */
  lastWroteAt: number | undefined
  /** Has blocked the account, or is no WhatsApp user any more: what is sent is taken, and then reported as failed. */
  unreachable: boolean
  /** The phone is off: nothing is reported as delivered until it is on again. */
  off: boolean
  /** What has not got to the phone. */
  readonly undelivered: Message[]
  /** Messages to this person, for the limit of one pair. */
  readonly sentAt: number[]
}

/** An approved template of the account. `{{1}}` and so on stand in the body. */
export interface TemplateText {
  readonly name: string
  readonly language: string
  readonly body: string
  readonly quickReplies: readonly string[]
}

/** The number, who writes to it, and what stands in each chat. */
export class World {
  readonly phoneNumberId: string
  readonly displayNumber: string
  readonly now: () => number
  readonly rooms = new Map<string, Room>()
  readonly templates: TemplateText[] = []
  /** Everything that anybody could have seen, in order. */
  readonly journal: Message[] = []
  #messages = 0

  constructor(phoneNumberId: string, displayNumber: string, now: () => number) {
    this.phoneNumberId = phoneNumberId
    this.displayNumber = displayNumber
    this.now = now
  }

  open(chat: string, users: readonly User[], isGroup: boolean): Room {
    const room: Room = {
      chat,
      users,
      isGroup,
      messages: [],
      lastWroteAt: undefined,
      unreachable: false,
      off: false,
      undelivered: [],
      sentAt: [],
    }
    this.rooms.set(chat, room)
    return room
  }

  put(room: Room, message: Omit<Message, 'id' | 'chat' | 'at'>): Message {
    this.#messages += 1
    const stands: Message = {
      id: `wamid.TEST${String(this.#messages).padStart(6, '0')}`,
      chat: room.chat,
      at: this.now(),
      ...message,
    }
    room.messages.push(stands)
    this.journal.push(stands)
    return stands
  }

  /** The chat with a person by any name that reaches them: their id, their number, another spelling of it. */
  roomOf(address: string): Room | undefined {
    return [...this.rooms.values()].find(
      ({ chat, isGroup, users: [user] }) =>
        chat === address ||
        (!isGroup && user !== undefined && (user.userId === address || user.waId === address || user.dialled.includes(address))),
    )
  }
}
