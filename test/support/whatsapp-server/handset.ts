import { type BinaryNode, extractE2ESessionFromRetryReceipt, jidNormalizedUser, type proto } from 'baileys'
import type { Device } from './device.ts'
import { InOrder } from './in-order.ts'
import type { Seen } from './index.ts'
import { childOf, childrenOf, node } from './nodes.ts'
import { Screen } from './screen.ts'
import { Signal } from './signal.ts'
import type { GroupOf, World } from './world.ts'

/** A message on its way to linked devices. */
export interface Outgoing {
  readonly id: string
  readonly message: proto.IMessage
  /** Everything that the stanza says but its content. */
  readonly attributes: Readonly<Record<string, string | number | undefined>>
  readonly group: GroupOf | undefined
  readonly garbled: 'once' | 'always' | 'absent' | undefined
}

/** What cannot be decrypted: the right bytes, one of them wrong, and never as the start of a session. */
const garble = ({ tag, attrs, content }: BinaryNode): BinaryNode => {
  const bytes = Buffer.from(content as Uint8Array)
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 0xff, bytes.length - 1)
  return node(tag, { ...attrs, type: attrs.type === 'skmsg' ? 'skmsg' : 'msg' }, bytes)
}

/** What goes out for what was encrypted, in good order or not. */
const contentOf = (enc: BinaryNode, garbled: Outgoing['garbled']): BinaryNode => {
  if (garbled === undefined) return enc
  return garbled === 'absent' ? node('unavailable') : garble(enc)
}

/** A phone: one Signal identity, one screen, and one thing at a time. */
export abstract class Handset {
  abstract readonly jid: string | undefined
  abstract readonly lid: string
  protected readonly world: World
  readonly signal: Signal
  readonly screen = new Screen()
  protected readonly inOrder = new InOrder()
  readonly #sent = new Map<string, Outgoing>()
  readonly #retries = new Map<string, number>()
  #away: { readonly stanza: BinaryNode; readonly device: Device }[] | undefined

  constructor(world: World, lid: string) {
    this.world = world
    this.signal = new Signal(lid)
  }

  /** Everything that came, in order. */
  sees(): readonly Seen[] {
    return this.screen.sees()
  }

  until(isSo: (seen: Seen) => boolean): Promise<Seen> {
    return this.screen.until(isSo)
  }

  /** How this phone is named in a group. */
  protected inGroup(group: GroupOf): string {
    return group.addressing === 'pn' && this.jid !== undefined ? this.jid : this.lid
  }

  /** Encrypts for each device and hands it over. Only inside `inOrder`: what is sent first is encrypted first. */
  protected async fansOut(outgoing: Outgoing, devices: Iterable<Device>): Promise<void> {
    this.#sent.set(outgoing.id, outgoing)
    const { message, attributes, group, garbled } = outgoing
    if (group === undefined) {
      for (const device of devices) {
        const enc = await this.signal.seals(message, device)
        device.gets(node('message', attributes, [contentOf(enc, garbled)]))
      }
      return
    }
    const { enc, key } = await this.signal.sealsInGroup(message, group.id, this.inGroup(group))
    for (const device of devices) {
      const content = [await this.signal.seals(key, device), contentOf(enc, garbled)]
      device.gets(node('message', attributes, content))
    }
  }

  /** A device could not read a message and asks for it again: it comes under the same id, in a new session. */
  sendsAgain(receipt: BinaryNode, device: Device): void {
    const { id = '' } = receipt.attrs
    const outgoing = this.#sent.get(id)
    if (outgoing === undefined || outgoing.garbled === 'always') return
    const count = childOf(receipt, 'retry')?.attrs.count
    this.#inTurn(`sends ${id} again`, async () => {
      await this.signal.renews(device, extractE2ESessionFromRetryReceipt(receipt))
      const { message, attributes, group } = outgoing
      const key = group === undefined ? {} : (await this.signal.sealsInGroup(message, group.id, this.inGroup(group))).key
      const { tag, attrs, content } = await this.signal.seals({ ...message, ...key }, device)
      device.gets(node('message', attributes, [node(tag, { ...attrs, count }, content)]))
    })
  }

  /** A stanza of a linked device comes to this phone; it is read when what came before is. */
  receives(stanza: BinaryNode, device: Device): void {
    this.#inTurn(`reads ${stanza.attrs.id}`, async () => {
      if (this.#away === undefined) await this.#reads(stanza, device)
      else this.#away.push({ stanza, device })
    })
  }

  goesAway(): void {
    this.#away ??= []
  }

  async comesBack(): Promise<void> {
    await this.inOrder.run(async () => {
      const missed = this.#away ?? []
      this.#away = undefined
      for (const { stanza, device } of missed) await this.#reads(stanza, device)
    })
  }

  forgets(): void {
    this.signal.forgets()
  }

  async #reads(stanza: BinaryNode, device: Device): Promise<void> {
    let message: proto.Message | undefined
    try {
      message = await this.#opens(stanza, device)
    } catch (error) {
      this.#asksAgain(stanza, device, error)
      return
    }
    if (message !== undefined) this.read(message, stanza, device)
    this.world.changed()
  }

  /** Has the device send what could not be read in a new session; three times, then it is a problem. */
  #asksAgain(stanza: BinaryNode, device: Device, error: unknown): void {
    const { id = '' } = stanza.attrs
    const count = (this.#retries.get(id) ?? 0) + 1
    this.#retries.set(id, count)
    if (count > 3) {
      this.world.fails(error, `no phone could read ${id}`)
      return
    }
    const retry = node('retry', { count, id, t: this.world.seconds(), v: 1 })
    device.gets(this.#receipt(stanza, 'retry', [retry, ...this.signal.newSession()]))
  }

  /** What is in it for this phone; undefined where it only carries a group's key, or is for others. */
  async #opens(stanza: BinaryNode, device: Device): Promise<proto.Message | undefined> {
    let found: proto.Message | undefined
    const mine = childrenOf(childOf(stanza, 'participants')).filter(
      ({ attrs }) => attrs.jid === this.lid || attrs.jid === this.jid,
    )
    const sealed = [...mine.flatMap(childrenOf), ...childrenOf(stanza)].filter(({ tag }) => tag === 'enc')
    for (const { attrs, content } of sealed) {
      const enc = { type: attrs.type, content }
      const message =
        attrs.type === 'skmsg'
          ? await this.signal.opensInGroup(enc, stanza.attrs.to ?? '', device)
          : await this.signal.opens(enc, device)
      if (Object.keys(message).some((part) => part !== 'senderKeyDistributionMessage' && part !== 'messageContextInfo'))
        found = message
    }
    return found
  }

  /** A receipt for the device that sent a message, as it comes from this phone. */
  #receipt(stanza: BinaryNode, type: string | undefined, content?: BinaryNode[]): BinaryNode {
    const { id, to = '' } = stanza.attrs
    const group = this.world.groups.get(to)
    const from = group === undefined ? jidNormalizedUser(to) : to
    const participant = group === undefined ? undefined : this.inGroup(group)
    return node('receipt', { id, from, participant, type, t: this.world.seconds() }, content)
  }

  /** Tells the device that its message has come, or was read. */
  protected tells(stanza: BinaryNode, device: Device, type?: 'read'): void {
    device.gets(this.#receipt(stanza, type))
  }

  /** A message of a linked device, decrypted. */
  protected abstract read(message: proto.Message, stanza: BinaryNode, device: Device): void

  #inTurn(doing: string, work: () => Promise<void>): void {
    this.inOrder.run(work).catch((error: unknown) => this.world.fails(error, `${this.lid} ${doing}`))
  }
}
