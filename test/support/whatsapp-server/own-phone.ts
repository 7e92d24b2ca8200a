import { deflateSync } from 'node:zlib'
import { type BinaryNode, proto } from 'baileys'
import * as content from './content.ts'
import { type Applicant, Device } from './device.ts'
import { Handset } from './handset.ts'
import type { Sockets } from './index.ts'
import type { Line } from './line.ts'
import type { Person } from './person.ts'
import { seenIn } from './seen.ts'
import { type GroupOf, newId, type World } from './world.ts'

const { Type } = proto.Message.ProtocolMessage

/** The account's number: its phone, its linked devices, and what came and went. */
export class Own extends Handset {
  readonly phone: string
  readonly jid: string
  readonly lid: string
  readonly devices = new Map<number, Device>()
  /** Logged in now; a line that was told to go counts until it is gone. */
  readonly lines = new Set<Line>()
  readonly #history: proto.IWebMessageInfo[] = []
  #lastDevice = 0
  #counts = { most: 0, logins: 0, pairings: 0 }

  constructor(world: World, phone: string, lid: string) {
    super(world, lid)
    this.phone = phone
    this.jid = `${phone}@s.whatsapp.net`
    this.lid = lid
  }

  sockets(): Sockets {
    return { open: this.lines.size, ...this.#counts }
  }

  logsIn(line: Line): void {
    this.lines.add(line)
    this.#counts = {
      ...this.#counts,
      logins: this.#counts.logins + 1,
      most: Math.max(this.#counts.most, this.lines.size),
    }
  }

  /** A device that is being linked gets its place; it can log in once it has signed. */
  admits(applicant: Applicant): Device {
    return new Device(++this.#lastDevice, this, applicant, (id) => this.world.acknowledges(id))
  }

  links(device: Device): void {
    this.devices.set(device.id, device)
    this.#counts = { ...this.#counts, pairings: this.#counts.pairings + 1 }
  }

  keeps(message: proto.IWebMessageInfo): void {
    this.#history.push(message)
  }

  /** What the phone sends a device that was just linked: a key for the account's settings, and the chats so far. */
  syncs(device: Device): void {
    device.synced = true
    const key = { keyId: { keyId: Buffer.from('000000000001', 'hex') }, keyData: { keyData: Buffer.alloc(32, 1), timestamp: 1 } }
    this.#tellsDevice(device, { type: Type.APP_STATE_SYNC_KEY_SHARE, appStateSyncKeyShare: { keys: [key] } })
    const syncType = proto.HistorySync.HistorySyncType.INITIAL_BOOTSTRAP
    const chats = Map.groupBy(this.#history, ({ key }) => key?.remoteJid ?? '')
    const history = proto.HistorySync.encode({
      syncType,
      conversations: [...chats].map(([id, messages]) => ({ id, messages: messages.map((message) => ({ message })) })),
      phoneNumberToLidMappings: [...this.world.people.values()].flatMap(({ lid, jid }) =>
        jid === undefined ? [] : [{ lidJid: lid, pnJid: jid }],
      ),
    }).finish()
    this.#tellsDevice(device, {
      type: Type.HISTORY_SYNC_NOTIFICATION,
      historySyncNotification: {
        syncType,
        chunkOrder: 1,
        progress: 100,
        initialHistBootstrapInlinePayload: deflateSync(history),
      },
    })
  }

  /** From the phone to one device of the same account, which no person sees. */
  #tellsDevice(device: Device, protocolMessage: proto.Message.IProtocolMessage): void {
    const id = newId()
    const attributes = { id, from: this.jid, type: 'protocol', category: 'peer', t: this.world.seconds() }
    this.inOrder
      .run(() => this.fansOut({ id, message: { protocolMessage }, attributes, group: undefined, garbled: undefined }, [device]))
      .catch((error: unknown) => this.world.fails(error, `${this.phone} syncs a device`))
  }

  types(
    to: Person | GroupOf,
    text: string,
    about: { readonly id?: string; readonly at?: number; readonly replyTo?: string } = {},
  ): Promise<string> {
    return this.inOrder.run(async () => {
      const quoted = about.replyTo === undefined ? undefined : this.#quoted(about.replyTo)
      const message = content.text(text, { quoted })
      const id = about.id ?? newId()
      const common = { id, t: this.world.seconds(about.at ?? this.world.clock()), type: 'text' }
      if ('members' in to) {
        const attributes = { ...common, from: to.id, participant: this.inGroup(to), addressing_mode: to.addressing }
        await this.fansOut({ id, message, attributes, group: to, garbled: undefined }, this.devices.values())
        for (const person of to.members) person.hears(id, to.id, message)
        return id
      }
      const mode = to.addressing
      const recipient = mode === 'pn' && to.jid !== undefined ? to.jid : to.lid
      const attributes = {
        ...common,
        from: mode === 'lid' ? this.lid : this.jid,
        recipient,
        addressing_mode: mode,
        [mode === 'lid' ? 'peer_recipient_pn' : 'peer_recipient_lid']: mode === 'lid' ? to.jid : to.lid,
      }
      const copy = { deviceSentMessage: { destinationJid: recipient, message }, ...contextOf(message) }
      await this.fansOut({ id, message: copy, attributes, group: undefined, garbled: undefined }, this.devices.values())
      this.keeps({ key: { remoteJid: recipient, fromMe: true, id }, message, messageTimestamp: common.t })
      to.hears(id, mode === 'lid' ? this.lid : this.jid, message)
      return id
    })
  }

  #quoted(id: string): content.Quoted {
    const { key, message } = this.#history.find((kept) => kept.key?.id === id) ?? {}
    if (!message) throw new Error(`${this.phone} has no message ${id}.`)
    return { id, author: key?.participant ?? (key?.fromMe ? this.lid : (key?.remoteJid ?? '')), message }
  }

  /** A copy of what a device sent, or a request of the device to its phone. */
  protected read(message: proto.Message, stanza: BinaryNode, device: Device): void {
    const { id = '', to = '' } = stanza.attrs
    const sent = message.deviceSentMessage?.message ?? message
    const request = sent.protocolMessage?.peerDataOperationRequestMessage
    if (request) {
      this.#answers(id, request, device)
      return
    }
    this.screen.shows({ id, chat: to, by: 'account', at: this.world.clock(), ...seenIn(sent) })
    this.keeps({ key: { remoteJid: to, fromMe: true, id }, message: sent, messageTimestamp: this.world.seconds() })
  }

  /** The phone hands over whole messages that a device asks for (`PLACEHOLDER_MESSAGE_RESEND`). */
  #answers(stanzaId: string, request: proto.Message.IPeerDataOperationRequestMessage, device: Device): void {
    const results = (request.placeholderMessageResendRequest ?? []).flatMap(({ messageKey }) => {
      const kept = this.#history.find(({ key }) => key?.id === messageKey?.id)
      if (kept === undefined) return []
      return [{ placeholderMessageResendResponse: { webMessageInfoBytes: proto.WebMessageInfo.encode(kept).finish() } }]
    })
    this.#tellsDevice(device, {
      type: Type.PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE,
      peerDataOperationRequestResponseMessage: {
        peerDataOperationRequestType: proto.Message.PeerDataOperationRequestType.PLACEHOLDER_MESSAGE_RESEND,
        stanzaId,
        peerDataOperationResult: results,
      },
    })
  }
}

const contextOf = ({ messageContextInfo }: proto.IMessage): proto.IMessage => (messageContextInfo ? { messageContextInfo } : {})
