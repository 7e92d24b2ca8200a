import { contactOf, fromOf, type Webhooks } from './graph-webhooks.ts'
import type { Message, Room, User, World } from './graph-world.ts'

/** Where and how a person writes. `in` is a group's id; without it the person's own chat with the account. */
export interface Where {
  readonly in?: string
  readonly replyTo?: string
  /** Any other field of the message, as WhatsApp names it. */
  readonly with?: Readonly<Record<string, unknown>>
}

/** A person with WhatsApp in front of them: they can do what the app lets a person do, and nothing else. */
export interface Person {
  readonly user: User
  /** The chat with the account, as the account's adapter names it. */
  readonly chat: string
  /** Wrote before anything here began: the window of a day is open. */
  begins(where?: Where): void
  /** Writes a text; returns the message's id. */
  says(text: string, where?: Where): string
  /** Sends what is not a text: `image`, `{ caption: '…' }`. */
  sends(type: string, content: Readonly<Record<string, unknown>>, where?: Where): string
  edits(messageId: string, text: string, where?: Where): void
  revokes(messageId: string): void
  forwards(text: string, where?: Where & { readonly often?: boolean }): string
  /** An empty text takes the reaction back. */
  reacts(messageId: string, emoji: string, where?: Where): void
  /** Taps a button of a message, as often as they like; throws when there is none with this label. Returns the tap's message id. */
  taps(messageId: string, title: string): string
  /** Blocks the account: what it sends is taken and fails. */
  blocks(): void
  /** The phone is off, or on again: nothing is delivered meanwhile. */
  turns(how: 'off' | 'on'): void
  /** Gets another number and with it another id; the platform tells it. */
  changesNumber(to: { readonly waId: string; readonly userId: string }): void
}

/** A new person, with a chat in which nothing stands yet. */
export function personIn(world: World, user: User, webhooks: Webhooks): Person {
  const chat = user.userId ?? user.waId ?? ''
  const own = world.rooms.get(chat) ?? world.open(chat, [user], false)

  const roomFor = ({ in: group }: Where): Room => {
    const room = group === undefined ? own : world.rooms.get(group)
    if (room === undefined || !room.users.includes(user)) throw new Error(`${user.name} is not in chat ${group}`)
    return room
  }
  const contextOf = (room: Room, { replyTo }: Where): object => {
    if (replyTo === undefined) return {}
    const replied = room.messages.find(({ id }) => id === replyTo)
    const from = replied?.by === 'person' ? replied.from : world.displayNumber
    return { context: { ...(from === undefined ? {} : { from }), id: replyTo } }
  }
  const put = (room: Room, type: string, body: string, where: Where): Message => {
    const { replyTo } = where
    room.lastWroteAt = world.now()
    return world.put(room, {
      by: 'person',
      type,
      body,
      buttons: [],
      ...(user.waId === undefined ? {} : { from: user.waId }),
      ...(replyTo === undefined ? {} : { replyTo }),
    })
  }
  const tell = (room: Room, message: Message, content: object): string => {
    const value = {
      contacts: [contactOf(user)],
      messages: [
        {
          ...fromOf(user),
          id: message.id,
          timestamp: String(message.at),
          ...(room.isGroup ? { group_id: room.chat } : {}),
          ...content,
        },
      ],
    }
    webhooks.post('messages', value)
    return message.id
  }
  const sends = (type: string, body: string, content: object, where: Where): string => {
    const room = roomFor(where)
    return tell(room, put(room, type, body, where), { type, ...contextOf(room, where), ...content, ...where.with })
  }

  return {
    user,
    chat,
    begins(where = {}) {
      roomFor(where).lastWroteAt = world.now()
    },
    says: (text, where = {}) => sends('text', text, { text: { body: text } }, where),
    sends: (type, content, where = {}) => sends(type, '', { [type]: content }, where),
    forwards: (text, where = {}) =>
      sends(
        'text',
        text,
        { context: where.often === true ? { frequently_forwarded: true } : { forwarded: true }, text: { body: text } },
        where,
      ),
    reacts: (messageId, emoji, where = {}) =>
      void sends('reaction', emoji, { reaction: { message_id: messageId, ...(emoji === '' ? {} : { emoji }) } }, where),
    edits: (messageId, text, where = {}) =>
      void sends(
        'edit',
        text,
        { edit: { original_message_id: messageId, message: { type: 'text', text: { body: text } } } },
        where,
      ),
    revokes: (messageId) => void sends('revoke', '', { revoke: { original_message_id: messageId } }, {}),
    taps(messageId, title) {
      const message = own.messages.find(({ id }) => id === messageId)
      const button = message?.buttons.find((one) => one.title === title)
      if (message === undefined || button === undefined) throw new Error(`${user.name} finds no button ${title} on ${messageId}`)
      const reply = { id: button.id, title: button.title }
      return button.isQuickReply === true
        ? sends('button', title, { button: { payload: button.id, text: title } }, { replyTo: messageId })
        : sends('interactive', title, { interactive: { type: 'button_reply', button_reply: reply } }, { replyTo: messageId })
    },
    blocks() {
      own.unreachable = true
    },
    turns(how) {
      own.off = how === 'off'
      if (own.off) return
      for (const { id, ref } of own.undelivered.splice(0)) webhooks.status(own, { id, status: 'delivered', ref })
    },
    changesNumber({ waId, userId }) {
      const message = world.put(own, { by: 'person', type: 'system', body: '', buttons: [] })
      webhooks.post('messages', {
        messages: [
          {
            ...(user.waId === undefined ? {} : { from: user.waId }),
            id: message.id,
            timestamp: String(message.at),
            type: 'system',
            system: {
              body: `${user.name} changed their number`,
              wa_id: waId,
              user_id: userId,
              ...(user.userId === undefined ? {} : { previous_user_id: user.userId }),
              type: 'user_changed_number',
            },
          },
        ],
      })
    },
  }
}
