import { z } from 'zod'

/** PostgreSQL stores neither NUL nor half a surrogate pair: a text with one would be refused, and redelivered, for ever. */
const text = z.string().transform((value) => value.toWellFormed().replaceAll('\0', ''))
/** A field whose mere presence says something; what is in it is not read. */
const present = z.unknown().optional()
/** Unix time, up to the year 9999: beyond that it is no date, and in milliseconds soon no exact number. */
export const seconds = z.int().nonnegative().max(253_402_300_799)

const user = z.object({ id: z.int(), is_bot: z.boolean(), first_name: text.optional(), last_name: text.optional() })
const chat = z.object({ id: z.int(), type: z.string(), is_direct_messages: present })

const entities = z
  .array(
    z.object({ type: z.string(), offset: z.int(), length: z.int(), user: z.object({ id: z.int() }).optional().catch(undefined) }),
  )
  .optional()
  // Without readable entities there is no mention: the message is then not addressed, which is the safe reading.
  .catch(undefined)

/** The fields of a Message that Dale reads (Bot API 10.3). Anything else may be there and is not looked at. */
export const messageSchema = z.object({
  message_id: z.int(),
  ephemeral_message_id: present,
  business_connection_id: present,
  guest_query_id: present,
  guest_bot_caller_user: present,
  guest_bot_caller_chat: present,
  message_thread_id: z.int().optional(),
  is_topic_message: z.boolean().optional(),
  from: user.optional(),
  sender_chat: present,
  sender_business_bot: present,
  chat,
  date: seconds,
  edit_date: seconds.optional(),
  forward_origin: present,
  // Bot API servers before 7.0, which people still run themselves, tell a forward by these.
  forward_date: present,
  forward_from: present,
  forward_from_chat: present,
  is_automatic_forward: present,
  is_from_offline: present,
  via_bot: present,
  reply_to_message: present,
  external_reply: present,
  reply_to_story: present,
  quote: present,
  text: text.optional(),
  entities,
  caption: text.optional(),
  caption_entities: entities,
  migrate_to_chat_id: z.int().optional(),
  migrate_from_chat_id: z.int().optional(),
  animation: present,
  audio: present,
  checklist: present,
  contact: present,
  dice: present,
  document: present,
  game: present,
  live_photo: present,
  location: present,
  paid_media: present,
  photo: present,
  poll: present,
  rich_message: present,
  sticker: present,
  story: present,
  venue: present,
  video: present,
  video_note: present,
  voice: present,
})
export type Message = z.infer<typeof messageSchema>

/** The message that a reply answers, as far as it is told. */
export const repliedSchema = z.object({
  message_id: z.int().positive(),
  chat: z.object({ id: z.int() }).optional(),
  from: z.object({ id: z.int() }).optional().catch(undefined),
  forum_topic_created: present,
  ephemeral_message_id: present,
})

export const pressSchema = z.object({
  id: text.pipe(z.string().min(1)),
  from: user,
  message: present,
  inline_message_id: text.optional(),
  data: text.optional(),
})

/** The message under a tapped button; `date` 0 and little else when Telegram no longer has it. */
export const pressedSchema = z.object({
  message_id: z.int(),
  chat,
  message_thread_id: z.int().optional(),
  is_topic_message: z.boolean().optional(),
  business_connection_id: present,
})

const reaction = z.object({ type: z.string(), emoji: text.optional(), custom_emoji_id: text.optional() })
export const reactionSchema = z.object({
  chat,
  message_id: z.int(),
  user: user.optional(),
  date: seconds,
  old_reaction: z.array(reaction),
  new_reaction: z.array(reaction),
})

export const updateSchema = z.object({
  update_id: z.int(),
  message: present,
  edited_message: present,
  callback_query: present,
  message_reaction: present,
})

/** What Dale asks Telegram to deliver; every other kind of update is not for it. */
export const wantedUpdates = ['message', 'edited_message', 'callback_query', 'message_reaction'] as const

/** Kinds of update that are known and not for Dale: ignored under their own name. */
export const unwantedUpdates = new Set([
  'business_connection',
  'business_message',
  'channel_post',
  'chat_boost',
  'chat_join_request',
  'chat_member',
  'chosen_inline_result',
  'deleted_business_messages',
  'edited_business_message',
  'edited_channel_post',
  'guest_message',
  'inline_query',
  'managed_bot',
  'message_reaction_count',
  'my_chat_member',
  'poll',
  'poll_answer',
  'pre_checkout_query',
  'purchased_paid_media',
  'removed_chat_boost',
  'shipping_query',
  'stopped_message_generation',
  'subscription',
])
