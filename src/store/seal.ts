import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** A key that values are sealed under; `id` names it in the database. */
export interface SealKey {
  readonly id: string
  readonly bytes: Uint8Array
}

/** Where a value stands. It is bound to it: put anywhere else it does not open. */
export interface SealedAt {
  readonly account: string
  readonly kind: string
  readonly id: string
}

const nonceLength = 12
const tagLength = 16

const derived = (secret: Uint8Array, label: string, length: number): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(), label, length))

/** The vault's key of a secret. Neither the key nor its name tells anything of the secret, or of other keys made from it. */
export const sealKeyOf = (secret: Uint8Array): SealKey => ({
  id: Buffer.from(derived(secret, 'dale/vault/1/name', 8)).toString('hex'),
  bytes: derived(secret, 'dale/vault/1/key', 32),
})

const placeOf = ({ account, kind, id }: SealedAt): Uint8Array => Buffer.from(JSON.stringify([account, kind, id]))

/** AES-256-GCM with a fresh nonce: nonce, tag and text, in base64. */
export function seal(value: Uint8Array, at: SealedAt, { bytes }: SealKey): string {
  const nonce = randomBytes(nonceLength)
  const cipher = createCipheriv('aes-256-gcm', bytes, nonce, { authTagLength: tagLength }).setAAD(placeOf(at))
  const text = Buffer.concat([cipher.update(value), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64')
}

/** Undefined when it was not sealed here under this key, or was changed since. */
export function unseal(sealed: string, at: SealedAt, { bytes }: SealKey): Uint8Array | undefined {
  const all = Buffer.from(sealed, 'base64')
  if (all.length < nonceLength + tagLength) return undefined
  const decipher = createDecipheriv('aes-256-gcm', bytes, all.subarray(0, nonceLength), { authTagLength: tagLength })
    .setAAD(placeOf(at))
    .setAuthTag(all.subarray(nonceLength, nonceLength + tagLength))
  const text = decipher.update(all.subarray(nonceLength + tagLength))
  try {
    return new Uint8Array(Buffer.concat([text, decipher.final()]))
  } catch {
    // What GCM says of a wrong tag; there is no other error here.
    return undefined
  }
}
