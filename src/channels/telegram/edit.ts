import type { Api } from 'grammy'
import type { Card } from '../../core/card.ts'
import type { Conversation } from '../../core/conversation.ts'
import { channelErrorOf, isRefusal } from './errors.ts'
import { type Rendered, render } from './render.ts'

/** A caption is shorter than a text. */
const captionLength = 1024

const says = (error: unknown, ...descriptions: readonly string[]): boolean =>
  isRefusal(error) && descriptions.some((description) => error.description.toLowerCase().includes(description))

const isAlreadySo = (error: unknown): boolean => says(error, 'message is not modified')
const isGone = (error: unknown): boolean =>
  says(error, 'message to edit not found', "message can't be edited", 'message_id_invalid', 'message identifier is not specified')
const hasNoText = (error: unknown): boolean => says(error, 'there is no text in the message to edit')
const hasNoCaption = (error: unknown): boolean => says(error, 'there is no caption in the message to edit')

/** The edit that fits what the message is: a text, media with a caption, or media with nothing but its buttons. */
async function replace(api: Api, chat: string, id: number, { text, entities, reply_markup }: Rendered): Promise<void> {
  // An empty keyboard takes the buttons away.
  const keyboard = { reply_markup: reply_markup ?? { inline_keyboard: [] } }
  try {
    await api.editMessageText(chat, id, text, {
      entities: [...entities],
      link_preview_options: { is_disabled: true },
      ...keyboard,
    })
    return
  } catch (error) {
    if (!hasNoText(error)) throw error
  }
  try {
    if (text.length <= captionLength) {
      await api.editMessageCaption(chat, id, { caption: text, caption_entities: [...entities], ...keyboard })
      return
    }
  } catch (error) {
    if (!hasNoCaption(error)) throw error
  }
  await api.editMessageReplyMarkup(chat, id, keyboard)
}

/**
 * Replaces an earlier card on its last part, which carries the controls; the parts before it hold only details. Editing to what
 * already stands there is `edited`. `gone` when the message was deleted, is too old or the card no longer fits on it: then its
 * buttons are dead, and the caller says what it has to say in a new message.
 */
export async function editCard(
  api: Api,
  to: Conversation,
  messageIds: readonly string[],
  card: Card,
): Promise<'edited' | 'gone'> {
  const id = Number(messageIds.at(-1))
  const rendering = render({ kind: 'card', card })
  const face = rendering.kind === 'parts' ? rendering.parts.at(-1) : undefined
  if (!Number.isSafeInteger(id)) return 'gone'
  try {
    if (face !== undefined) await replace(api, to.chat, id, face)
    else await api.editMessageReplyMarkup(to.chat, id, { reply_markup: { inline_keyboard: [] } })
    return face === undefined ? 'gone' : 'edited'
  } catch (error) {
    if (isAlreadySo(error)) return face === undefined ? 'gone' : 'edited'
    if (isGone(error)) return 'gone'
    throw channelErrorOf('editMessageText', error)
  }
}
