import { z } from 'zod'
import type { Ignored, InboundReport, Normalized } from '../../core/inbound.ts'
import type { BaileysContext } from './context.ts'
import { chatOf, identityOf, partyOf, readJid } from './identity.ts'
import { type Key, keySchema, type Message } from './messages.ts'
import { maybe, seconds } from './wire.ts'

const ignored = (reason: string): Ignored => ({ kind: 'ignored', reason })

const statusOf = {
  SERVER_ACK: 'sent',
  DELIVERY_ACK: 'delivered',
  READ: 'read',
  PLAYED: 'read',
  ERROR: 'failed',
} as const

/**
 * Refusals that another attempt only makes worse. 463: the account may not begin chats for now. Source: baileys 7.0.0-rc14,
 * `lib/Utils/decode-wa-message.js` (`SERVER_ERROR_CODES`).
 */
const finalCodes = new Set(['463'])

/** What became of a message that we sent: of one that we did not send nothing is told. */
function reportOf(
  key: Key,
  about: {
    readonly status: InboundReport['status']
    readonly atMs: number
    readonly code?: string | undefined
    readonly by?: string
  },
  context: BaileysContext,
): Normalized {
  if (!key.fromMe || !context.isOurs(key.id)) return ignored('not_ours')
  const jid = readJid(key.remoteJid)
  if (jid === undefined) return ignored('not_a_person')
  const { status, atMs, code, by } = about
  const { account } = context
  const event = [`#${status}`, code, by].filter((part) => part !== undefined).join(':')
  const told = {
    messageId: key.id,
    status,
    moment: { atMs },
    ...(code === undefined ? {} : { code }),
    ...(status === 'failed' && code !== undefined && finalCodes.has(code) ? { final: true as const } : {}),
  }
  if (jid.kind === 'group')
    return { kind: 'report', conversation: { account, chat: jid.user }, providerId: `${jid.user}:${key.id}${event}`, ...told }
  const identity = identityOf([key.remoteJid], context)
  if (identity === undefined) return ignored('not_a_person')
  const peer = partyOf(identity)
  const chat = chatOf(peer)
  return { kind: 'report', conversation: { account, chat }, peer, providerId: `${chat}:${key.id}${event}`, ...told }
}

/** A status in an update, or merged into our own echo. Undefined where there is none that says anything. */
export function fromStatus(
  key: Key,
  { status, messageStubParameters, messageTimestamp }: Pick<Message, 'status' | 'messageStubParameters' | 'messageTimestamp'>,
  context: BaileysContext,
): Normalized | undefined {
  if (status === undefined || status === 'PENDING') return undefined
  // "479" or "463": digits alone, so that nothing else of a stub can become part of an id.
  const code = status === 'ERROR' ? messageStubParameters.find((parameter) => /^\d{1,6}$/.test(parameter)) : undefined
  return reportOf(key, { status: statusOf[status], atMs: messageTimestamp ?? context.nowMs, code }, context)
}

const receiptSchema = z.object({
  key: keySchema,
  receipt: z.object({
    userJid: z.string().max(128),
    receiptTimestamp: maybe(seconds),
    readTimestamp: maybe(seconds),
    playedTimestamp: maybe(seconds),
  }),
})

/** In a group each member reports for themselves. */
export function fromReceipt(raw: unknown, context: BaileysContext): Normalized {
  const read = receiptSchema.safeParse(raw)
  if (!read.success) return ignored('malformed')
  const { key, receipt } = read.data
  const readAtMs = receipt.readTimestamp ?? receipt.playedTimestamp
  const atMs = readAtMs ?? receipt.receiptTimestamp
  const by = readJid(receipt.userJid)?.user
  if (atMs === undefined || by === undefined) return ignored('malformed')
  return reportOf(key, { status: readAtMs === undefined ? 'delivered' : 'read', atMs, by }, context)
}
