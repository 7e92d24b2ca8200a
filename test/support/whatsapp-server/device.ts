import { type BinaryNode, Curve, generateSignalPubKey, KEY_BUNDLE_TYPE, proto, WA_ADV_DEVICE_SIG_PREFIX } from 'baileys'
import type { Line } from './line.ts'
import { bytesOf, childOf, childrenOf, node, numberOf } from './nodes.ts'

interface SignedPreKey {
  readonly keyId: number
  readonly publicKey: Uint8Array
  readonly signature: Uint8Array
}

/** What a client says of itself when it wants to be linked (`devicePairingData`). */
export interface Applicant {
  readonly noiseKey: Uint8Array
  readonly identity: Uint8Array
  readonly registrationId: number
  readonly signedPreKey: SignedPreKey
}

const numberIn = (bytes: Uint8Array): number => Buffer.from(bytes).readUIntBE(0, bytes.length)

const required = (bytes: Uint8Array | null | undefined, what: string): Uint8Array => {
  if (bytes === null || bytes === undefined) throw new Error(`a client asks to be linked without ${what}`)
  return bytes
}

/** Reads a client's wish to be linked. */
export function applicantOf(data: proto.ClientPayload.IDevicePairingRegistrationData, noiseKey: Uint8Array): Applicant {
  return {
    noiseKey,
    identity: required(data.eIdent, 'an identity key'),
    registrationId: numberIn(required(data.eRegid, 'a registration id')),
    signedPreKey: {
      keyId: numberIn(required(data.eSkeyId, 'the id of its signed pre-key')),
      publicKey: generateSignalPubKey(required(data.eSkeyVal, 'a signed pre-key')),
      signature: required(data.eSkeySig, 'the signature of its pre-key'),
    },
  }
}

/** The key of a stanza that waits for its acknowledgement; receipts of one message differ by type and person. */
const keyOf = (tag: string, { id, type, participant }: BinaryNode['attrs']): string =>
  tag === 'message' ? `${tag} ${id}` : `${tag} ${id} ${type ?? ''} ${participant ?? ''}`

/**
 * One linked device of a number: its public keys, and what it has not acknowledged yet. That is delivered again, marked `offline`, each
 * time it logs in; the ciphertext stays the same.
 */
export class Device {
  readonly id: number
  /** With the device in it: `15550001111:7@s.whatsapp.net`, `99900001111:7@lid`. */
  readonly jid: string
  readonly lid: string
  readonly noiseKey: Uint8Array
  readonly identity: Uint8Array
  readonly registrationId: number
  readonly preKeys = new Map<number, Uint8Array>()
  #signedPreKey: SignedPreKey
  #waiting: BinaryNode[] = []
  /** Ids of messages that came back with a wish to have them again. */
  readonly #asked = new Set<string>()
  /** Where it is logged in. */
  line: Line | undefined
  /** It has asked for its messages, so what comes goes out at once. */
  active = false
  /** The phone has sent it the history. */
  synced = false
  readonly #acknowledges: (id: string) => void

  constructor(
    id: number,
    own: { readonly jid: string; readonly lid: string },
    applicant: Applicant,
    acknowledges: (id: string) => void,
  ) {
    this.id = id
    this.jid = own.jid.replace('@', `:${id}@`)
    this.lid = own.lid.replace('@', `:${id}@`)
    this.noiseKey = applicant.noiseKey
    this.identity = applicant.identity
    this.registrationId = applicant.registrationId
    this.#signedPreKey = applicant.signedPreKey
    this.#acknowledges = acknowledges
  }

  /** Checks that the device holds the identity that was signed (`pair-device-sign`). */
  hasSigned(reply: BinaryNode, accountKey: Uint8Array): boolean {
    const { details, deviceSignature } = proto.ADVSignedDeviceIdentity.decode(
      bytesOf(childOf(reply, 'pair-device-sign'), 'device-identity'),
    )
    if (!details || !deviceSignature) return false
    const vouched = Buffer.concat([WA_ADV_DEVICE_SIG_PREFIX, details, this.identity, accountKey])
    return Curve.verify(this.identity, vouched, deviceSignature)
  }

  /** Takes an upload of pre-keys. */
  stores(upload: BinaryNode): void {
    this.rotates(childOf(upload, 'skey'))
    for (const key of childrenOf(childOf(upload, 'list'))) this.preKeys.set(numberOf(key, 'id'), bytesOf(key, 'value'))
  }

  rotates(skey: BinaryNode | undefined): void {
    this.#signedPreKey = {
      keyId: numberOf(skey, 'id'),
      publicKey: generateSignalPubKey(bytesOf(skey, 'value')),
      signature: bytesOf(skey, 'signature'),
    }
  }

  /** A bundle for a new session; takes one of the one-time keys while there are any. */
  bundle() {
    const [first] = this.preKeys
    if (first !== undefined) this.preKeys.delete(first[0])
    return {
      registrationId: this.registrationId,
      identityKey: generateSignalPubKey(this.identity),
      signedPreKey: this.#signedPreKey,
      preKey: first === undefined ? undefined : { keyId: first[0], publicKey: generateSignalPubKey(first[1]) },
    }
  }

  /** The same, as a stanza for other devices of the account. */
  bundleNode(jid: string): BinaryNode {
    const { preKey } = this.bundle()
    const id = (keyId: number) => {
      const bytes = Buffer.alloc(3)
      bytes.writeUIntBE(keyId, 0, 3)
      return node('id', {}, bytes)
    }
    const registration = Buffer.alloc(4)
    registration.writeUInt32BE(this.registrationId)
    const { keyId, publicKey, signature } = this.#signedPreKey
    return node('user', { jid }, [
      node('registration', {}, registration),
      node('type', {}, KEY_BUNDLE_TYPE),
      node('identity', {}, this.identity),
      node('skey', {}, [id(keyId), node('value', {}, publicKey.subarray(1)), node('signature', {}, signature)]),
      ...(preKey === undefined ? [] : [node('key', {}, [id(preKey.keyId), node('value', {}, preKey.publicKey.subarray(1))])]),
    ])
  }

  /** Keeps a stanza until it is acknowledged, and sends it if the device is there. */
  gets(stanza: BinaryNode): void {
    this.#waiting.push(stanza)
    if (this.active) this.line?.sends(stanza)
  }

  /** How many stanzas wait, by kind. */
  backlog(): { readonly message: number; readonly receipt: number; readonly notification: number } {
    const count = (tag: string) => this.#waiting.filter((stanza) => stanza.tag === tag).length
    return { message: count('message'), receipt: count('receipt'), notification: count('notification') }
  }

  /** Everything that waits goes out, marked as what came while it was away; then the end of it. */
  catchesUp(): void {
    const waiting = [...this.#waiting]
    for (const [index, { tag, attrs, content }] of waiting.entries())
      this.line?.sends(node(tag, { ...attrs, offline: index + 1 }, content))
    this.line?.sends(node('ib', {}, [node('offline', { count: waiting.length })]))
    this.active = true
  }

  /** An `ack`, or the receipt of a message: what it names no longer waits. */
  acknowledged({ tag, attrs }: BinaryNode): void {
    const { id = '' } = attrs
    if (tag === 'receipt' && attrs.type === 'retry') {
      this.#asked.add(id)
      return
    }
    const key = tag === 'receipt' ? keyOf('message', attrs) : keyOf(attrs.class ?? '', attrs)
    const index = this.#waiting.findIndex((stanza) => keyOf(stanza.tag, stanza.attrs) === key)
    if (index >= 0) this.#waiting.splice(index, 1)
    if (tag === 'ack' && this.#asked.delete(id)) return
    if (key.startsWith('message')) this.#acknowledges(id)
  }
}
