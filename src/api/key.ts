import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { ApiKey, ApiKeyStore } from '../ports/api-keys.ts'

/** What a key looks like: the id, which is shown in lists, and 256 random bits, of which only the hash is kept. */
const form = /^dale_([a-z0-9]{12})_([A-Za-z0-9_-]{43})$/
const alphabet = 'abcdefghijklmnopqrstuvwxyz012345'

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex')

/** A new key: its text, to be shown once, and what is kept of it. */
export function drawKey(): { readonly text: string; readonly id: string; readonly hash: string } {
  const id = [...randomBytes(12)].map((byte) => alphabet.charAt(byte % alphabet.length)).join('')
  const secret = randomBytes(32).toString('base64url')
  return { text: `dale_${id}_${secret}`, id, hash: hashOf(secret) }
}

/** Whose key this is; undefined where it is none that holds, or another tenant's. The comparison takes as long whatever differs. */
export async function keyOf(
  store: Pick<ApiKeyStore, 'keyThatHolds'>,
  tenant: string,
  authorization: string | undefined,
): Promise<ApiKey | undefined> {
  const [, id, secret] = form.exec(/^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '') ?? []
  if (id === undefined || secret === undefined) return undefined
  const found = await store.keyThatHolds(id)
  const given = Buffer.from(hashOf(secret), 'hex')
  const kept = Buffer.from(found?.hash ?? '0'.repeat(64), 'hex')
  return timingSafeEqual(given, kept) && found?.key.tenant === tenant ? found.key : undefined
}
