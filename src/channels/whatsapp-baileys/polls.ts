import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Vault, VaultEntry } from '../../ports/vault.ts'
import type { Poll, PollOption } from './context.ts'

const pollKind = 'poll'

const pollSchema = z.object({
  secret: z.base64().transform((secret) => new Uint8Array(Buffer.from(secret, 'base64'))),
  options: z.array(z.object({ name: z.string(), payload: z.string(), style: z.enum(['success', 'danger']) })),
})

/** The polls that were sent under these ids. They outlive the session: a vote may come after the number was linked anew. */
export async function readPolls(vault: Vault, account: string, ids: readonly string[]): Promise<ReadonlyMap<string, Poll>> {
  if (ids.length === 0) return new Map()
  const stored = await vault.read(account, pollKind, ids)
  return new Map([...stored].map(([id, bytes]) => [id, pollSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')))]))
}

/**
 * A poll as it is to be kept before it is sent. Sent a second time under its id it has the secret of the first: that is the one that the
 * phones have, if it arrived.
 */
export async function pollToKeep(
  vault: Vault,
  account: string,
  id: string,
  options: readonly PollOption[],
): Promise<Poll & { readonly entry: VaultEntry }> {
  const before = (await readPolls(vault, account, [id])).get(id)
  const secret = before?.secret ?? new Uint8Array(randomBytes(32))
  const kept = JSON.stringify({ secret: Buffer.from(secret).toString('base64'), options })
  return { secret, options, entry: { kind: pollKind, id, value: new Uint8Array(Buffer.from(kept)) } }
}
