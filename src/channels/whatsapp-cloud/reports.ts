import type { Ignored, Normalized } from '../../core/inbound.ts'
import { failureOf } from './error-codes.ts'
import { chatWith, contactOf, partyOf } from './parties.ts'
import { type Contact, echoSchema, errorSchema, phone, statusSchema } from './payloads.ts'

const ignored = (reason: string): Ignored => ({ kind: 'ignored', reason })

const told = ['sent', 'delivered', 'read', 'failed'] as const

/**
 * One status of a message that went out through the number, whoever sent it. Its own id is the message's with the status, since a
 * status has none. https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages/status/
 */
export function fromStatus(raw: unknown, account: string, contacts: readonly Contact[]): Normalized {
  const read = statusSchema.safeParse(raw)
  if (!read.success) return ignored('malformed')
  const { id, timestamp, recipient_id: recipient, recipient_type: type, biz_opaque_callback_data: ref, errors } = read.data
  const status = told.find((known) => known === read.data.status)
  if (status === undefined) return ignored('unknown_status')
  const number = phone.safeParse(recipient).data
  const named = { userId: read.data.recipient_user_id, parentUserId: read.data.recipient_parent_user_id, phone: number }
  const party = type === 'group' ? undefined : partyOf(named, contactOf(named, contacts))
  const chat = party === undefined ? recipient : chatWith(party)
  if (chat === undefined) return ignored('without_recipient')
  return {
    kind: 'report',
    conversation: { account, chat },
    providerId: `${id}#${status}`,
    ...(party === undefined ? {} : { peer: party }),
    messageId: id,
    status,
    moment: { atMs: timestamp * 1000 },
    ...(ref === undefined ? {} : { ref }),
    ...(status === 'failed' ? failureOf(codeIn(errors)) : {}),
  }
}

function codeIn(errors: readonly unknown[] | undefined): number | undefined {
  for (const error of errors ?? []) {
    const read = errorSchema.safeParse(error)
    if (read.success) return read.data.code
  }
  return undefined
}

/**
 * What the account's owner wrote, edited or deleted in the WhatsApp Business app: said, whatever it is.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/smb_message_echoes
 */
export function fromEcho(raw: unknown, account: string, contacts: readonly Contact[]): Normalized {
  const read = echoSchema.safeParse(raw)
  if (!read.success) return ignored('malformed')
  const { id, timestamp, to, to_user_id: userId, group_id: group } = read.data
  const named = { userId, phone: to }
  const party = group === undefined ? partyOf(named, contactOf(named, contacts)) : undefined
  const chat = party === undefined ? group : chatWith(party)
  if (chat === undefined) return ignored('without_recipient')
  return {
    kind: 'said',
    conversation: { account, chat },
    providerId: id,
    ...(party === undefined ? {} : { peer: party }),
    by: 'owner',
    moment: { atMs: timestamp * 1000 },
  }
}
