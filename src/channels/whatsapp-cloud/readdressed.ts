import type { Ignored, InboundReaddressed, Normalized } from '../../core/inbound.ts'
import { identityOf } from './parties.ts'
import { type Message, systemSchema, userIdUpdateSchema } from './payloads.ts'

const ignored = (reason: string): Ignored => ({ kind: 'ignored', reason })

/** One id that changed hands. It is an event of the chat that is named by it. */
function changed(
  account: string,
  is: { readonly from: string; readonly to: string | undefined; readonly providerId: string; readonly atMs: number },
): InboundReaddressed {
  const from = identityOf(is.from)
  return {
    kind: 'readdressed',
    conversation: { account, chat: is.from },
    providerId: is.providerId,
    peer: { id: from, also: [] },
    from,
    ...(is.to === undefined ? {} : { to: identityOf(is.to) }),
    moment: { atMs: is.atMs },
  }
}

/**
 * A system message: a person changed their number, their business-scoped id, or both; each is told by itself. The text in it is a
 * description and is not read.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages/system/
 */
export function readdressed(message: Message, raw: unknown, { account }: { readonly account: string }): readonly Normalized[] {
  const read = systemSchema.safeParse(raw)
  if (!read.success) return [ignored('malformed')]
  const { type, wa_id: number, user_id: id, previous_user_id: previous = message.from_user_id } = read.data.system
  if (type !== 'user_changed_number' && type !== 'user_changed_user_id') return [ignored('system')]
  const atMs = message.timestamp * 1000
  const events: Normalized[] = []
  if (previous !== undefined && previous !== id)
    events.push(changed(account, { from: previous, to: id, providerId: `${message.id}#user_id`, atMs }))
  if (type === 'user_changed_number' && message.from !== undefined && message.from !== number)
    events.push(changed(account, { from: message.from, to: number, providerId: `${message.id}#number`, atMs }))
  return events.length === 0 ? [ignored('malformed')] : events
}

/** One entry of the field `user_id_update`, which has no id of its own. */
export function fromUserIdUpdate(raw: unknown, account: string): Normalized {
  const read = userIdUpdateSchema.safeParse(raw)
  if (!read.success) return ignored('malformed')
  const { timestamp, user_id: id } = read.data
  if (id.previous === id.current) return ignored('malformed')
  return changed(account, {
    from: id.previous,
    to: id.current,
    providerId: `user_id:${id.previous}@${timestamp}`,
    atMs: timestamp * 1000,
  })
}
