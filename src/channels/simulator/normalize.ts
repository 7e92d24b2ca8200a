import type { Conversation } from '../../core/conversation.ts'
import { chatNameOf } from '../../core/identity.ts'
import type { Body, Normalized, OtherForm, Party, Reply } from '../../core/inbound.ts'
import { type Update, updateSchema } from './payload.ts'

/** Who receives: the account's name and, made of letters, digits and `_` only, its @handle in groups. */
export interface Receiver {
  readonly account: string
  readonly handle: string
}

/** Reads one payload of the simulator's provider. Pure; whatever it does not know is ignored as `unknown_update`. */
export function normalize(payload: unknown, receiver: Receiver): readonly Normalized[] {
  const read = updateSchema.safeParse(payload)
  if (!read.success) return [{ kind: 'ignored', reason: 'unknown_update' }]
  const update = read.data
  if ('from' in update && update.from.bot) return [{ kind: 'ignored', reason: 'bot' }]
  return [eventOf(update, receiver)]
}

function eventOf(update: Update, { account, handle }: Receiver): Normalized {
  const conversation = conversationIn(update.chat, account)
  const arrival = { conversation, providerId: update.update, ...peerIn(update.chat) }
  if (update.kind === 'said') return { kind: 'said', ...arrival, by: update.by, moment: { atMs: update.at, order: update.order } }

  if (update.kind === 'report') return { kind: 'report', ...arrival, moment: { atMs: update.at }, ...reportOf(update) }

  const { id, ids, name } = update.from
  const from = { sender: { ...partyOf(ids ?? [`sim:${id}`]), ...(name === undefined ? {} : { name }) }, group: update.chat.group }
  if (update.kind === 'press')
    return {
      kind: 'press',
      ...arrival,
      ...from,
      pressId: update.press,
      payload: update.payload,
      messageId: update.message,
      ...(update.timed === undefined ? {} : { moment: { atMs: update.at } }),
      ...(update.poll === undefined ? {} : { poll: update.poll }),
      ...(update.withdrawn === undefined ? {} : { withdrawn: update.withdrawn }),
    }

  const { mentioned, text } = withoutMention(('text' in update ? update.text : undefined) ?? '', handle)
  const message = { kind: 'message', ...arrival, ...from, addressed: !update.chat.group || mentioned } as const
  switch (update.kind) {
    case 'text':
      return {
        ...message,
        messageId: update.message,
        moment: { atMs: update.at, order: update.order },
        reply: replyOf(update.reply),
        body: { kind: 'text', text },
      }
    case 'other':
      return {
        ...message,
        messageId: update.message,
        moment: { atMs: update.at, order: update.order },
        reply: replyOf(update.reply),
        body: otherBody(update.form, update.text),
      }
    case 'edit':
      return {
        ...message,
        messageId: update.message,
        moment: { atMs: update.at },
        reply: { kind: 'none' },
        body: otherBody('edited', update.text),
      }
    case 'reaction':
      return {
        ...message,
        messageId: update.update,
        moment: { atMs: update.at },
        reply: { kind: 'message', id: update.message },
        body: otherBody('reaction', update.emoji),
      }
  }
}

const reportOf = ({ message, status, ref, code, final }: Extract<Update, { kind: 'report' }>) => ({
  messageId: message,
  status,
  ...(ref === undefined ? {} : { ref }),
  ...(code === undefined ? {} : { code }),
  ...(final === undefined ? {} : { final }),
})

const conversationIn = (chat: Update['chat'], account: string): Conversation => ({
  account,
  chat: chat.ids === undefined ? chat.id : chatNameOf(chat.ids[0]),
  ...(chat.topic === undefined ? {} : { topic: chat.topic }),
})

/** One who has several ids is told with the others beside the first; elsewhere a person has one for ever. */
const partyOf = ([id, ...also]: readonly [string, ...string[]]): Party => (id.startsWith('sim:') ? { id } : { id, also })

const peerIn = ({ ids }: Update['chat']): { readonly peer?: Party } => (ids === undefined ? {} : { peer: partyOf(ids) })

const otherBody = (form: OtherForm, text: string | undefined): Body =>
  text === undefined ? { kind: 'other', form } : { kind: 'other', form, text }

function replyOf(reply: { readonly message: string } | { readonly elsewhere: true } | undefined): Reply {
  if (reply === undefined) return { kind: 'none' }
  return 'message' in reply ? { kind: 'message', id: reply.message } : { kind: 'elsewhere' }
}

/** A mention anywhere addresses the account; one at the beginning, with a `,` or `:` if any, is not part of what was said (RULES 2). */
function withoutMention(text: string, handle: string): { readonly mentioned: boolean; readonly text: string } {
  const mention = `@${handle}(?![\\w@])`
  const leading = new RegExp(`^\\s*${mention}[,:]?\\s*`, 'iu').exec(text)
  if (leading) return { mentioned: true, text: text.slice(leading[0].length) }
  return { mentioned: new RegExp(`(?<![\\w@])${mention}`, 'iu').test(text), text }
}
