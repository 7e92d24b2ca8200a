import type { Conversation } from '../../core/conversation.ts'
import type { Party } from '../../core/inbound.ts'
import type { Chat } from './addressing.ts'
import type { BaileysContext } from './context.ts'
import { chatOf, type Identity, identityOf, meOf, partyOf, readJid } from './identity.ts'
import type { Key } from './messages.ts'

/** Who wrote where. In a group the sender stands in the key's participant; with one person they are the chat. */
export interface Place {
  readonly chat: Chat
  readonly from: Identity
  readonly conversation: Conversation
  readonly peer?: Party
  /** Unique in the account: two senders may choose the same id for a message, in two chats or in one group. */
  readonly idOf: (messageId: string) => string
}

/** The place of a message; undefined where neither a person nor a group is. */
export function placeOf(key: Key, context: BaileysContext): Place | undefined {
  const { account } = context
  const jid = readJid(key.remoteJid)
  if (jid?.kind === 'group') {
    const from = key.fromMe
      ? meOf(context)
      : identityOf([key.participant, key.participantAlt, key.participantLid, key.participantPn], context)
    if (from === undefined) return undefined
    const by = from.lid ?? from.phone ?? 'me'
    return { chat: { group: jid.user }, from, conversation: { account, chat: jid.user }, idOf: (id) => `${jid.user}:${by}:${id}` }
  }
  // Beside a message of our own phone stands our own other address, not that of the person whom it is to.
  const beside = key.fromMe ? [] : [key.remoteJidAlt, key.senderLid, key.senderPn]
  const from = identityOf([key.remoteJid, ...beside], context)
  if (from === undefined) return undefined
  const peer = partyOf(from)
  const chat = chatOf(peer)
  return { chat: { with: from }, from, conversation: { account, chat }, peer, idOf: (id) => `${chat}:${id}` }
}
