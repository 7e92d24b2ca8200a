import { randomBytes } from 'node:crypto'
import {
  aesDecryptCTR,
  aesDecryptGCM,
  aesEncryptCTR,
  type BinaryNode,
  Curve,
  derivePairingCodeKey,
  hkdf,
  hmacSign,
  type KeyPair,
  proto,
  S_WHATSAPP_NET,
  WA_ADV_ACCOUNT_SIG_PREFIX,
} from 'baileys'
import type { Applicant, Device } from './device.ts'
import { bytesOf, node } from './nodes.ts'

/** What a phone reads from a QR: `…#ref,noise key,identity key,adv secret,platform`. */
export function readQr(qr: string): { readonly ref: string; readonly advSecret: Buffer } {
  const [ref, , , advSecret] = qr.slice(qr.indexOf('#') + 1).split(',')
  if (ref === undefined || advSecret === undefined)
    throw new Error('This is no QR of WhatsApp. Scan what `connection.update` gives as `qr`.')
  return { ref, advSecret: Buffer.from(advSecret, 'base64') }
}

/** The references under which QRs are shown, one after the other; the connection that got them is found by them. */
export const pairDevice = (refs: readonly string[]): BinaryNode =>
  node('iq', { from: S_WHATSAPP_NET, type: 'set', id: `pair-${refs[0]}`, xmlns: 'md' }, [
    node(
      'pair-device',
      {},
      refs.map((ref) => node('ref', {}, Buffer.from(ref))),
    ),
  ])

/** The account vouches for the device: its identity under the account's signature, sealed with the secret that only the phone has seen. */
export function pairSuccess(id: string, device: Device, account: KeyPair, advSecret: Uint8Array, now: number): BinaryNode {
  const details = proto.ADVDeviceIdentity.encode({ rawId: 1, timestamp: now, keyIndex: device.id }).finish()
  const vouched = Buffer.concat([WA_ADV_ACCOUNT_SIG_PREFIX, details, device.identity])
  const signed = proto.ADVSignedDeviceIdentity.encode({
    details,
    accountSignatureKey: account.public,
    accountSignature: Curve.sign(account.private, vouched),
  }).finish()
  const sealed = proto.ADVSignedDeviceIdentityHMAC.encode({ details: signed, hmac: hmacSign(signed, advSecret) }).finish()
  return node('iq', { from: S_WHATSAPP_NET, type: 'set', id, t: now }, [
    node('pair-success', {}, [
      node('device-identity', {}, sealed),
      node('platform', { name: 'android' }),
      node('device', { jid: device.jid, lid: device.lid }),
    ]),
  ])
}

/** A salt, an initialisation vector and an ephemeral key, encrypted under the code that a person types. */
const wrapped = async (code: string, key: Uint8Array): Promise<Buffer> => {
  const salt = randomBytes(32)
  const iv = randomBytes(16)
  return Buffer.concat([salt, iv, aesEncryptCTR(key, await derivePairingCodeKey(code, salt), iv)])
}

const unwrapped = async (code: string, bytes: Uint8Array): Promise<Buffer> => {
  const all = Buffer.from(bytes)
  return aesDecryptCTR(all.subarray(48, 80), await derivePairingCodeKey(code, all.subarray(0, 32)), all.subarray(32, 48))
}

/** The phone's part of linking by code, between the device's hello and its finish. */
export interface CodeEntry {
  /** What the device is told once the person has typed the code. */
  readonly notification: BinaryNode
  /** Reads the device's finish: the secret that both sides now share. Undefined where the code was another one. */
  finishes(finish: BinaryNode, device: Applicant): Buffer | undefined
}

/** Has the phone use a code on a device's hello (`link_code_companion_reg`, stage `companion_hello`). */
export async function entersCode(code: string, hello: BinaryNode, ref: Uint8Array, account: KeyPair): Promise<CodeEntry> {
  const ephemeral = Curve.generateKeyPair()
  const theirs = await unwrapped(code, bytesOf(hello, 'link_code_pairing_wrapped_companion_ephemeral_pub'))
  const shared = Curve.sharedKey(ephemeral.private, theirs)
  const notification = node(
    'notification',
    { from: S_WHATSAPP_NET, type: 'link_code_companion_reg', id: randomBytes(8).toString('hex') },
    [
      node('link_code_companion_reg', { stage: 'primary_hello' }, [
        node('link_code_pairing_wrapped_primary_ephemeral_pub', {}, await wrapped(code, ephemeral.public)),
        node('primary_identity_pub', {}, account.public),
        node('link_code_pairing_ref', {}, ref),
      ]),
    ],
  )
  return {
    notification,
    finishes(finish, device) {
      const bundle = Buffer.from(bytesOf(finish, 'link_code_pairing_wrapped_key_bundle'))
      const key = hkdf(shared, 32, { salt: bundle.subarray(0, 32), info: 'link_code_pairing_key_bundle_encryption_key' })
      let plain: Buffer
      try {
        plain = aesDecryptGCM(bundle.subarray(44), key, bundle.subarray(32, 44), Buffer.alloc(0))
      } catch {
        // Only somebody with the same code derives the same key.
        return undefined
      }
      if (!plain.subarray(0, 32).equals(device.identity) || !plain.subarray(32, 64).equals(account.public)) return undefined
      const ofIdentities = Curve.sharedKey(account.private, device.identity)
      return Buffer.from(hkdf(Buffer.concat([shared, ofIdentities, plain.subarray(64)]), 32, { info: 'adv_secret' }))
    },
  }
}
