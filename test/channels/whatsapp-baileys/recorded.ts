import { readdirSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import type { BaileysContext, Poll } from '../../../src/channels/whatsapp-baileys/context.ts'

const folder = new URL('../../fixtures/whatsapp-baileys/', import.meta.url)

/** The recorded events, by name. */
export const recorded: ReadonlyMap<string, unknown> = new Map(
  readdirSync(folder)
    .filter((file) => file !== 'expected.json')
    .map((file) => [file.replace(/\.json$/, ''), JSON.parse(readFileSync(new URL(file, folder), 'utf8'))]),
)

const secretOf = z
  .object({ message: z.object({ messageContextInfo: z.object({ messageSecret: z.base64() }) }) })
  .transform(({ message }) => new Uint8Array(Buffer.from(message.messageContextInfo.messageSecret, 'base64')))
const keySchema = z.object({ key: z.object({ id: z.string() }) }).transform(({ key }) => key.id)
const stored = z.unknown().transform((message) => [keySchema.parse(message), secretOf.parse(message)] as const)
const beside = z.object({
  meId: z.string().default('15550001111:7@s.whatsapp.net'),
  meLid: z.string().default('99900001111:7@lid'),
  pollMessage: stored.optional(),
  originalMessage: stored.optional(),
})

/** What the account that these events came to knew: who it is, whose LID is whose, and the poll or message that an event goes back to. */
export function contextOf(event: unknown, over: Partial<BaileysContext> = {}): BaileysContext {
  const { meId, meLid, pollMessage, originalMessage } = beside.parse(event)
  const options: Poll['options'] = [
    { name: 'Confirm', payload: 'poll:confirm', style: 'success' },
    { name: 'Cancel', payload: 'poll:cancel', style: 'danger' },
  ]
  const secrets = [pollMessage, originalMessage].filter((one) => one !== undefined)
  return {
    account: 'demo',
    me: { phone: meId, lid: meLid },
    lidOf: (pn) => (/^1555000[23]{4}/.test(pn) ? pn.replace('1555000', '9990000').replace('s.whatsapp.net', 'lid') : undefined),
    pnOf: (lid) => (/^9990000[23]{4}/.test(lid) ? lid.replace('9990000', '1555000').replace('lid', 's.whatsapp.net') : undefined),
    polls: new Map(secrets.map(([id, secret]) => [id, { secret, options }])),
    secretOf: (id) => secrets.find(([one]) => one === id)?.[1],
    isOurs: (id) => id.startsWith('3EB0'),
    nowMs: 1_795_987_300_000,
    ...over,
  }
}
