import type { Ignored, Normalized } from '../../core/inbound.ts'
import { type Around, fromMessage } from './message.ts'
import {
  type Contact,
  changeSchema,
  contactSchema,
  entrySchema,
  otherFields,
  type Value,
  valueSchema,
  webhookSchema,
} from './payloads.ts'
import { fromUserIdUpdate } from './readdressed.ts'
import { fromEcho, fromStatus } from './reports.ts'

/** The number that the payloads are for. Without a `phoneNumberId` those of any number are read. */
export interface Receiving {
  readonly account: string
  readonly phoneNumberId?: string | undefined
}

const ignored = (reason: string): Ignored => ({ kind: 'ignored', reason })

/** The fields that are read, and the lists that each may hold. */
const listsOf: Readonly<Record<string, readonly (keyof Value)[]>> = {
  messages: ['messages', 'statuses', 'errors'],
  smb_message_echoes: ['message_echoes'],
  user_id_update: ['user_id_update'],
}

function fromList(list: keyof Value, item: unknown, around: Around): readonly Normalized[] {
  const { account, contacts } = around
  switch (list) {
    case 'messages':
      return fromMessage(item, around)
    case 'statuses':
      return [fromStatus(item, account, contacts)]
    case 'message_echoes':
      return [fromEcho(item, account, contacts)]
    case 'user_id_update':
      return [fromUserIdUpdate(item, account)]
    default:
      return [ignored('account_error')]
  }
}

function fromChange(raw: unknown, { account, phoneNumberId }: Receiving): readonly Normalized[] {
  const change = changeSchema.safeParse(raw)
  if (!change.success) return [ignored('malformed')]
  const { field } = change.data
  const lists = Object.hasOwn(listsOf, field) ? listsOf[field] : undefined
  if (lists === undefined) return [ignored(otherFields.has(field) ? field : 'unknown_field')]
  const read = valueSchema.safeParse(change.data.value)
  if (!read.success) return [ignored('malformed')]
  const value = read.data
  // One app's webhook gets what is for every number of it.
  if (phoneNumberId !== undefined && value.metadata.phone_number_id !== phoneNumberId) return [ignored('other_number')]
  const contacts = value.contacts.flatMap((contact): readonly Contact[] => {
    const known = contactSchema.safeParse(contact)
    return known.success ? [known.data] : []
  })
  const around: Around = {
    account,
    ownNumber: value.metadata.display_phone_number?.replace(/[^\d]/gu, '') || undefined,
    contacts,
  }
  const events = lists.flatMap(
    (list) => (value[list] as readonly unknown[] | undefined)?.flatMap((item) => fromList(list, item, around)) ?? [],
  )
  return events.length === 0 ? [ignored('empty')] : events
}

/**
 * Reads the body of one webhook request, which may hold several entries, changes, messages and statuses: every one in its order, and
 * what cannot be read is `ignored` with a reason and drops nothing beside it. Pure, never throws. The same body gives the same events,
 * with the same `providerId`s, however often it is delivered (WhatsApp tries for seven days).
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages/
 */
export function normalizeWebhook(payload: unknown, receiving: Receiving): readonly Normalized[] {
  const webhook = webhookSchema.safeParse(payload)
  if (!webhook.success) return [ignored('malformed')]
  const events = webhook.data.entry.flatMap((raw): readonly Normalized[] => {
    const entry = entrySchema.safeParse(raw)
    return entry.success ? entry.data.changes.flatMap((change) => fromChange(change, receiving)) : [ignored('malformed')]
  })
  return events.length === 0 ? [ignored('empty')] : events
}
