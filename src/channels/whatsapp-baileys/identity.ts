import type { Party } from '../../core/inbound.ts'
import type { BaileysContext } from './context.ts'

/** An address as WhatsApp writes it, without its device: a person's LID, a person's number, or a group. */
export interface Jid {
  readonly kind: 'lid' | 'phone' | 'group'
  readonly user: string
}

/** A person by what WhatsApp says of them: at least one of the two. */
export interface Identity {
  readonly lid?: string
  readonly phone?: string
}

const person = /^(\d{5,20})(?:_\d{1,3})?(?::\d{1,3})?@(lid|hosted\.lid|s\.whatsapp\.net|c\.us|hosted)$/
const group = /^[\d-]{5,40}@g\.us$/
/** Numbers that WhatsApp's own assistants write from. Source: baileys 7.0.0-rc14, `lib/WABinary/jid-utils.js` (`isJidBot`). */
const assistant = /^(1313555\d{4}|131655500\d{2})$/

/** Reads a JID; undefined for what is neither a person's nor a group's (a channel, a broadcast, an assistant, nothing). */
export function readJid(jid: string | undefined): Jid | undefined {
  if (jid === undefined) return undefined
  if (group.test(jid)) return { kind: 'group', user: jid }
  const [, user, server] = person.exec(jid) ?? []
  if (user === undefined || server === undefined || assistant.test(user)) return undefined
  return { kind: server.endsWith('lid') ? 'lid' : 'phone', user }
}

export const phoneJidOf = (phone: string): string => `${phone}@s.whatsapp.net`
export const lidJidOf = (lid: string): string => `${lid}@lid`

/**
 * The person behind the addresses that WhatsApp gave for one of them, the message's own first, and the link that its mapping store holds. Equal
 * digits say nothing: a LID is no number. Undefined when the first address is no person's.
 */
export function identityOf(
  jids: readonly (string | undefined)[],
  { lidOf, pnOf }: Pick<BaileysContext, 'lidOf' | 'pnOf'>,
): Identity | undefined {
  const [first, ...others] = jids.map(readJid)
  if (first === undefined || first.kind === 'group') return undefined
  const beside = others.find((other) => other !== undefined && other.kind !== first.kind && other.kind !== 'group')
  const linked = beside ?? readJid(first.kind === 'phone' ? lidOf(phoneJidOf(first.user)) : pnOf(lidJidOf(first.user)))
  const other = linked?.kind === first.kind || linked?.kind === 'group' ? undefined : linked?.user
  if (first.kind === 'lid') return { lid: first.user, ...(other === undefined ? {} : { phone: other }) }
  return { phone: first.user, ...(other === undefined ? {} : { lid: other }) }
}

/** The name of a person: `wa:<LID>@lid` where the LID is known, with the number as the other name; else `wa:<number>`. */
export function partyOf({ lid, phone }: Identity): Party {
  if (lid === undefined) return { id: `wa:${phone}`, also: [] }
  return { id: `wa:${lidJidOf(lid)}`, also: phone === undefined ? [] : [`wa:${phone}`] }
}

/** How a one-to-one chat is called: as the person, without the channel's prefix. */
export const chatOf = ({ id }: Party): string => id.slice('wa:'.length)

/** Every address of a person, as their phone may have used it. */
export const jidsOf = ({ lid, phone }: Identity): readonly string[] => [
  ...(lid === undefined ? [] : [lidJidOf(lid)]),
  ...(phone === undefined ? [] : [phoneJidOf(phone)]),
]

/** The account itself, as the session has it. */
export function meOf({ me }: Pick<BaileysContext, 'me'>): Identity {
  const lid = readJid(me.lid)
  const phone = readJid(me.phone)
  return { ...(lid?.kind === 'lid' ? { lid: lid.user } : {}), ...(phone?.kind === 'phone' ? { phone: phone.user } : {}) }
}

/** Do the two share an address that both are known by? */
export const isSame = (one: Identity, other: Identity): boolean =>
  (one.lid !== undefined && one.lid === other.lid) || (one.phone !== undefined && one.phone === other.phone)

export function isMe(jid: string | undefined, context: Pick<BaileysContext, 'me'>): boolean {
  const read = readJid(jid)
  const me = meOf(context)
  return (
    read !== undefined && ((read.kind === 'lid' && read.user === me.lid) || (read.kind === 'phone' && read.user === me.phone))
  )
}
