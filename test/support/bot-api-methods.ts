import type { Button, Message, Room, World } from './bot-api-world.ts'

/** A refusal in the Bot API's own form. */
export class Refusal extends Error {
  readonly code: number
  readonly parameters: Readonly<Record<string, number>> | undefined
  constructor(code: number, description: string, parameters?: Readonly<Record<string, number>>) {
    super(description)
    this.code = code
    this.parameters = parameters
  }
}

type Payload = Readonly<Record<string, unknown>>
const bad = (what: string): Refusal => new Refusal(400, `Bad Request: ${what}`)

/** Callback queries that wait for an answer, by id; answered or forgotten ones are too old. */
export type Presses = Set<string>

/** The methods that act on chats. Each returns its `result` or throws a `Refusal`; what a method does not know it refuses. */
export const methods: Readonly<Record<string, (world: World, payload: Payload, presses: Presses) => unknown>> = {
  getMe: (world) => world.bot,

  sendMessage(world, payload) {
    const room = roomOf(world, payload)
    const thread = threadIn(room, payload)
    const content = textOf(payload)
    const replyTo = repliedBy(room, payload)
    return world.put(room, world.bot, { ...content, ...keyboardOf(payload), ...replyTo }, thread)
  },

  editMessageText(world, payload) {
    const { room, message } = targetOf(world, payload)
    if (message.text === undefined) throw bad('there is no text in the message to edit')
    return changed(world, room, message, { ...textOf(payload), reply_markup: keyboardOf(payload).reply_markup })
  },

  editMessageCaption(world, payload) {
    const { room, message } = targetOf(world, payload)
    if (message.text !== undefined || message.sticker !== undefined) throw bad('there is no caption in the message to edit')
    const caption = typeof payload.caption === 'string' ? payload.caption.trim() : ''
    if (caption.length > 1024) throw bad('message caption is too long')
    return changed(world, room, message, { caption, reply_markup: keyboardOf(payload).reply_markup })
  },

  editMessageReplyMarkup(world, payload) {
    const { room, message } = targetOf(world, payload)
    return changed(world, room, message, { reply_markup: keyboardOf(payload).reply_markup })
  },

  deleteMessage(world, payload) {
    const room = roomOf(world, payload)
    const id = Number(payload.message_id)
    if (!room.messages.has(id)) throw bad('message to delete not found')
    world.remove(room, id)
    return true
  },

  answerCallbackQuery(world, payload, presses) {
    const id = String(payload.callback_query_id)
    if (!presses.delete(id)) throw bad('query is too old and response timeout expired or query ID is invalid')
    const text = typeof payload.text === 'string' ? payload.text : ''
    if (text.length > 200) throw bad('MESSAGE_TOO_LONG')
    world.journal.push({ what: 'answered', pressId: id, text })
    return true
  },

  sendChatAction(world, payload) {
    const room = roomOf(world, payload)
    if (payload.action !== 'typing') throw bad('wrong parameter action in request')
    world.journal.push({ what: 'typing', chat: room.chat.id })
    return true
  },
}

function roomOf(world: World, payload: Payload): Room {
  const room = world.rooms.get(Number(payload.chat_id))
  if (room === undefined) throw bad('chat not found')
  if (room.movedTo !== undefined)
    throw new Refusal(400, 'Bad Request: group chat was upgraded to a supergroup chat', { migrate_to_chat_id: room.movedTo })
  if (room.blocked) throw new Refusal(403, 'Forbidden: bot was blocked by the user')
  if (!room.begun) throw new Refusal(403, "Forbidden: bot can't initiate conversation with a user")
  if (room.chat.type !== 'private' && !room.members.has(world.bot.id))
    throw new Refusal(403, `Forbidden: bot is not a member of the ${room.chat.type} chat`)
  return room
}

/** General has no thread that could be named: 1 is refused like any other that is no topic. */
function threadIn(room: Room, { message_thread_id: thread }: Payload): number | undefined {
  if (thread === undefined) return undefined
  if (!room.topics.has(Number(thread))) throw bad('message thread not found')
  return Number(thread)
}

function textOf({ text, entities, parse_mode: parseMode }: Payload): {
  readonly text: string
  readonly entities?: readonly unknown[]
} {
  if (parseMode !== undefined) throw bad('this server reads no mark-up: send entities')
  const whole = typeof text === 'string' ? text : ''
  if (whole.trim() === '') throw bad('message text is empty')
  if (whole.length > 4096) throw bad('message is too long')
  if (!whole.isWellFormed()) throw bad('strings must be encoded in UTF-8')
  if (entities === undefined) return { text: whole.trim() }
  if (!Array.isArray(entities)) throw bad("can't parse entities JSON object")
  if (entities.length > 100) throw bad('ENTITIES_TOO_LONG')
  for (const { offset, length, type } of entities) {
    const isInside =
      Number.isInteger(offset) && Number.isInteger(length) && offset >= 0 && length > 0 && offset + length <= whole.length
    if (!isInside || typeof type !== 'string') throw bad('ENTITY_BOUNDS_INVALID')
    if (!whole.slice(offset, offset + length).isWellFormed()) throw bad('entity ends in a middle of a UTF-16 symbol')
  }
  return { text: whole.trim(), entities }
}

const styles = new Set(['danger', 'success', 'primary'])

function keyboardOf({ reply_markup: markup }: Payload): { readonly reply_markup?: Message['reply_markup'] } {
  if (markup === undefined || markup === null || typeof markup !== 'object' || !('inline_keyboard' in markup)) return {}
  if (!Array.isArray(markup.inline_keyboard)) throw bad("can't parse inline keyboard")
  const rows: readonly (readonly Button[])[] = markup.inline_keyboard
  for (const { text, callback_data: payload, style } of rows.flat()) {
    if (typeof text !== 'string' || text.trim() === '') throw bad('inline keyboard button text must be non-empty')
    if (payload === undefined) throw bad('text buttons are unallowed in the inline keyboard')
    const bytes = Buffer.byteLength(payload)
    if (bytes < 1 || bytes > 64) throw bad('BUTTON_DATA_INVALID')
    if (style !== undefined && !styles.has(style)) throw bad('invalid button style specified')
  }
  return rows.flat().length === 0 ? {} : { reply_markup: { inline_keyboard: rows } }
}

function repliedBy(room: Room, { reply_parameters: reply }: Payload): { readonly reply_to_message?: unknown } {
  if (reply === null || typeof reply !== 'object' || !('message_id' in reply)) return {}
  const replied = room.messages.get(Number(reply.message_id))
  if (replied === undefined) throw bad('message to be replied not found')
  return { reply_to_message: replied }
}

function targetOf(world: World, payload: Payload): { readonly room: Room; readonly message: Message } {
  const room = roomOf(world, payload)
  if (payload.message_id === undefined) throw bad('message identifier is not specified')
  const message = room.messages.get(Number(payload.message_id))
  if (message === undefined) throw bad('message to edit not found')
  if (message.from.id !== world.bot.id) throw bad("message can't be edited")
  return { room, message }
}

/** Telegram compares what the message would be with what it is, and refuses an edit that changes nothing. */
function changed(world: World, room: Room, message: Message, to: Readonly<Record<string, unknown>>): Message {
  const { edit_date: _, ...before } = message
  const after = JSON.parse(JSON.stringify({ ...before, ...to }))
  const sorted = (value: object) => JSON.stringify(Object.entries(value).sort(([a], [b]) => a.localeCompare(b)))
  if (sorted(after) === sorted(JSON.parse(JSON.stringify(before)))) {
    throw bad(
      'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
    )
  }
  return world.change(room, { ...after, edit_date: world.now() }, 'bot')
}
