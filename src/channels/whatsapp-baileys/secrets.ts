import { createDecipheriv, hkdfSync } from 'node:crypto'

/** A content that was encrypted under the secret of an earlier message. */
export interface Sealed {
  readonly encPayload: Uint8Array
  readonly encIv: Uint8Array
}

/** Whose words the earlier message and the sealed content are; each side may have used the phone JID or the LID. */
export interface Sides {
  readonly messageId: string
  readonly authors: readonly string[]
  readonly senders: readonly string[]
}

/** What each use binds beside the key: a vote its poll and its voter, an edit nothing. */
const boundTo = {
  'Poll Vote': (messageId: string, sender: string) => `${messageId}\0${sender}`,
  'Message Edit': () => '',
} as const

/**
 * Opens it with every pair of addresses that the sides may have used, and gives the first that fits: AES-GCM says which does. Undefined
 * when none does. Source: baileys 7.0.0-rc14, `lib/Utils/process-message.js` (`decryptPollVote`); an edit is sealed alike.
 */
export function unseal(
  use: keyof typeof boundTo,
  { encPayload, encIv }: Sealed,
  secret: Uint8Array,
  { messageId, authors, senders }: Sides,
): Uint8Array | undefined {
  if (encPayload.length < 16 || encIv.length !== 12 || secret.length !== 32) return undefined
  for (const author of authors) {
    for (const sender of senders) {
      const key = hkdfSync('sha256', secret, new Uint8Array(32), `${messageId}${author}${sender}${use}`, 32)
      const decipher = createDecipheriv('aes-256-gcm', Buffer.from(key), encIv)
      decipher.setAAD(Buffer.from(boundTo[use](messageId, sender)))
      decipher.setAuthTag(encPayload.subarray(-16))
      try {
        return Buffer.concat([decipher.update(encPayload.subarray(0, -16)), decipher.final()])
      } catch {
        // Not this pair: the tag does not fit.
      }
    }
  }
  return undefined
}
