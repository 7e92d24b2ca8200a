import type { Party } from '../../core/inbound.ts'
import { type Contact, phone, userId } from './payloads.ts'

/** How every WhatsApp identity begins. The chat of a person is named by the rest. */
const prefix = 'wa:'

/** What one part of a payload says of one person. */
interface Named {
  readonly userId?: string | undefined
  readonly parentUserId?: string | undefined
  readonly phone?: string | undefined
}

/** The contact of this person, by an id that both carry; equal digits of two spellings are not the same id. */
export const contactOf = ({ userId: id, phone: number }: Named, contacts: readonly Contact[]): Contact | undefined =>
  contacts.find((contact) =>
    id !== undefined && contact.user_id !== undefined ? contact.user_id === id : number !== undefined && contact.wa_id === number,
  )

/**
 * Who this is: the business-scoped id where it is known, else the number as WhatsApp writes it. `also` holds the other ids that the
 * same payload gives for the very same person.
 */
export function partyOf(named: Named, contact: Contact | undefined): Party | undefined {
  const ids = [named.userId ?? contact?.user_id, named.phone, contact?.wa_id, named.parentUserId].filter((id) => id !== undefined)
  const [first, ...also] = new Set(ids)
  return first === undefined ? undefined : { id: prefix + first, also: also.map((id) => prefix + id) }
}

/** The chat with this person alone. */
export const chatWith = ({ id }: Party): string => id.slice(prefix.length)

/** An id of the provider's as an identity. */
export const identityOf = (id: string): string => prefix + id

/** Where a message goes: the request's fields that name the receiver. */
export type Address =
  | { readonly recipient_type: 'individual'; readonly to: string }
  | { readonly recipient_type: 'individual'; readonly recipient: string }
  | { readonly recipient_type: 'group'; readonly to: string }

const isUserId = (id: string): boolean => userId.safeParse(id).success
const isPhone = (id: string): boolean => phone.safeParse(id).success

/**
 * Where the chat is reached now. A business-scoped id goes into `recipient`, a number into `to`; a number in `recipient`, or the other
 * way round, is refused by WhatsApp. What another transport calls a person (`…@lid`) is no address here: undefined.
 */
export function addressOf(chat: string, addresses: readonly string[]): Address | undefined {
  const known = [...addresses.map((id) => (id.startsWith(prefix) ? id.slice(prefix.length) : id)), chat]
  const user = known.find(isUserId)
  if (user !== undefined) return { recipient_type: 'individual', recipient: user }
  const number = known.find(isPhone)
  if (number !== undefined) return { recipient_type: 'individual', to: number }
  return chat.includes('@') || chat === '' ? undefined : { recipient_type: 'group', to: chat }
}

/** The receiver as one word. */
export const receiverOf = (address: Address): string => ('recipient' in address ? address.recipient : address.to)
