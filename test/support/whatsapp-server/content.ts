import { randomBytes } from 'node:crypto'
import { aesEncryptGCM, hmacSign, proto, sha256 } from 'baileys'

/*
 * What people send, in WhatsApp's shapes (`WAProto`). Each text carries a `messageSecret`, as those of real clients do: an encrypted
 * edit of it is sealed with that.
 */

const withSecret = (message: proto.IMessage): proto.IMessage => ({
  ...message,
  messageContextInfo: { messageSecret: randomBytes(32) },
})

/** The message that another one quotes, and who wrote it. */
export interface Quoted {
  readonly id: string
  readonly author: string
  readonly message: proto.IMessage
}

/** A text: bare, or with what it says of itself. */
export function text(
  body: string,
  about: { readonly quoted?: Quoted | undefined; readonly forwarded?: boolean; readonly expires?: boolean },
): proto.IMessage {
  if (about.quoted === undefined && about.forwarded !== true && about.expires !== true) return withSecret({ conversation: body })
  return withSecret({
    extendedTextMessage: {
      text: body,
      contextInfo: {
        ...(about.quoted === undefined
          ? {}
          : { stanzaId: about.quoted.id, participant: about.quoted.author, quotedMessage: about.quoted.message }),
        ...(about.forwarded === true ? { isForwarded: true, forwardingScore: 1 } : {}),
        ...(about.expires === true ? { expiration: 604_800 } : {}),
      },
    },
  })
}

/** What a file on WhatsApp's servers looks like in a message; nobody fetches it here. */
const file = (kind: string, mimetype: string) => ({
  url: `https://mmg.whatsapp.net/${kind}`,
  directPath: `/${kind}`,
  mimetype,
  fileLength: 1_000,
  mediaKey: randomBytes(32),
  fileSha256: randomBytes(32),
  fileEncSha256: randomBytes(32),
})

export function media(form: 'voice' | 'image' | 'sticker', caption?: string): proto.IMessage {
  switch (form) {
    case 'voice':
      return { audioMessage: { ...file('voice', 'audio/ogg; codecs=opus'), ptt: true, seconds: 2 } }
    case 'image':
      return { imageMessage: { ...file('image', 'image/jpeg'), ...(caption === undefined ? {} : { caption }) } }
    case 'sticker':
      return { stickerMessage: file('sticker', 'image/webp') }
  }
}

export const reaction = (key: proto.IMessageKey, emoji: string, at: number): proto.IMessage => ({
  reactionMessage: { key, text: emoji, senderTimestampMs: at },
})

/** The key under which an addition to a message is sealed: the message's secret, drawn out for this use and these two people. */
function additionKey(secret: Uint8Array, id: string, creator: string, sender: string, use: 'Poll Vote' | 'Message Edit'): Buffer {
  const base = hmacSign(secret, new Uint8Array(32), 'sha256')
  return hmacSign(Buffer.concat([Buffer.from(`${id}${creator}${sender}${use}`), Buffer.from([1])]), base, 'sha256')
}

/** The secret in a message, without which nothing can be added to it. */
export function secretOf(message: proto.IMessage, id: string): Uint8Array {
  const secret = message.messageContextInfo?.messageSecret
  if (secret === null || secret === undefined)
    throw new Error(`message ${id} has no messageSecret, so nobody can vote on it or edit it encrypted`)
  return secret
}

interface Vote {
  readonly key: proto.IMessageKey
  readonly pollId: string
  readonly secret: Uint8Array
  /** The account and the person, by the ids that this client uses. */
  readonly creator: string
  readonly voter: string
  /** None: the vote is taken back. */
  readonly option: string | undefined
  readonly at: number
}

/** A vote. The options are hashes, sealed for the poll's creator and bound to poll and voter. */
export function vote({ key, pollId, secret, creator, voter, option, at }: Vote): proto.IMessage {
  const encIv = randomBytes(12)
  const selectedOptions = option === undefined ? [] : [sha256(Buffer.from(option))]
  const plain = proto.Message.PollVoteMessage.encode({ selectedOptions }).finish()
  const sealing = additionKey(secret, pollId, creator, voter, 'Poll Vote')
  const encPayload = aesEncryptGCM(plain, sealing, encIv, Buffer.from(`${pollId}\u0000${voter}`))
  return { pollUpdateMessage: { pollCreationMessageKey: key, vote: { encPayload, encIv }, senderTimestampMs: at } }
}

const edited = (key: proto.IMessageKey, body: string, at: number): proto.IMessage => ({
  protocolMessage: {
    key,
    type: proto.Message.ProtocolMessage.Type.MESSAGE_EDIT,
    editedMessage: { conversation: body },
    timestampMs: at,
  },
})

/** An edit in the open, as clients before 2026 send it. */
export const legacyEdit = edited

/** An edit in the envelope of 2026's clients: sealed with the secret of what it changes, nothing else authenticated. */
export function encryptedEdit(
  key: proto.IMessageKey,
  body: string,
  at: number,
  original: proto.IMessage,
  author: string,
): proto.IMessage {
  const id = key.id ?? ''
  const encIv = randomBytes(12)
  const sealing = additionKey(secretOf(original, id), id, author, author, 'Message Edit')
  const encPayload = aesEncryptGCM(proto.Message.encode(edited(key, body, at)).finish(), sealing, encIv, Buffer.alloc(0))
  return {
    secretEncryptedMessage: {
      targetMessageKey: key,
      encPayload,
      encIv,
      secretEncType: proto.Message.SecretEncryptedMessage.SecretEncType.MESSAGE_EDIT,
    },
  }
}

export const revoke = (key: proto.IMessageKey): proto.IMessage => ({
  protocolMessage: { key, type: proto.Message.ProtocolMessage.Type.REVOKE },
})

/** The wrappers of chats with disappearing messages and of what can be looked at once. */
export function wrapped(
  message: proto.IMessage,
  about: { readonly ephemeral?: boolean; readonly viewOnce?: boolean },
): proto.IMessage {
  const once = about.viewOnce === true ? { viewOnceMessageV2: { message } } : message
  return about.ephemeral === true ? { ephemeralMessage: { message: once } } : once
}

/** What the stanza says of the message inside it. */
export function stanzaTypeOf(message: proto.IMessage): string {
  const inner = message.ephemeralMessage?.message ?? message.viewOnceMessageV2?.message ?? message
  if (inner.reactionMessage) return 'reaction'
  if (inner.pollUpdateMessage || inner.pollCreationMessage || inner.pollCreationMessageV3) return 'poll'
  if (inner.audioMessage || inner.imageMessage || inner.stickerMessage || inner.documentMessage || inner.videoMessage)
    return 'media'
  return 'text'
}
