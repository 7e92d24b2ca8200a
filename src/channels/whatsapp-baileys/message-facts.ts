import { z } from 'zod'

/** What a message that came tells for later ones that are about it. */
interface MessageFacts {
  readonly id: string
  readonly secret?: Uint8Array
  readonly stubAtMs?: number
  /** It came without content, so Baileys asks the account's own phone for it: what comes next under this id is the phone's word. */
  readonly requested?: true
}

/** `WebMessageInfo.StubType.CIPHERTEXT`: it came and could not be decrypted. */
const ciphertext = 2

/** `NO_MESSAGE_FOUND_ERROR_TEXT` of Baileys (lib/Utils/decode-wa-message.js). */
const absent = 'Message absent from node'

const upsertSchema = z.object({ event: z.literal('messages.upsert'), data: z.object({ messages: z.array(z.unknown()) }) })
const messageSchema = z.object({
  key: z.object({ id: z.string().min(1) }),
  messageTimestamp: z.coerce.number().int().positive().optional().catch(undefined),
  messageStubType: z.unknown().optional(),
  messageStubParameters: z.array(z.unknown()).optional().catch(undefined),
  message: z
    .object({
      messageContextInfo: z.object({ messageSecret: z.custom<Uint8Array>((value) => value instanceof Uint8Array) }),
    })
    .optional()
    .catch(undefined),
})

/** The facts in one event of Baileys; none where it holds no messages. Never throws. */
export function messageFactsOf(event: unknown): readonly MessageFacts[] {
  const upsert = upsertSchema.safeParse(event)
  if (!upsert.success) return []
  return upsert.data.data.messages.flatMap((raw): readonly MessageFacts[] => {
    const read = messageSchema.safeParse(raw)
    if (!read.success) return []
    const { key, message, messageStubType, messageStubParameters, messageTimestamp } = read.data
    const secret = message?.messageContextInfo.messageSecret
    if (secret !== undefined) return [{ id: key.id, secret }]
    if (messageStubType !== ciphertext || messageTimestamp === undefined) return []
    const requested = messageStubParameters?.includes(absent) === true ? ({ requested: true } as const) : {}
    return [{ id: key.id, stubAtMs: messageTimestamp * 1000, ...requested }]
  })
}

/** The ids of the messages in what `messages.upsert` carries. */
export const idsOf = (data: unknown): readonly string[] =>
  ((data as { readonly messages?: readonly { readonly key?: { readonly id?: string | null } }[] }).messages ?? []).flatMap(
    ({ key }) => key?.id ?? [],
  )
