import type { Chat, Message, Room, User, World } from './bot-api-world.ts'

/** Where and how a person writes. `in` is a group's id; without it the person's own chat with the bot. */
export interface Where {
  readonly in?: number
  readonly topic?: number
  readonly replyTo?: number
  /** Any other field of the message, as the Bot API names it. */
  readonly with?: Readonly<Record<string, unknown>>
}

/** A person with Telegram in front of them: they can do what the app lets a person do, and nothing else. */
export interface Person {
  readonly user: User
  /** Has talked to the bot at some time before, so that it may write first. */
  begins(): void
  /** Writes a text, mentions and commands marked as Telegram marks them; returns the message's id. */
  says(text: string, where?: Where): number
  /** Sends something that is not a text: `{ photo: […], caption: '…' }`. */
  sends(content: Readonly<Record<string, unknown>>, where?: Where): number
  edits(messageId: number, text: string, where?: Where): void
  forwards(text: string, from: User, where?: Where): number
  reacts(messageId: number, emoji: string, where?: Where): void
  /** Taps a button that stands there now; throws when there is none with this label. Returns the callback query's id. */
  taps(messageId: number, label: string, where?: Where): string
  blocks(): void
}

/** What the far side can do with an update: queue it for delivery. */
export type Post = (update: Readonly<Record<string, unknown>>) => void

const utf16 = (text: string, pattern: RegExp, type: string) =>
  [...text.matchAll(pattern)].map((match) => ({ type, offset: match.index, length: match[0].length }))

/** The entities that Telegram finds in a person's text by itself. */
function entitiesOf(text: string): { readonly entities?: readonly unknown[] } {
  const entities = [...utf16(text, /(?<!\w)@\w{3,}/g, 'mention'), ...utf16(text, /(?<![\w/])\/\w+(?:@\w+)?/g, 'bot_command')]
  return entities.length === 0 ? {} : { entities }
}

function roomFor(world: World, user: User, where: Where): Room {
  const room = world.rooms.get(where.in ?? user.id)
  if (room === undefined || !room.members.has(user.id)) throw new Error(`${user.first_name} is not in chat ${where.in}`)
  return room
}

/** What a message answers: the message named, else in a topic the one that opened it, as Telegram fills it in. */
function replyIn(room: Room, { replyTo, topic }: Where): { readonly reply_to_message?: Message } {
  const id = replyTo ?? topic
  if (id === undefined) return {}
  const replied = room.messages.get(id)
  if (replied === undefined) throw new Error(`no message ${id} stands in chat ${room.chat.id}`)
  const { reply_to_message: _, ...flat } = replied
  return { reply_to_message: flat }
}

/** A new person, with a private chat in which nothing stands yet. */
export function personIn(world: World, user: User, post: Post, press: (id: string) => void): Person {
  const chat: Chat = { id: user.id, type: 'private', first_name: user.first_name }
  if (!world.rooms.has(user.id)) world.open(chat, [user.id, world.bot.id])
  let presses = 0
  const put = (content: Readonly<Record<string, unknown>>, where: Where = {}): number => {
    const room = roomFor(world, user, where)
    room.begun = true
    const message = world.put(room, user, { ...content, ...replyIn(room, where), ...where.with }, where.topic)
    post({ message })
    return message.message_id
  }
  return {
    user,
    begins() {
      roomFor(world, user, {}).begun = true
    },
    sends: put,
    says: (text, where) => put({ text, ...entitiesOf(text) }, where),
    forwards: (text, from, where) =>
      put({ text, forward_origin: { type: 'user', date: world.now() - 60, sender_user: from } }, where),
    edits(messageId, text, where = {}) {
      const room = roomFor(world, user, where)
      const message = room.messages.get(messageId)
      if (message === undefined || message.from.id !== user.id)
        throw new Error(`${messageId} is not a message of ${user.first_name}`)
      post({ edited_message: world.change(room, { ...message, text, ...entitiesOf(text), edit_date: world.now() }, 'person') })
    },
    reacts(messageId, emoji, where = {}) {
      const room = roomFor(world, user, where)
      post({
        message_reaction: {
          chat: room.chat,
          message_id: messageId,
          user,
          date: world.now(),
          old_reaction: [],
          new_reaction: [{ type: 'emoji', emoji }],
        },
      })
    },
    taps(messageId, label, where = {}) {
      const room = roomFor(world, user, where)
      const message = room.messages.get(messageId)
      const button = message?.reply_markup?.inline_keyboard.flat().find(({ text }) => text === label)
      if (message === undefined || button === undefined) throw new Error(`no button "${label}" stands on message ${messageId}`)
      presses += 1
      const id = `${user.id}${String(presses).padStart(6, '0')}`
      press(id)
      post({ callback_query: { id, from: user, message, chat_instance: `-${room.chat.id}`, data: button.callback_data } })
      return id
    },
    blocks() {
      roomFor(world, user, {}).blocked = true
    },
  }
}
