import { z } from 'zod'
import type { Ignored, Normalized } from '../../core/inbound.ts'
import type { BaileysContext } from './context.ts'
import { fromMessage } from './from-message.ts'
import { keySchema, messageSchema, parametersSchema, statusSchema, stubSchema, upsertSchema } from './messages.ts'
import { fromReceipt, fromStatus } from './reports.ts'
import { maybe, object, present, seconds } from './wire.ts'

const ignored = (reason: string): Ignored => ({ kind: 'ignored', reason })

function fromUpsert(raw: unknown, context: BaileysContext): readonly Normalized[] {
  const read = upsertSchema.safeParse(raw)
  if (!read.success) return [ignored('malformed')]
  const { type, requestId, messages } = read.data
  if (type !== 'notify' && type !== 'append') return [ignored('history')]
  // Our phone was asked for it and answers for others: not authenticated by whoever is said to have written it.
  if (requestId !== undefined && requestId !== null) return [ignored('requested')]
  return messages.map((message) => {
    const one = messageSchema.safeParse(message)
    return one.success ? fromMessage(one.data, context) : ignored('malformed')
  })
}

const updateSchema = z.object({
  key: keySchema,
  update: z.object({
    message: object.nullish(),
    messageTimestamp: maybe(seconds).catch(undefined),
    status: statusSchema,
    messageStubType: stubSchema,
    messageStubParameters: parametersSchema,
  }),
})

/** A status of what we sent; or, once, the content of a message that could not be decrypted when it came (an update of a stub). */
function fromUpdate(raw: unknown, context: BaileysContext): Normalized {
  const read = updateSchema.safeParse(raw)
  if (!read.success) return ignored('malformed')
  const { key, update } = read.data
  const told = fromStatus(key, update, context)
  if (told !== undefined) return told
  if (update.messageStubType === 'REVOKE') return ignored('deleted')
  if (update.message === undefined || update.message === null) return ignored('no_content')
  // An edit came as a message too, and is read there.
  if (Object.hasOwn(update.message, 'editedMessage')) return ignored('seen_in_upsert')
  const atMs = context.stubAtMsOf?.(key.id)
  if (atMs === undefined) return ignored('no_stub')
  const message = { key, message: update.message, messageTimestamp: update.messageTimestamp ?? atMs, pushName: undefined }
  const rest = { broadcast: undefined, category: undefined, status: undefined, messageStubParameters: [] }
  return fromMessage({ ...message, ...rest, messageStubType: update.messageStubType }, context)
}

const eventSchema = z.object({ event: z.string(), data: present })

/** Events that bring nothing to handle; a reaction comes as a message too, and is read there. */
const unread: Readonly<Record<string, string>> = {
  'connection.update': 'connection',
  'creds.update': 'session',
  'lid-mapping.update': 'session',
  'messaging-history.set': 'history',
  'messaging-history.status': 'history',
  'messages.reaction': 'seen_in_upsert',
  'messages.delete': 'deleted',
  'messages.media-update': 'media',
  'group-participants.update': 'group',
  'group.join-request': 'group',
  'group.member-tag.update': 'group',
  'groups.update': 'group',
  'groups.upsert': 'group',
  'chats.upsert': 'chat',
  'chats.update': 'chat',
  'chats.delete': 'chat',
  'contacts.upsert': 'contact',
  'contacts.update': 'contact',
  'presence.update': 'presence',
  call: 'call',
}

const each = (data: unknown, read: (raw: unknown) => Normalized): readonly Normalized[] =>
  Array.isArray(data) && data.length <= 10_000 ? Array.from(data, read) : [ignored('malformed')]

/**
 * Reads one event of Baileys, `{ event, data }`, live or from JSON. Pure, never throws. Gives one event for each message, update or
 * receipt in it, `ignored` with a reason when it is not for Dale, unknown or malformed. The same message gives the same event, with the
 * same `providerId`, however it comes and however often. What must be looked up for it before, `needs.ts` says.
 * Source: baileys 7.0.0-rc14, `lib/Types/Events.d.ts`.
 */
export function normalizeBaileys(event: unknown, context: BaileysContext): readonly Normalized[] {
  const read = eventSchema.safeParse(event)
  if (!read.success) return [ignored('malformed')]
  const { event: name, data } = read.data
  switch (name) {
    case 'messages.upsert':
      return fromUpsert(data, context)
    case 'messages.update':
      return each(data, (raw) => fromUpdate(raw, context))
    case 'message-receipt.update':
      return each(data, (raw) => fromReceipt(raw, context))
    default:
      return [ignored(Object.hasOwn(unread, name) ? (unread[name] ?? 'unknown_event') : 'unknown_event')]
  }
}
