import type { Reply } from '../../core/inbound.ts'
import type { BaileysContext } from './context.ts'
import { type Identity, isMe, isSame, meOf, readJid } from './identity.ts'
import type { About } from './messages.ts'
import { isSet } from './wire.ts'

/** Where a message stands: a group by its JID, or the chat with one person. */
export type Chat = { readonly group: string } | { readonly with: Identity }

/** Is this address the chat itself? A phone that quotes names a one-to-one chat by its other side, which is us. */
function isHere(jid: string, chat: Chat, context: BaileysContext): boolean {
  const read = readJid(jid)
  if (read === undefined) return false
  if ('group' in chat) return read.kind === 'group' && read.user === chat.group
  if (read.kind === 'group') return false
  return isMe(jid, context) || isSame({ [read.kind]: read.user }, chat.with)
}

/**
 * What the message answers, and whether that is the account's own. An answer to a message of another chat, to a status, or to somebody
 * else's message under the id of one of ours, is an answer to something else.
 */
export function replyOf(
  about: About | undefined,
  chat: Chat,
  context: BaileysContext,
): { readonly reply: Reply; readonly toUs: boolean } {
  const elsewhere = { reply: { kind: 'elsewhere' }, toUs: false } as const
  if (about?.stanzaId === undefined) return isSet(about?.quotedMessage) ? elsewhere : { reply: { kind: 'none' }, toUs: false }
  if (about.remoteJid !== undefined && !isHere(about.remoteJid, chat, context)) return elsewhere
  const isOurs = context.isOurs(about.stanzaId)
  if (isOurs && isAnothers(about.participant, context)) return elsewhere
  return { reply: { kind: 'message', id: about.stanzaId }, toUs: isOurs || isMe(about.participant, context) }
}

/** Is this surely somebody else? Without our own address of that kind nobody can tell. */
function isAnothers(jid: string | undefined, context: BaileysContext): boolean {
  const read = readJid(jid)
  return read !== undefined && read.kind !== 'group' && meOf(context)[read.kind] !== undefined && !isMe(jid, context)
}

export const mentionsUs = (about: About | undefined, context: BaileysContext): boolean =>
  about?.mentionedJid.some((jid) => isMe(jid, context)) ?? false

/**
 * The text without our own mention, which WhatsApp writes as `@` and the digits of our number or LID: once, at its start with one `,` or
 * `:`, or at its end. One in the middle of a sentence is the person's own words and stays.
 */
export function withoutMention(written: string, about: About | undefined, context: BaileysContext): string {
  if (!mentionsUs(about, context)) return written
  const { lid, phone } = meOf(context)
  const names = [lid, phone].flatMap((digits) => (digits === undefined ? [] : [`@${digits}`]))
  const first = names.find((name) => written.trimStart().startsWith(name) && !/^\d/.test(written.trimStart().slice(name.length)))
  if (first !== undefined)
    return written
      .trimStart()
      .slice(first.length)
      .replace(/^\s?[,:]?\s*/u, '')
  const last = names.find((name) => written.trimEnd().endsWith(name))
  return last === undefined ? written : written.trimEnd().slice(0, -last.length).trimEnd()
}
