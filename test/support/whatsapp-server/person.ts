import type { BinaryNode, proto } from 'baileys'
import * as content from './content.ts'
import type { Device } from './device.ts'
import { Handset } from './handset.ts'
import type { About, AboutVote, Addressing, Phone } from './index.ts'
import type { Own } from './own-phone.ts'
import { seenIn } from './seen.ts'
import { type GroupOf, newId, type World } from './world.ts'

const status = 'status@broadcast'

/** A message that this person can refer to: one of theirs, or one on their screen. */
interface Known {
  readonly mine: boolean
  readonly message: proto.IMessage
}

/** A person with a phone. */
export class Person extends Handset implements Phone {
  readonly name: string
  readonly lid: string
  readonly jid: string | undefined
  addressing: Addressing = 'lid'
  readonly #written = new Map<string, { readonly message: proto.IMessage; readonly about: About }>()
  readonly #delivered = new Map<string, { readonly stanza: BinaryNode; readonly device: Device }>()

  constructor(world: World, name: string, lid: string, jid: string | undefined) {
    super(world, lid)
    this.name = name
    this.lid = lid
    this.jid = jid
  }

  says(text: string, about: About = {}): Promise<string> {
    const { forwarded = false, ephemeral = false } = about
    return this.#writes(() => content.text(text, { quoted: this.#quoted(about), forwarded, expires: ephemeral }), about)
  }

  replies(id: string, text: string, about: About = {}): Promise<string> {
    return this.says(text, { ...about, replyTo: id })
  }

  forwards(text: string, about: About = {}): Promise<string> {
    return this.says(text, { ...about, forwarded: true })
  }

  votes(pollId: string, option: string | undefined, about: AboutVote = {}): Promise<string> {
    return this.#writes(() => {
      const { message } = this.#known(pollId)
      const options = seenIn(message).poll?.options
      if (options === undefined) throw new Error(`${pollId} is no poll.`)
      if (option !== undefined && !options.includes(option))
        throw new Error(`“${option}” is not on the poll: ${options.join(', ')}.`)
      const mode = this.#mode(about)
      return content.vote({
        key: this.#keyOf(pollId, about),
        pollId,
        secret: content.secretOf(message, pollId),
        creator: this.#account(about.creator ?? mode, about),
        voter: this.#me(about.voter ?? mode),
        option,
        at: this.#at(about),
      })
    }, about)
  }

  unvotes(pollId: string, about: AboutVote = {}): Promise<string> {
    return this.votes(pollId, undefined, about)
  }

  reacts(id: string, emoji: string, about: About = {}): Promise<string> {
    return this.#writes(() => content.reaction(this.#keyOf(id, about), emoji, this.#at(about)), about)
  }

  unreacts(id: string, about: About = {}): Promise<string> {
    return this.reacts(id, '', about)
  }

  edits(id: string, text: string, form: 'legacy' | 'encrypted' = 'legacy', about: About = {}): Promise<string> {
    return this.#writes(() => {
      const key = this.#keyOf(id, about)
      if (form === 'legacy') return content.legacyEdit(key, text, this.#at(about))
      return content.encryptedEdit(key, text, this.#at(about), this.#own(id), this.#me(this.#mode(about)))
    }, about)
  }

  deletes(id: string, about: About = {}): Promise<string> {
    return this.#writes(() => {
      this.#own(id)
      return content.revoke(this.#keyOf(id, about))
    }, about)
  }

  sends(form: 'voice' | 'image' | 'sticker', caption?: string, about: About = {}): Promise<string> {
    return this.#writes(() => content.media(form, caption), about)
  }

  sendsRaw(message: proto.IMessage, about: About = {}): Promise<string> {
    return this.#writes(() => message, about)
  }

  posts(text: string, about: About = {}): Promise<string> {
    const group = { id: status, members: [], addressing: 'lid' } as const
    return this.#writes(() => content.text(text, {}), { ...about, group })
  }

  async repeats(id: string): Promise<void> {
    const written = this.#written.get(id)
    if (written === undefined) throw new Error(`${this.name} has sent no ${id}.`)
    await this.#writes(() => written.message, { ...written.about, id }, written.message)
  }

  async reads(id: string): Promise<void> {
    await this.screen.until((seen) => seen.id === id)
    const { stanza, device } = this.#delivered.get(id) ?? {}
    if (stanza === undefined || device === undefined)
      throw new Error(`${id} came from no linked device, so nobody is told that it was read.`)
    this.tells(stanza, device, 'read')
  }

  /** Something typed on the account's own phone. */
  hears(id: string, chat: string, message: proto.IMessage): void {
    this.screen.shows({ id, chat, by: 'phone', at: this.world.clock(), ...seenIn(message) })
  }

  protected read(message: proto.Message, stanza: BinaryNode, device: Device): void {
    const { id = '', to = '' } = stanza.attrs
    const group = this.world.groups.get(to)
    const own = this.world.whoIs(device.lid) as Own
    const chat = group?.id ?? (to.endsWith('@lid') ? own.lid : own.jid)
    this.#delivered.set(id, { stanza, device })
    this.screen.shows({ id, chat, by: 'account', at: this.world.clock(), ...seenIn(message) })
    this.tells(stanza, device)
  }

  #at(about: About): number {
    return about.at ?? this.world.clock()
  }

  #mode(about: About): Addressing {
    return about.addressing ?? about.group?.addressing ?? this.addressing
  }

  #me(mode: Addressing): string {
    if (mode === 'lid') return this.lid
    if (this.jid === undefined) throw new Error(`${this.name} shows no phone number, so a chat with them has LIDs only.`)
    return this.jid
  }

  #account(mode: Addressing, about: About): string {
    const own = this.world.numberOf(about.to)
    return mode === 'lid' ? own.lid : own.jid
  }

  #known(id: string): Known {
    const written = this.#written.get(id)
    if (written !== undefined) return { mine: true, message: written.message }
    const seen = this.screen.find(id)
    if (seen === undefined) throw new Error(`${this.name} has not seen ${id}. Wait for it: await phone.until(({ id }) => …).`)
    return { mine: false, message: seen.message }
  }

  #own(id: string): proto.IMessage {
    const { mine, message } = this.#known(id)
    if (!mine) throw new Error(`${id} is not ${this.name}'s own.`)
    return message
  }

  /** How this phone names a message in another one. */
  #keyOf(id: string, about: About): proto.IMessageKey {
    const { mine } = this.#known(id)
    const mode = this.#mode(about)
    const author = mine ? this.#me(mode) : this.#account(mode, about)
    if (about.group === undefined) return { remoteJid: this.#account(mode, about), fromMe: mine, id }
    return { remoteJid: about.group.id, fromMe: mine, id, participant: author }
  }

  #quoted(about: About): content.Quoted | undefined {
    if (about.replyTo === undefined) return undefined
    const { mine, message } = this.#known(about.replyTo)
    const mode = this.#mode(about)
    return { id: about.replyTo, author: mine ? this.#me(mode) : this.#account(mode, about), message }
  }

  /** The stanza's word on who writes, where, and by which ids, as `decodeMessageNode` of Baileys reads it. */
  #envelope(id: string, message: proto.IMessage, about: About) {
    const mode = this.#mode(about)
    const me = this.#me(mode)
    const other = mode === 'lid' ? this.jid : this.lid
    const where =
      about.group === undefined
        ? { from: me, [mode === 'lid' ? 'sender_pn' : 'sender_lid']: other }
        : { from: about.group.id, participant: me, [mode === 'lid' ? 'participant_pn' : 'participant_lid']: other }
    const edit = message.protocolMessage?.editedMessage ? 1 : message.protocolMessage ? 7 : undefined
    return {
      ...where,
      id,
      t: this.world.seconds(this.#at(about)),
      type: content.stanzaTypeOf(message),
      notify: this.name,
      addressing_mode: mode,
      edit,
    }
  }

  #writes(make: () => proto.IMessage, about: About, again?: proto.IMessage): Promise<string> {
    return this.inOrder.run(async () => {
      const message = again ?? content.wrapped(make(), about)
      const id = about.id ?? newId()
      const attributes = this.#envelope(id, message, about)
      const group: GroupOf | undefined = about.group === undefined ? undefined : { ...about.group, members: [] }
      const numbers =
        group === undefined || about.to !== undefined ? [this.world.numberOf(about.to)] : [...this.world.numbers.values()]
      for (const own of numbers) {
        await this.fansOut({ id, message, attributes, group, garbled: about.garbled }, own.devices.values())
        own.keeps({
          key: { remoteJid: attributes.from, fromMe: false, id, ...(group === undefined ? {} : { participant: this.lid }) },
          message,
          messageTimestamp: attributes.t,
          pushName: this.name,
        })
      }
      this.#written.set(id, { message, about })
      return id
    })
  }
}
