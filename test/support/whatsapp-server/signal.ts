import {
  type AuthenticationCreds,
  addTransactionCapability,
  type BinaryNode,
  Curve,
  DEFAULT_CONNECTION_CONFIG,
  encodeBigEndian,
  encodeWAMessage,
  type extractE2ESessionFromRetryReceipt,
  initAuthCreds,
  KEY_BUNDLE_TYPE,
  type KeyPair,
  proto,
  type SignalDataTypeMap,
  type SignalKeyStore,
  unpadRandomMax16,
  xmppPreKey,
  xmppSignedPreKey,
} from 'baileys'
import { pino } from 'pino'
import type { Device } from './device.ts'
import { node } from './nodes.ts'

const quiet = pino({ level: 'silent' })

type Bundle = NonNullable<ReturnType<typeof extractE2ESessionFromRetryReceipt>>
type Enc = { readonly type: string | undefined; readonly content: BinaryNode['content'] }

/** The keys of one phone, in memory. */
class Keys implements SignalKeyStore {
  readonly #kinds = new Map<string, Map<string, unknown>>()

  get<T extends keyof SignalDataTypeMap>(type: T, ids: string[]): { [id: string]: SignalDataTypeMap[T] } {
    const kind = this.#kinds.get(type)
    const found: { [id: string]: SignalDataTypeMap[T] } = {}
    for (const id of ids) if (kind?.has(id)) found[id] = kind.get(id) as SignalDataTypeMap[T]
    return found
  }

  set(changes: { readonly [type: string]: { readonly [id: string]: unknown } | undefined }): void {
    for (const [type, values] of Object.entries(changes)) {
      const kind = this.#kinds.get(type) ?? new Map<string, unknown>()
      this.#kinds.set(type, kind)
      for (const [id, value] of Object.entries(values ?? {}))
        if (value === null || value === undefined) kind.delete(id)
        else kind.set(id, value)
    }
  }

  drops(type: keyof SignalDataTypeMap): void {
    this.#kinds.delete(type)
  }
}

/**
 * The Signal protocol as a phone speaks it: an identity, sessions with the linked devices of accounts, sender keys in groups. It is
 * Baileys' own code, run for the other side. A device is addressed by its LID alone, whichever id it uses on the wire.
 */
export class Signal {
  readonly #creds: AuthenticationCreds = initAuthCreds()
  readonly #keys = new Keys()
  readonly #repository
  #preKeys = 0

  constructor(jid: string) {
    this.#creds.me = { id: jid }
    const keys = addTransactionCapability(this.#keys, quiet, { maxCommitRetries: 1, delayBetweenTriesMs: 0 })
    this.#repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository({ creds: this.#creds, keys }, quiet, async () => [])
  }

  get identity(): KeyPair {
    return this.#creds.signedIdentityKey
  }

  #keysOf(): readonly BinaryNode[] {
    const id = ++this.#preKeys
    const pair = Curve.generateKeyPair()
    this.#keys.set({ 'pre-key': { [id]: pair } })
    return [
      node('type', {}, KEY_BUNDLE_TYPE),
      node('identity', {}, this.identity.public),
      xmppSignedPreKey(this.#creds.signedPreKey),
      xmppPreKey(pair, id),
    ]
  }

  #registration(): BinaryNode {
    return node('registration', {}, encodeBigEndian(this.#creds.registrationId))
  }

  /** What somebody needs to open a session; each one has a one-time key of its own. */
  bundle(jid: string): BinaryNode {
    return node('user', { jid }, [this.#registration(), ...this.#keysOf()])
  }

  /** The part of a retry receipt that lets the other side open a new session. */
  newSession(): readonly BinaryNode[] {
    return [this.#registration(), node('keys', {}, [...this.#keysOf()])]
  }

  async #begins(device: Device, { preKey, ...keys }: Bundle): Promise<void> {
    await this.#repository.injectE2ESession({ jid: device.lid, session: preKey === undefined ? keys : { ...keys, preKey } })
  }

  /** One message for one device. */
  async seals(message: proto.IMessage, device: Device): Promise<BinaryNode> {
    if (!(await this.#repository.validateSession(device.lid)).exists) await this.#begins(device, device.bundle())
    const { type, ciphertext } = await this.#repository.encryptMessage({ jid: device.lid, data: encodeWAMessage(message) })
    return node('enc', { v: 2, type }, ciphertext)
  }

  /** Begins another session with a device, with the keys that it offers itself, or else the server's. */
  async renews(device: Device, offered: Bundle | null): Promise<void> {
    await this.#repository.deleteSession([device.lid])
    await this.#begins(device, offered ?? device.bundle())
  }

  /** One message for a group, by its member `me`, and the sender key that a device needs for it. */
  async sealsInGroup(message: proto.IMessage, group: string, me: string) {
    const sealed = await this.#repository.encryptGroupMessage({ group, meId: me, data: encodeWAMessage(message) })
    const key: proto.IMessage = {
      senderKeyDistributionMessage: { groupId: group, axolotlSenderKeyDistributionMessage: sealed.senderKeyDistributionMessage },
    }
    return { enc: node('enc', { v: 2, type: 'skmsg' }, sealed.ciphertext), key }
  }

  async opens({ type, content }: Enc, device: Device): Promise<proto.Message> {
    if ((type !== 'pkmsg' && type !== 'msg') || !(content instanceof Uint8Array))
      throw new Error(`a phone cannot read <enc type="${type}">`)
    const bytes = await this.#repository.decryptMessage({ jid: device.lid, type, ciphertext: content })
    const message = proto.Message.decode(unpadRandomMax16(bytes))
    if (message.senderKeyDistributionMessage)
      await this.#repository.processSenderKeyDistributionMessage({
        authorJid: device.lid,
        item: message.senderKeyDistributionMessage,
      })
    return message
  }

  async opensInGroup({ content }: Enc, group: string, device: Device): Promise<proto.Message> {
    if (!(content instanceof Uint8Array)) throw new Error('a message to a group is empty')
    return proto.Message.decode(
      unpadRandomMax16(await this.#repository.decryptGroupMessage({ group, authorJid: device.lid, msg: content })),
    )
  }

  /** Forgets every session and every group's keys; the identity stays. */
  forgets(): void {
    for (const type of ['session', 'sender-key'] as const) this.#keys.drops(type)
  }

  closes(): void {
    this.#repository.close?.()
  }
}
