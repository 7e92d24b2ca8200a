import type { Conversation } from '../../core/conversation.ts'
import type { Body, Ignored, InboundMoved, Normalized, OtherForm, Sender } from '../../core/inbound.ts'
import type { Moment } from '../../core/moment.ts'
import { type BotIdentity, isAddressed, replyOf, withoutAddress } from './addressing.ts'
import { mediaOf } from './media.ts'
import {
  type Message,
  messageSchema,
  pressedSchema,
  pressSchema,
  reactionSchema,
  unwantedUpdates,
  updateSchema,
} from './updates.ts'

const ignored = (reason: string): Ignored => ({ kind: 'ignored', reason })

const senderOf = (user: NonNullable<Message['from']>): Sender => {
  const name = [user.first_name, user.last_name].filter((part) => part !== undefined && part !== '').join(' ')
  return { id: `tg:${user.id}`, ...(name === '' ? {} : { name }) }
}

/** A thread id is a topic only with `is_topic_message`: elsewhere it numbers a chain of replies. Thread 1 is General, which has no topic. */
const conversationIn = (
  at: {
    readonly chat: { readonly id: number }
    readonly message_thread_id?: number | undefined
    readonly is_topic_message?: boolean | undefined
  },
  bot: BotIdentity,
): Conversation => {
  const { message_thread_id: thread, is_topic_message: isTopic } = at
  const base = { account: bot.account, chat: String(at.chat.id) }
  return isTopic === true && thread !== undefined && thread !== 1 ? { ...base, topic: String(thread) } : base
}

/** Why a message is not one that a person wrote to the bot as themselves, in a place where an answer would reach only that place. */
function notAPersons(message: Message): string | undefined {
  if (message.business_connection_id !== undefined) return 'business'
  if (
    message.guest_query_id !== undefined ||
    message.guest_bot_caller_user !== undefined ||
    message.guest_bot_caller_chat !== undefined
  )
    return 'guest'
  // Seen by the bot alone, while our answer would be seen by the whole group; and its id is given out again later.
  if (message.ephemeral_message_id !== undefined) return 'ephemeral'
  if (message.message_id <= 0) return 'without_id'
  if (message.chat.type === 'channel') return 'channel_post'
  if (message.chat.is_direct_messages !== undefined) return 'direct_messages'
  // Anonymous administrators, channels and forwards from a linked channel come with a made-up `from`.
  if (message.sender_chat !== undefined || message.is_automatic_forward !== undefined || message.from === undefined)
    return 'anonymous'
  return message.from.is_bot ? 'bot' : undefined
}

function formOf(message: Message): OtherForm | undefined {
  if (message.caption !== undefined) return 'caption'
  if (message.voice !== undefined || message.video_note !== undefined) return 'voice'
  if (message.sticker !== undefined) return 'sticker'
  if (message.contact !== undefined) return 'contact'
  if (message.location !== undefined || message.venue !== undefined) return 'location'
  if (message.poll !== undefined) return 'poll'
  const { animation, audio, checklist, dice, document, game, live_photo, paid_media, photo, rich_message, story, video } = message
  const media = [animation, audio, checklist, dice, document, game, live_photo, paid_media, photo, rich_message, story, video]
  return media.some((content) => content !== undefined) ? 'media' : undefined
}

/** Not the person's own words of this moment: forwarded, put together by another bot, or sent by the app on a schedule. */
const isSecondHand = (message: Message): boolean =>
  [
    message.forward_origin,
    message.forward_date,
    message.forward_from,
    message.forward_from_chat,
    message.via_bot,
    message.sender_business_bot,
    message.is_from_offline,
  ].some((sign) => sign !== undefined)

function bodyOf(message: Message, isEdit: boolean, bot: BotIdentity): Body | undefined {
  const text = message.text === undefined ? message.caption : withoutAddress(message, bot)
  const media = mediaOf(message)
  const other = (form: OtherForm): Body => ({
    kind: 'other',
    form,
    ...(text === undefined ? {} : { text }),
    ...(media === undefined ? {} : { media }),
  })
  const form = formOf(message)
  if (message.text === undefined && form === undefined) return undefined
  if (isEdit) return other('edited')
  if (isSecondHand(message)) return other('forwarded')
  if (form !== undefined) return other(form)
  return text === undefined ? undefined : { kind: 'text', text }
}

/** Telegram tells a migration twice, in the old chat and in the new one; either may be lost, and moving is repeatable. */
function movedOf(message: Message, bot: BotIdentity): InboundMoved | undefined {
  const from = message.migrate_to_chat_id === undefined ? message.migrate_from_chat_id : message.chat.id
  const to = message.migrate_to_chat_id ?? message.chat.id
  if (from === undefined) return undefined
  return {
    kind: 'moved',
    conversation: { account: bot.account, chat: String(from) },
    providerId: `${message.chat.id}:${message.message_id}`,
    toChat: String(to),
  }
}

function fromMessage(raw: unknown, isEdited: boolean, bot: BotIdentity): Normalized {
  const read = messageSchema.safeParse(raw)
  if (!read.success) return ignored('malformed')
  const message = read.data
  const moved = movedOf(message, bot)
  if (moved !== undefined) return moved
  const reason = notAPersons(message)
  if (reason !== undefined || message.from === undefined) return ignored(reason ?? 'anonymous')
  const isEdit = isEdited || message.edit_date !== undefined
  // A live location is edited every few seconds while it lasts.
  if (isEdit && message.location !== undefined) return ignored('live_location')
  const body = bodyOf(message, isEdit, bot)
  if (body === undefined) return ignored('service')
  const { reply, toBot } = replyOf(message, bot)
  const id = `${message.chat.id}:${message.message_id}`
  const editedAt = message.edit_date ?? message.date
  // An edit keeps its message's number, which says nothing about when it was edited.
  const moment: Moment = isEdit ? { atMs: editedAt * 1000 } : { atMs: message.date * 1000, order: message.message_id }
  const group = message.chat.type !== 'private'
  return {
    kind: 'message',
    conversation: conversationIn(message, bot),
    providerId: isEdit ? `${id}@${editedAt}` : id,
    sender: senderOf(message.from),
    messageId: String(message.message_id),
    moment,
    group,
    addressed: !group || toBot || isAddressed(message, bot),
    reply,
    body,
  }
}

function fromPress(raw: unknown, bot: BotIdentity): Normalized {
  const read = pressSchema.safeParse(raw)
  if (!read.success) return ignored('malformed')
  const { id, from, data, inline_message_id: inlineId } = read.data
  if (from.is_bot) return ignored('bot')
  if (data === undefined) return ignored('no_payload')
  const press = { kind: 'press', providerId: `cb:${id}`, sender: senderOf(from), pressId: id, payload: data } as const
  if (read.data.message === undefined) {
    if (inlineId === undefined) return ignored('malformed')
    // A message sent in inline mode has no chat, and Dale sends none: a conversation of its own, so that no card of another can match.
    return { ...press, conversation: { account: bot.account, chat: `inline:${inlineId}` }, group: false }
  }
  const pressed = pressedSchema.safeParse(read.data.message)
  if (!pressed.success) return ignored('malformed')
  const message = pressed.data
  if (message.business_connection_id !== undefined) return ignored('business')
  return {
    ...press,
    conversation: conversationIn(message, bot),
    ...(message.message_id > 0 ? { messageId: String(message.message_id) } : {}),
    group: message.chat.type !== 'private',
  }
}

function fromReaction(raw: unknown, updateId: number, bot: BotIdentity): Normalized {
  const read = reactionSchema.safeParse(raw)
  if (!read.success) return ignored('malformed')
  const { chat, message_id: messageId, user, date } = read.data
  if (user === undefined) return ignored('anonymous')
  if (user.is_bot) return ignored('bot')
  const before = new Set(read.data.old_reaction.map(({ emoji, custom_emoji_id }) => emoji ?? custom_emoji_id))
  const added = read.data.new_reaction.filter(({ emoji, custom_emoji_id }) => !before.has(emoji ?? custom_emoji_id))
  if (added.length === 0) return ignored('reaction_removed')
  const text = added.flatMap(({ emoji }) => (emoji === undefined ? [] : [emoji])).join('')
  return {
    kind: 'message',
    conversation: { account: bot.account, chat: String(chat.id) },
    providerId: `upd:${updateId}`,
    sender: senderOf(user),
    messageId: `upd:${updateId}`,
    moment: { atMs: date * 1000 },
    group: chat.type !== 'private',
    addressed: chat.type === 'private',
    reply: { kind: 'message', id: String(messageId) },
    body: { kind: 'other', form: 'reaction', ...(text === '' ? {} : { text }) },
  }
}

/**
 * Reads one Telegram update. Pure, never throws; always gives one event, which is `ignored` with a reason when the update is not
 * for Dale, unknown or malformed. The same update gives the same event, with the same `providerId`, however often it is delivered.
 */
export function normalizeUpdate(update: unknown, bot: BotIdentity): readonly [Normalized] {
  const read = updateSchema.safeParse(update)
  if (!read.success) return [ignored('malformed')]
  const { update_id: id, message, edited_message: edited, callback_query: press, message_reaction: reaction } = read.data
  if (message !== undefined) return [fromMessage(message, false, bot)]
  if (edited !== undefined) return [fromMessage(edited, true, bot)]
  if (press !== undefined) return [fromPress(press, bot)]
  if (reaction !== undefined) return [fromReaction(reaction, id, bot)]
  const kind = Object.keys(update ?? {}).find((key) => unwantedUpdates.has(key))
  return [ignored(kind ?? 'unknown_update')]
}
