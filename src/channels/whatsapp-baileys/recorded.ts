import { z } from 'zod'
import type { Normalized } from '../../core/inbound.ts'
import type { Poll } from './context.ts'
import { isOwnMessageId } from './message-id.ts'
import { normalizeBaileys } from './normalize.ts'
import { bytes, object } from './wire.ts'

const stored = z.object({
  key: z.object({ id: z.string() }),
  message: z.object({
    messageContextInfo: z.object({ messageSecret: bytes }),
    pollCreationMessageV3: z.object({ options: z.array(z.object({ optionName: z.string() })) }).optional(),
  }),
})

/** What a recording may say beside its event: who the account was, its poll that was voted on, the message that was edited. */
const besideSchema = z.object({
  meId: z.string().optional().catch(undefined),
  meLid: z.string().optional().catch(undefined),
  pollMessage: stored.optional().catch(undefined),
  originalMessage: stored.optional().catch(undefined),
})

/** As options were written; what they would press is not recorded, so their own words stand for it. */
const pollOf = ({ message }: z.infer<typeof stored>): Poll => ({
  secret: message.messageContextInfo.messageSecret,
  options: (message.pollCreationMessageV3?.options ?? []).map(({ optionName: name }, at) => ({
    name,
    payload: name,
    style: at === 0 ? 'success' : 'danger',
  })),
})

/**
 * Reads a recorded event of Baileys: `{ event, data }` in JSON, with what it needs beside it (`meId`, `meLid`, `pollMessage`,
 * `originalMessage`). `phone` is the account's number in digits, where the recording does not say. Pure, never throws.
 */
export function readRecorded(
  line: unknown,
  about: { readonly account: string; readonly phone: string | undefined; readonly nowMs: number },
): readonly Normalized[] {
  const { account, phone, nowMs } = about
  const beside = object.safeParse(line).success ? besideSchema.parse(line) : {}
  const { meId, meLid, pollMessage, originalMessage } = beside
  return normalizeBaileys(line, {
    account,
    me: { phone: meId ?? (phone === undefined ? undefined : `${phone}@s.whatsapp.net`), lid: meLid },
    lidOf: () => undefined,
    pnOf: () => undefined,
    polls: new Map(pollMessage === undefined ? [] : [[pollMessage.key.id, pollOf(pollMessage)]]),
    isOurs: (id) => id === pollMessage?.key.id || isOwnMessageId(id, account),
    secretOf: (id) => (id === originalMessage?.key.id ? originalMessage?.message.messageContextInfo.messageSecret : undefined),
    nowMs,
  })
}
