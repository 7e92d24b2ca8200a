import {
  aesDecryptGCM,
  aesEncryptGCM,
  type BinaryNode,
  Curve,
  decodeBinaryNode,
  encodeBinaryNode,
  hkdf,
  type KeyPair,
  NOISE_MODE,
  NOISE_WA_HEADER,
  proto,
  sha256,
} from 'baileys'

/*
 * The server's side of WhatsApp's Noise handshake (Noise_XX_25519_AESGCM_SHA256), with the frames around it: three bytes of length,
 * then the bytes. The client's side is `Utils/noise-handler.js` of Baileys.
 */

const root = Curve.generateKeyPair()
const nothing = Buffer.alloc(0)

/** The root of this process: every server of it shows a chain that ends here. */
export const trust: Uint8Array = root.public

interface Certified {
  readonly key: KeyPair
  readonly chain: Uint8Array
}

/** A static key with its chain: the root signs an intermediate (issuer serial 0), which signs the leaf. */
export function certified(): Certified {
  const intermediate = Curve.generateKeyPair()
  const key = Curve.generateKeyPair()
  const now = Math.floor(Date.now() / 1000)
  const details = (serial: number, issuerSerial: number, holder: KeyPair) =>
    proto.CertChain.NoiseCertificate.Details.encode({
      serial,
      issuerSerial,
      key: holder.public,
      notBefore: now - 60,
      notAfter: now + 86_400,
    }).finish()
  const ofIntermediate = details(1, 0, intermediate)
  const ofLeaf = details(2, 1, key)
  const chain = proto.CertChain.encode({
    intermediate: { details: ofIntermediate, signature: Curve.sign(root.private, ofIntermediate) },
    leaf: { details: ofLeaf, signature: Curve.sign(intermediate.private, ofLeaf) },
  }).finish()
  return { key, chain }
}

/** The nonce of the nth message under one key. */
const nonceOf = (count: number): Buffer => {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32BE(count, 8)
  return nonce
}

const framed = (bytes: Uint8Array): Buffer => {
  const length = Buffer.alloc(3)
  length.writeUIntBE(bytes.length, 0, 3)
  return Buffer.concat([length, bytes])
}

/** The symmetric state while shaking hands: one hash over all that was said, one chain of keys. */
class Handshake {
  #hash = Buffer.from(NOISE_MODE)
  #salt: Buffer = this.#hash
  #key: Buffer = this.#hash
  #count = 0

  hears(bytes: Uint8Array): void {
    this.#hash = Buffer.from(sha256(Buffer.concat([this.#hash, bytes])))
  }

  mixes(secret: Uint8Array): void {
    const derived = this.keys(secret)
    this.#salt = derived.first
    this.#key = derived.second
    this.#count = 0
  }

  keys(secret: Uint8Array): { readonly first: Buffer; readonly second: Buffer } {
    const bytes = Buffer.from(hkdf(secret, 64, { salt: this.#salt, info: '' }))
    return { first: bytes.subarray(0, 32), second: bytes.subarray(32) }
  }

  seals(plain: Uint8Array): Buffer {
    const sealed = aesEncryptGCM(plain, this.#key, nonceOf(this.#count++), this.#hash)
    this.hears(sealed)
    return sealed
  }

  opens(sealed: Uint8Array): Buffer {
    const plain = aesDecryptGCM(sealed, this.#key, nonceOf(this.#count++), this.#hash)
    this.hears(sealed)
    return plain
  }
}

const present = (bytes: Uint8Array | null | undefined, what: string): Uint8Array => {
  if (bytes === null || bytes === undefined) throw new Error(`the client's handshake has no ${what}`)
  return bytes
}

/** One connection, from its first byte. First `hello`, then `finish`, then nodes. */
export class NoiseResponder {
  readonly #certified: Certified
  readonly #handshake = new Handshake()
  readonly #ephemeral = Curve.generateKeyPair()
  #received: Buffer = nothing
  #introduced = false
  #reads = { key: nothing as Buffer, count: 0 }
  #writes = { key: nothing as Buffer, count: 0 }

  constructor(certified: Certified) {
    this.#certified = certified
    this.#handshake.hears(NOISE_WA_HEADER)
  }

  /** The whole frames in what has come so far. */
  frames(bytes: Uint8Array): readonly Uint8Array[] {
    this.#received = Buffer.concat([this.#received, bytes])
    if (!this.#introduced) {
      if (this.#received.length < NOISE_WA_HEADER.length) return []
      if (!this.#received.subarray(0, NOISE_WA_HEADER.length).equals(NOISE_WA_HEADER)) throw new Error('not a WhatsApp client')
      this.#received = this.#received.subarray(NOISE_WA_HEADER.length)
      this.#introduced = true
    }
    const frames: Uint8Array[] = []
    while (this.#received.length >= 3 && this.#received.length >= 3 + this.#received.readUIntBE(0, 3)) {
      const end = 3 + this.#received.readUIntBE(0, 3)
      frames.push(this.#received.subarray(3, end))
      this.#received = this.#received.subarray(end)
    }
    return frames
  }

  /** Answers the client's hello with the server's, sealed static key and certificates included. */
  hello(frame: Uint8Array): Buffer {
    const theirs = present(proto.HandshakeMessage.decode(frame).clientHello?.ephemeral, 'ephemeral key')
    this.#handshake.hears(theirs)
    this.#handshake.hears(this.#ephemeral.public)
    this.#handshake.mixes(Curve.sharedKey(this.#ephemeral.private, theirs))
    const sealedStatic = this.#handshake.seals(this.#certified.key.public)
    this.#handshake.mixes(Curve.sharedKey(this.#certified.key.private, theirs))
    const payload = this.#handshake.seals(this.#certified.chain)
    const serverHello = { ephemeral: this.#ephemeral.public, static: sealedStatic, payload }
    return framed(proto.HandshakeMessage.encode({ serverHello }).finish())
  }

  /** Reads who the client is: its static key, and what it wants. From here on both sides speak in nodes. */
  finish(frame: Uint8Array): { readonly noiseKey: Uint8Array; readonly payload: proto.ClientPayload } {
    const { clientFinish } = proto.HandshakeMessage.decode(frame)
    const noiseKey = this.#handshake.opens(present(clientFinish?.static, 'static key'))
    this.#handshake.mixes(Curve.sharedKey(this.#ephemeral.private, noiseKey))
    const payload = proto.ClientPayload.decode(this.#handshake.opens(present(clientFinish?.payload, 'payload')))
    const { first, second } = this.#handshake.keys(nothing)
    this.#reads = { key: first, count: 0 }
    this.#writes = { key: second, count: 0 }
    return { noiseKey, payload }
  }

  /** Frames have to be opened in the order in which they came. */
  opens(frame: Uint8Array): Promise<BinaryNode> {
    return decodeBinaryNode(aesDecryptGCM(frame, this.#reads.key, nonceOf(this.#reads.count++), nothing))
  }

  seals(node: BinaryNode): Buffer {
    return framed(aesEncryptGCM(encodeBinaryNode(node), this.#writes.key, nonceOf(this.#writes.count++), nothing))
  }
}
