import { z } from 'zod'
import { id, maybe, object, oneOf, present, seconds, text } from './wire.ts'

/** An address; an empty one is how Baileys says that there is none. */
const jid = z
  .string()
  .max(128)
  .nullish()
  .transform((value) => (value === null || value === '' ? undefined : value))

/** Who wrote where, in every form that a version of Baileys has given it. */
export const keySchema = z.object({
  remoteJid: jid,
  remoteJidAlt: jid,
  fromMe: z.boolean(),
  id,
  participant: jid,
  participantAlt: jid,
  senderPn: jid,
  senderLid: jid,
  participantPn: jid,
  participantLid: jid,
})

export type Key = z.infer<typeof keySchema>

/** 0 is "no stub"; what is not named here is some news of the chat. */
export const stubSchema = maybe(oneOf({ UNKNOWN: 0, REVOKE: 1, CIPHERTEXT: 2 }).transform((name) => name ?? 'OTHER'))

export const statusSchema = maybe(oneOf({ ERROR: 0, PENDING: 1, SERVER_ACK: 2, DELIVERY_ACK: 3, READ: 4, PLAYED: 5 }))

export const parametersSchema = z
  .array(z.string())
  .nullish()
  .transform((value) => value ?? [])

/** A `WebMessageInfo`, as far as it is read here. */
export const messageSchema = z.object({
  key: keySchema,
  message: object.nullish(),
  messageTimestamp: maybe(seconds).catch(undefined),
  pushName: maybe(text),
  broadcast: present,
  category: present,
  status: statusSchema,
  messageStubType: stubSchema,
  messageStubParameters: parametersSchema,
})

export type Message = z.infer<typeof messageSchema>

/** What `messages.upsert` carries. `requestId`: the phone was asked for it, and answers for others. */
export const upsertSchema = z.object({
  type: z.string(),
  requestId: present,
  messages: z.array(z.unknown()).max(10_000),
})

/** What else a message says about itself, inside its content. */
export const aboutSchema = z.object({
  stanzaId: maybe(z.union([id, z.literal('').transform(() => undefined)])),
  participant: jid,
  remoteJid: jid,
  quotedMessage: present,
  mentionedJid: z
    .array(z.string())
    .nullish()
    .transform((value) => value ?? []),
  isForwarded: present,
  forwardingScore: present,
  forwardedNewsletterMessageInfo: present,
  forwardedAiBotMessageInfo: present,
  businessMessageForwardInfo: present,
  botMessageSharingInfo: present,
  forwardOrigin: present,
})

export type About = z.infer<typeof aboutSchema>
