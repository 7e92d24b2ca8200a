import type { Reply } from '../../core/inbound.ts'
import { type Message, repliedSchema } from './updates.ts'

/** The bot as Telegram knows it. `username` is unknown until the bot has asked who it is; until then nothing mentions it. */
export interface BotIdentity {
  readonly account: string
  readonly id: number
  readonly username: string | undefined
}

type Entity = NonNullable<Message['entities']>[number]

const isAtName = (text: string, bot: BotIdentity): boolean =>
  bot.username !== undefined && text.toLowerCase() === `@${bot.username.toLowerCase()}`

const isMention = (text: string, entity: Entity, bot: BotIdentity): boolean =>
  (entity.type === 'mention' && isAtName(text.slice(entity.offset, entity.offset + entity.length), bot)) ||
  (entity.type === 'text_mention' && entity.user?.id === bot.id)

/** The command that a text opens with, split where a bot's name may follow it: `/pay` and `@dale_bot`. */
function commandOf(
  text: string,
  entities: readonly Entity[],
): { readonly end: number; readonly name: string; readonly at: string } | undefined {
  const entity = entities.find(({ type, offset }) => type === 'bot_command' && offset === 0)
  if (entity === undefined) return undefined
  const whole = text.slice(0, entity.length)
  const at = whole.indexOf('@')
  return { end: whole.length, name: at < 0 ? whole : whole.slice(0, at), at: at < 0 ? '' : whole.slice(at) }
}

/** Does the text, or caption, speak to the bot: a mention, or a command that names it or nobody? */
export function isAddressed(message: Message, bot: BotIdentity): boolean {
  const text = message.text ?? message.caption ?? ''
  const entities = (message.text === undefined ? message.caption_entities : message.entities) ?? []
  const command = commandOf(text, entities)
  if (command !== undefined && (command.at === '' || isAtName(command.at, bot))) return true
  return entities.some((entity) => isMention(text, entity, bot))
}

/**
 * The text without the bot's own name, which is addressing and not content (RULES 2): once, at its start with one `,` or `:`, or at
 * its end, or behind a command. A mention in the middle of a sentence is the person's own words and stays.
 */
export function withoutAddress(message: Message, bot: BotIdentity): string {
  const text = message.text ?? ''
  const entities = message.entities ?? []
  const command = commandOf(text, entities)
  if (command !== undefined && isAtName(command.at, bot)) return command.name + text.slice(command.end)
  const mentions = entities.filter((entity) => isMention(text, entity, bot))
  const first = mentions.find(({ offset }) => text.slice(0, offset).trim() === '')
  if (first !== undefined) return text.slice(first.offset + first.length).replace(/^\s?[,:]?\s*/u, '')
  const last = mentions.find(({ offset, length }) => text.slice(offset + length).trim() === '')
  return last === undefined ? text : text.slice(0, last.offset).trimEnd()
}

/** What the message answers, and whether that is the bot's own message. */
export function replyOf(message: Message, bot: BotIdentity): { readonly reply: Reply; readonly toBot: boolean } {
  const elsewhere = { reply: { kind: 'elsewhere' }, toBot: false } as const
  const none = { reply: { kind: 'none' }, toBot: false } as const
  if (message.external_reply !== undefined || message.reply_to_story !== undefined) return elsewhere
  if (message.reply_to_message === undefined) return message.quote === undefined ? none : elsewhere
  const read = repliedSchema.safeParse(message.reply_to_message)
  if (!read.success) return elsewhere
  const replied = read.data
  // In a forum every message that answers nothing "answers" the message that opened its topic. Outside topics the thread id is
  // that of a plain reply, so the flag must be there.
  if (replied.forum_topic_created !== undefined) return none
  if (message.is_topic_message === true && replied.message_id === message.message_thread_id) return none
  if (replied.ephemeral_message_id !== undefined) return elsewhere
  if (replied.chat !== undefined && replied.chat.id !== message.chat.id) return elsewhere
  return { reply: { kind: 'message', id: String(replied.message_id) }, toBot: replied.from?.id === bot.id }
}
