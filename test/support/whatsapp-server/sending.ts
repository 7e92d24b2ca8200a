import { type BinaryNode, jidNormalizedUser } from 'baileys'
import type { Device } from './device.ts'
import type { AnswerRule, Sending } from './index.ts'
import { childOf, childrenOf, node } from './nodes.ts'
import { Own } from './own-phone.ts'
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
      line?.sends(node('ack', { class: 'message', id, from: to, t: this.#world.seconds(), error: rule.error }))
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
    const { id, to = '', participant, recipient, category } = stanza.attrs
    const copies = childrenOf(childOf(stanza, 'participants'))
    const group = this.#world.groups.get(to)
    const target = this.#world.whoIs(participant ?? to)
    const readers = new Set(copies.flatMap(({ attrs: { jid = '' } }) => this.#world.whoIs(jid) ?? []))
    // Group members whose key the device has sent before are named nowhere.
    if (childrenOf(stanza).some(({ attrs }) => attrs.type === 'skmsg'))
      for (const member of group?.members ?? []) readers.add(member)
    else if (copies.length === 0 && target !== undefined) readers.add(target)
    for (const reader of readers) {
      const forPhone = copies.length === 0 || copies.some(({ attrs: { jid = '' } }) => reader.isMe(jid) && !jid.includes(':'))
      if (forPhone || !(reader instanceof Own)) reader.receives(stanza, device)
      if (!(reader instanceof Own)) continue
      for (const copy of copies) {
        const other = [...reader.devices.values()].find((one) => one.jid === copy.attrs.jid || one.lid === copy.attrs.jid)
        if (other === undefined || other === device) continue
        const from = to.endsWith('@lid') ? device.lid : device.jid
        other.gets(
          node(
            'message',
            {
              id,
              from,
              recipient: recipient ?? jidNormalizedUser(to),
              category,
              t: this.#world.seconds(),
              type: stanza.attrs.type,
            },
            [...childrenOf(copy)],
          ),
        )
      }
    }
    if (readers.size === 0) this.#world.fails(`nobody is ${to}`, `message ${id} of ${own.phone}`)
  }
}
