import { createHmac, timingSafeEqual } from 'node:crypto'
import { bytesOfUlid, ulidOfBytes } from './ulid.ts'

/** What a tap on a control asks for. `edit` and `reason` decide nothing: one opens an edit, the other asks why it is refused. */
export interface Press {
  /** ULID. */
  readonly proposalId: string
  readonly cardRevision: number
  readonly verdict: 'approve' | 'reject' | 'edit' | 'reason'
}

/** Where a control stands. A payload that was copied to another chat or bot is worth nothing there. */
export interface PressScope {
  readonly account: string
  readonly conversationKey: string
}

/**
 * A secret with the number (0 to 255) that payloads name it by: add a new one, sign with it, and drop the old one a week later. Two may
 * have one number; each is then tried.
 */
export interface PressKey {
  readonly id: number
  readonly secret: Uint8Array
}

const version = 1
const verdicts = ['approve', 'reject', 'edit', 'reason'] as const

/** One byte each for version, key and verdict, four for the revision, sixteen each for the ULID and the seal. */
const sealedLength = 23
const sealLength = 16

/**
 * The payload of a control: 52 characters of base64url, opaque to the provider, and good only in this scope and for this verdict.
 * It proves that we made it, not that it may still be used: the store is asked all the same. The same press gives the same payload.
 */
export function pressPayloadOf(press: Press, scope: PressScope, key: PressKey): string {
  const sealed = Buffer.alloc(sealedLength)
  sealed.writeUInt8(version, 0)
  sealed.writeUInt8(key.id, 1)
  sealed.writeUInt8(verdicts.indexOf(press.verdict), 2)
  sealed.writeUInt32BE(press.cardRevision, 3)
  sealed.set(bytesOfUlid(press.proposalId), 7)
  return Buffer.concat([sealed, sealOf(sealed, scope, key)]).toString('base64url')
}

/** Reads a payload that came back, from anyone who can talk to the provider; undefined for all that was not made here for this scope. */
export function readPress(payload: string, scope: PressScope, keys: readonly PressKey[]): Press | undefined {
  const bytes = Buffer.from(payload, 'base64url')
  // Decoding forgives other spellings of the same bytes; we do not, so a payload has one spelling.
  if (bytes.length !== sealedLength + sealLength || bytes.toString('base64url') !== payload) return undefined
  const sealed = bytes.subarray(0, sealedLength)
  const named = keys.filter(({ id }) => id === sealed.readUInt8(1))
  if (!named.some((key) => timingSafeEqual(sealOf(sealed, scope, key), bytes.subarray(sealedLength)))) return undefined
  const verdict = verdicts[sealed.readUInt8(2)]
  if (sealed.readUInt8(0) !== version || verdict === undefined) return undefined
  return { proposalId: ulidOfBytes(sealed.subarray(7)), cardRevision: sealed.readUInt32BE(3), verdict }
}

const sealOf = (sealed: Uint8Array, { account, conversationKey }: PressScope, { secret }: PressKey): Buffer =>
  createHmac('sha256', secret)
    .update(JSON.stringify(['dale/press/1', account, conversationKey]))
    .update(sealed)
    .digest()
    .subarray(0, sealLength)
