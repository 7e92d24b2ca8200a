import { type BinaryNode, jidNormalizedUser } from 'baileys'
import type { Device } from './device.ts'
import type { AnswerRule, Sending } from './index.ts'
import { childOf, childrenOf, node } from './nodes.ts'
import type { Own } from './own-phone.ts'
import type { Person } from './person.ts'
import type { World } from './world.ts'

/** Which rule a message falls under; a rule that was for so many is gone after them. */
class Rules {
  readonly #rules: { readonly rule: AnswerRule; left: number }[] = []

  adds(rule: AnswerRule): void {
    this.#rules.push({ rule, left: rule.times ?? Number.POSITIVE_INFINITY })
  }

  takes(to: readonly string[], type: string): AnswerRule['with'] {
    const found = this.#rules.find(
      ({ rule, left }) => left > 0 && (rule.to === undefined || to.includes(rule.to)) && (rule.type ?? type) === type,
    )
    if (found === undefined) return 'ack'
    found.left -= 1
    return found.rule.with
  }
}

/** What becomes of the messages that linked devices send: the server's word on each, and the way to the phones. */
export class Post {
  readonly #world: World
  readonly #rules = new Rules()
  #held: (() => void)[] = []

  constructor(world: World) {
    this.#world = world
  }

  answers(rule: AnswerRule): void {
    this.#rules.adds(rule)
  }

  releases(): void {
    const held = this.#held
    this.#held = []
    for (const release of held) release()
  }

  /** One `<message>` of a device. */
  takes(stanza: BinaryNode, own: Own, device: Device): void {
    const { id = '', to = '', type = 'text' } = stanza.attrs
    const { line } = device
    const who = this.#world.whoIs(to)
    const rule = this.#rules.takes(
      [to, ...(who === undefined ? [] : [who.lid, who.jid ?? '', who.lid.replace('@lid', '')])],
      type,
    )
    const sending: Sending = { id, to, phone: own.phone, type, at: this.#world.clock(), answer: 'ack' }
    this.#world.sendings.push(sending)
    const acknowledges = () => {
      sending.answer = 'ack'
      line?.sends(node('ack', { class: 'message', id, from: to, t: this.#world.seconds() }))
      this.#world.changed()
    }
    if (typeof rule === 'object' && 'error' in rule) {
      sending.answer = { error: rule.error }
      const refuses = () =>
        line?.sends(node('ack', { class: 'message', id, from: to, t: this.#world.seconds(), error: rule.error }))
      if (rule.held === true) this.#held.push(refuses)
      else refuses()
      return
    }
    // The phones' turns are taken before the device hears of it: what a person does after that comes after they have read this.
    this.#delivers(stanza, own, device)
    if (rule === 'ack') acknowledges()
    else if (rule === 'nothing') sending.answer = 'nothing'
    else {
      sending.answer = 'held'
      if (rule === 'held') this.#held.push(acknowledges)
      else setTimeout(acknowledges, rule.afterMs).unref()
    }
  }

  /** To every phone that something in it is for; other devices of the account get their copy as a stanza. */
  #delivers(stanza: BinaryNode, own: Own, device: Device): void {
    const { id, to = '', participant } = stanza.attrs
    const group = this.#world.groups.get(to)
    const copies = childrenOf(childOf(stanza, 'participants'))
    // Members of a group whose key the device has sent before are named nowhere.
    const sealedForGroup = childrenOf(stanza).filter(({ attrs }) => attrs.type === 'skmsg')
    const readers = new Set<Own | Person>(sealedForGroup.length > 0 ? [own, ...(group?.members ?? [])] : [])
    for (const jid of copies.length > 0 ? copies.map(({ attrs }) => attrs.jid ?? '') : [participant ?? to]) {
      const reader = jid.includes(':') ? undefined : this.#world.whoIs(jid)
      if (reader !== undefined) readers.add(reader)
    }
    for (const reader of readers) reader.receives(stanza, device)
    if (readers.size === 0) this.#world.fails(`nobody is ${to}`, `message ${id} of ${own.phone}`)
    for (const other of own.devices.values()) {
      const copy = copies.find(({ attrs: { jid } }) => jid === other.jid || jid === other.lid)
      const content = [...childrenOf(copy), ...sealedForGroup]
      if (other !== device && content.length > 0) other.gets(this.#copyOf(stanza, device, content))
    }
  }

  /** A message as another device of the same account gets it. */
  #copyOf({ attrs: { id, to = '', type, category } }: BinaryNode, device: Device, content: readonly BinaryNode[]): BinaryNode {
    const common = { id, type, category, t: this.#world.seconds() }
    const where = this.#world.groups.has(to)
      ? { from: to, participant: device.lid }
      : { from: to.endsWith('@lid') ? device.lid : device.jid, recipient: jidNormalizedUser(to) }
    return node('message', { ...common, ...where }, [...content])
  }
}
