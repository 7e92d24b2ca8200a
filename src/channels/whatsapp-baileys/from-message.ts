import type { Body, Ignored, InboundMessage, InboundPress, Normalized, Sender } from '../../core/inbound.ts'
import { mentionsUs, replyOf, withoutMention } from './addressing.ts'
import type { Content } from './contents.ts'
import type { BaileysContext } from './context.ts'
import { editedTextOf } from './edits.ts'
import { type Identity, isSame, meOf, partyOf } from './identity.ts'
import type { About, Message } from './messages.ts'
import { type Place, placeOf } from './place.ts'
import { castOf } from './poll.ts'
import { fromStatus } from './reports.ts'
import { contentOf } from './unwrap.ts'

const ignored = (reason: string): Ignored => ({ kind: 'ignored', reason })

/** Why nobody's words can be in it, whatever it holds. */
function notAChat({ key, broadcast, category }: Message): string | undefined {
  if (key.remoteJid === 'status@broadcast') return 'status'
  if (key.remoteJid?.endsWith('@broadcast') === true || broadcast === true) return 'broadcast'
  if (key.remoteJid?.endsWith('@newsletter') === true) return 'newsletter'
  return category === 'peer' ? 'protocol' : undefined
}

const senderOf = (from: Identity, pushName: string | undefined): Sender => ({
  ...partyOf(from),
  ...(pushName === undefined || pushName === '' ? {} : { name: pushName }),
})

type Read = { readonly message: Message; readonly place: Place; readonly atMs: number; readonly context: BaileysContext }

/** The part that a message and a press have in common. */
const arrivalOf = ({ message: { key, pushName }, place }: Read) => ({
  conversation: place.conversation,
  providerId: place.idOf(key.id),
  ...(place.peer === undefined ? {} : { peer: place.peer }),
  sender: senderOf(place.from, pushName),
  group: 'group' in place.chat,
})

function messageOf(read: Read, body: Body, about: About | undefined, messageId = read.message.key.id): InboundMessage {
  const { place, atMs, context } = read
  const { reply, toUs } = replyOf(about, place.chat, context)
  const addressed = !('group' in place.chat) || toUs || mentionsUs(about, context)
  return { kind: 'message', ...arrivalOf(read), messageId, moment: { atMs }, addressed, reply, body }
}

const pressOf = (read: Read, payload: string, messageId: string | undefined): InboundPress => ({
  kind: 'press',
  ...arrivalOf(read),
  pressId: read.message.key.id,
  payload,
  ...(messageId === undefined ? {} : { messageId }),
  moment: { atMs: read.atMs },
})

function fromPerson(read: Read, content: Content): Normalized {
  const { message, place, context } = read
  switch (content.kind) {
    case 'body': {
      const { form, text, about } = content
      if (form !== 'text') return messageOf(read, { kind: 'other', form, ...(text === undefined ? {} : { text }) }, about)
      return messageOf(read, { kind: 'text', text: withoutMention(text ?? '', about, context) }, about)
    }
    case 'press':
      return pressOf(read, content.payload, content.about?.stanzaId)
    case 'vote': {
      const cast = castOf(content, place.from, context)
      if (cast.kind === 'nothing') return ignored(cast.reason)
      const press = { ...pressOf(read, cast.option.payload, content.pollId), poll: true } as const
      return cast.kind === 'withdrawn' ? { ...press, withdrawn: true } : press
    }
    case 'edit': {
      const text = editedTextOf(content, place.from, context)
      // Only the server's time: what the phone says of itself can be any.
      return messageOf(read, { kind: 'other', form: 'edited', ...(text === undefined ? {} : { text }) }, undefined, content.of)
    }
    case 'reaction': {
      const reacted = messageOf(read, { kind: 'other', form: 'reaction', text: content.emoji }, undefined)
      return { ...reacted, reply: { kind: 'message', id: content.to }, messageId: message.key.id }
    }
    case 'nothing':
      return ignored(content.reason)
  }
}

/** What nobody reads. Anything else that our own phone sent may have been read, even what is not known here. */
const unsaid = new Set(['protocol', 'deleted', 'reaction_removed', 'encrypted_reaction', 'no_content', 'album'])

/** Our own echo, or what was written on the account's own phone: that was *said*, and decides nothing. */
function fromUs(read: Read, content: Content | undefined): Normalized {
  const { message, place, atMs, context } = read
  const { key } = message
  if (context.isOurs(key.id))
    return (message.status === 'ERROR' ? fromStatus(key, message, context) : undefined) ?? ignored('own_message')
  if ('with' in place.chat && isSame(place.chat.with, meOf(context))) return ignored('own_chat')
  if (content?.kind === 'nothing' && unsaid.has(content.reason)) return ignored(content.reason)
  if (content?.kind === 'vote' || content?.kind === 'reaction') return ignored('own_message')
  return {
    kind: 'said',
    by: 'owner',
    conversation: place.conversation,
    providerId: place.idOf(key.id),
    ...(place.peer === undefined ? {} : { peer: place.peer }),
    moment: { atMs },
  }
}

/** Reads one message, whoever wrote it and whatever it holds. */
export function fromMessage(message: Message, context: BaileysContext): Normalized {
  const { key, messageStubType: stub } = message
  const reason = notAChat(message)
  if (reason !== undefined) return ignored(reason)
  const place = placeOf(key, context)
  if (place === undefined) return ignored('not_a_person')
  const isUnread = stub === 'CIPHERTEXT'
  if (stub === 'REVOKE') return ignored('deleted')
  if (stub === 'OTHER') return ignored('service')
  if (isUnread && !key.fromMe) return ignored('undecryptable')
  if (context.wasRequested?.(key.id) === true) return ignored('requested')
  const isGone = message.message === undefined || message.message === null
  if (isGone && !isUnread) return ignored('no_content')
  const { messageTimestamp: atMs } = message
  if (atMs === undefined) return ignored('without_time')
  const read: Read = { message, place, atMs, context }
  if (key.fromMe) return fromUs(read, isUnread ? undefined : contentOf(message.message ?? {}))
  // Another device of the account: never a person who writes to it.
  if (isSame(place.from, meOf(context))) return ignored('own_message')
  return fromPerson(read, contentOf(message.message ?? {}))
}
