import { baileysChannel } from '../../src/channels/whatsapp-baileys/channel.ts'
import { pairNumber } from '../../src/channels/whatsapp-baileys/pair.ts'
import type { Normalized } from '../../src/core/inbound.ts'
import type { Channel, Receive } from '../../src/ports/channel.ts'
import type { Act, Doing, Gesture } from '../../src/rehearsal/script.ts'
import { displayNameOf, type OpenStage, type Shown, type Stage, type StageSet, type Standing } from '../../src/rehearsal/stage.ts'
import { until } from './until.ts'
import type { About, Group, Phone, Seen } from './whatsapp-server/index.ts'
import { aWhatsAppStage, type WhatsAppStage } from './whatsapp-stage.ts'

/**
 * Stages on WhatsApp: the real adapter with the real Baileys against a server on this machine, and people with their phones. The server
 * and the number are one for all of them, and the number is linked once for each account; people and groups are new on each.
 */
export async function baileysStages(): Promise<AsyncDisposable & { readonly open: OpenStage }> {
  const whatsapp = await aWhatsAppStage()
  const linked = new Set<string>()
  let born = 0
  const open: OpenStage = async (set) => {
    const { server } = whatsapp
    server.clock = () => set.clock.nowMs
    if (!linked.has(set.account)) await link(whatsapp, set.account)
    linked.add(set.account)
    const people = new Map<string, Phone>()
    for (const name of set.people) {
      born += 1
      const ids = { lid: String(99_900_002_222 + born), phone: String(15_550_002_222 + born) }
      people.set(name, await server.person(`${displayNameOf(name)} ${born}`, ids))
    }
    const groups = new Map<string, Group>()
    for (const name of set.groups) {
      born += 1
      groups.set(name, await server.group(`${120_363_000_000_000_000n + BigInt(born)}@g.us`, [...people.values()]))
    }
    return new BaileysStage(set, whatsapp, people, groups)
  }
  return { open, [Symbol.asyncDispose]: () => whatsapp[Symbol.asyncDispose]() }
}

async function link({ number, settings }: WhatsAppStage, account: string): Promise<void> {
  const shown = { qr: (qr: string) => void number.scans(qr), code: () => {} }
  const paired = await pairNumber(settings({ account }), { again: false }, shown, new AbortController().signal)
  if (paired.kind !== 'paired') throw new Error(`not paired: ${paired.kind}`)
}

/** The id in an event, by which a phone knows what it sent. */
const idOf = (event: Normalized): string | undefined => ('providerId' in event ? event.providerId.split(':').at(-1) : undefined)

class BaileysStage implements Stage {
  readonly #set: StageSet
  readonly #whatsapp: WhatsAppStage
  readonly #people: ReadonlyMap<string, Phone>
  readonly #groups: ReadonlyMap<string, Group>
  /** How often each message of a phone was handed in. */
  readonly #handed = new Map<string, number>()
  /** What people sent, with who did, in order. */
  readonly #sent: { readonly by: Phone; readonly id: string }[] = []
  /** The last part of everything that the account sent to somebody whose phone was on, until its delivery is reported. */
  readonly #undelivered = new Set<string>()
  readonly #off = new Set<string>()
  readonly #shown = new Map<string, number>()

  constructor(set: StageSet, whatsapp: WhatsAppStage, people: ReadonlyMap<string, Phone>, groups: ReadonlyMap<string, Group>) {
    this.#set = set
    this.#whatsapp = whatsapp
    this.#people = people
    this.#groups = groups
  }

  open(): Channel {
    const channel = baileysChannel(this.#whatsapp.settings({ account: this.#set.account, controls: 'poll', owner: 'stage' }))
    // One process alone plays here: whatever is to be said is said here.
    const { line: _, ...rest } = channel
    let receive: Receive = async () => {}
    return {
      ...rest,
      start: (handIn) => {
        receive = handIn
        return channel.start(async (events) => {
          await handIn(events)
          for (const event of events) this.#hear(event)
        })
      },
      send: async (to, message, sending) => {
        const accepted = await channel.send(to, message, sending)
        const last = accepted.messageIds.at(-1)
        if (last === undefined) return accepted
        if (!this.#off.has(to.chat)) {
          if (!this.#reported.has(last)) this.#undelivered.add(last)
          return accepted
        }
        // Behind one that reaches no phone the next leaves a second later. Here time stands still, and the server has it.
        const sent = { kind: 'report', conversation: to, providerId: `${last}#sent`, messageId: last, status: 'sent' } as const
        await receive([{ ...sent, moment: { atMs: this.#set.clock.nowMs } }])
        return accepted
      },
    }
  }

  identityOf(person: string): string {
    return `wa:${this.#person(person).lid}`
  }

  chatOf(place: string): string {
    return this.#groups.get(place)?.id ?? this.#person(place).lid
  }

  cannot(doing: Doing): string | undefined {
    return doing.do === 'act' && doing.gesture.kind === 'presses' && doing.place.startsWith('@')
      ? 'a group has no polls'
      : undefined
  }

  async act(act: Act): Promise<string | undefined> {
    await this.#delivered()
    const by = this.#person(act.person)
    const done = await this.#do(by, act)
    if (typeof done === 'string') return done
    this.#sent.push({ by, id: done.id })
    await this.#arrived(done.id, 1)
    return undefined
  }

  async outside(_: 'owner' | 'tool', place: string, text: string): Promise<void> {
    await this.#delivered()
    await this.#arrived(await this.#whatsapp.number.types(this.#groups.get(place) ?? this.#person(place), text), 1)
  }

  async phones(place: string, turn: 'off' | 'on'): Promise<void> {
    const phone = this.#person(place)
    if (turn === 'off') {
      await this.#delivered()
      this.#off.add(phone.lid)
      phone.goesAway()
      return
    }
    this.#off.delete(phone.lid)
    await phone.comesBack()
  }

  async again(): Promise<void> {
    for (const { by, id } of this.#sent) {
      const times = this.#handed.get(id) ?? 0
      await by.repeats(id)
      await this.#arrived(id, times + 1)
    }
  }

  shown(): readonly Shown[] {
    return [...this.#people.keys(), ...this.#groups.keys()].flatMap((place) => {
      const seen = this.#fromAccount(place)
      const before = this.#shown.get(place) ?? 0
      this.#shown.set(place, seen.length)
      return seen.slice(before).map((one): Shown => ({ kind: 'bot', place, text: textOf(one), brief: textOf(one) }))
    })
  }

  cards(place: string): readonly Standing[] {
    return this.#cards(place).map((card) => ({ code: codeOf(card) ?? '', text: textOf(card) }))
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  readonly #reported = new Set<string>()

  #hear(event: Normalized): void {
    if (event.kind === 'report') {
      if (event.status === 'sent') return
      this.#reported.add(event.messageId)
      this.#undelivered.delete(event.messageId)
      return
    }
    const id = idOf(event)
    if (id !== undefined) this.#handed.set(id, (this.#handed.get(id) ?? 0) + 1)
  }

  /** People act on what has reached their phones, and the account knows that it has. */
  #delivered(): Promise<void> {
    return until(() => this.#undelivered.size === 0)
  }

  #arrived(id: string, times: number): Promise<void> {
    return until(() => (this.#handed.get(id) ?? 0) >= times)
  }

  #person(name: string): Phone {
    const person = this.#people.get(name)
    if (person === undefined) throw new Error(`nobody here is called ${name}`)
    return person
  }

  async #do(by: Phone, { person, place, gesture, text }: Act): Promise<{ readonly id: string } | string> {
    const group = this.#groups.get(place)
    const about: About = group === undefined ? {} : { group }
    switch (gesture.kind) {
      case 'says':
        return await this.#says(by, { person, place, reply: gesture.reply, text, about })
      case 'presses': {
        const poll = this.#polls(place).findLast(
          (one) =>
            one.poll?.options.includes(gesture.label) === true && (gesture.code === undefined || codeOf(one) === gesture.code),
        )
        return poll === undefined
          ? `${person} finds no [${gesture.label}]`
          : { id: await by.votes(poll.id, gesture.label, about) }
      }
      case 'withdraws': {
        const poll = this.#polls(place).at(-1)
        return poll === undefined ? `${person} finds no vote to take back` : { id: await by.unvotes(poll.id, about) }
      }
      case 'edits': {
        const own = this.#sent.findLast((one) => one.by === by)
        // As the clients of this year do it.
        return own === undefined ? `${person} finds no text to edit` : { id: await by.edits(own.id, text, 'encrypted', about) }
      }
      case 'forwards':
        return { id: await by.forwards(text, about) }
      case 'reacts': {
        const card = this.#cards(place).at(-1)
        return card === undefined ? `${person} finds no card to react to` : { id: await by.reacts(card.id, text, about) }
      }
      case 'sends':
        return {
          id: await by.sends(
            gesture.form === 'caption' ? 'image' : gesture.form,
            gesture.form === 'caption' ? text : undefined,
            about,
          ),
        }
    }
  }

  async #says(
    by: Phone,
    said: {
      readonly person: string
      readonly place: string
      readonly reply: Extract<Gesture, { kind: 'says' }>['reply']
      readonly text: string
      readonly about: About
    },
  ): Promise<{ readonly id: string } | string> {
    const { person, place, reply, text, about } = said
    const { lid } = this.#whatsapp.number
    const isMention = text.includes('@bot')
    if (reply === undefined && !isMention) return { id: await by.says(text, about) }
    const answered = reply === undefined ? undefined : this.#answered(place, reply)
    if (reply !== undefined && answered === undefined) return `${person} finds nothing to reply to`
    if (answered !== undefined && answered !== 'elsewhere' && !isMention) return { id: await by.replies(answered, text, about) }
    const contextInfo = {
      ...(isMention ? { mentionedJid: [lid] } : {}),
      ...(answered === undefined
        ? {}
        : { stanzaId: answered === 'elsewhere' ? '3A00000000000000ELSE' : answered, quotedMessage: { conversation: '…' } }),
      ...(answered === 'elsewhere' ? { remoteJid: '120363000000009999@g.us' } : {}),
    }
    const written = text.replaceAll('@bot', `@${lid.split('@')[0] ?? ''}`)
    return { id: await by.sendsRaw({ extendedTextMessage: { text: written, contextInfo } }, about) }
  }

  #fromAccount(place: string): readonly Seen[] {
    const group = this.#groups.get(place)
    const eyes = group === undefined ? this.#person(place) : group.members[0]
    return (eyes?.sees() ?? []).filter(
      ({ by, chat, text, poll }) =>
        by === 'account' &&
        (text !== undefined || poll !== undefined) &&
        (chat === group?.id || (group === undefined && !chat.endsWith('@g.us'))),
    )
  }

  #polls(place: string): readonly Seen[] {
    return this.#fromAccount(place).filter(({ poll }) => poll !== undefined)
  }

  /** A card is what its poll follows; in a group, what has blocks and the words to type with its code. */
  #cards(place: string): readonly Seen[] {
    const seen = this.#fromAccount(place)
    return seen.filter((one, at) => {
      if (one.poll !== undefined) return false
      const next = seen[at + 1]
      if (!place.startsWith('@')) return next?.poll !== undefined && codeOf(next) === codeOf(one)
      return /\n\n[\s\S]*[«"“][^»"”]+ #[2-9A-Z]{4}[»"”]/u.test(one.text ?? '')
    })
  }

  #answered(
    place: string,
    { to, code }: { readonly to: 'card' | 'text' | 'elsewhere'; readonly code?: string },
  ): string | undefined {
    if (to === 'elsewhere') return 'elsewhere'
    const cards = this.#cards(place)
    if (to === 'card') return cards.findLast((card) => code === undefined || codeOf(card) === code)?.id
    return this.#fromAccount(place).findLast((one) => one.poll === undefined && !cards.includes(one))?.id
  }
}

/** The last code in a message: a card's own stands in the words to type, below whatever it is about. */
const codeOf = ({ text = '' }: Seen): string | undefined => [...text.matchAll(/#([2-9A-Z]{4})(?![0-9A-Za-z])/g)].at(-1)?.[1]

const textOf = ({ text = '', poll }: Seen): string =>
  poll === undefined ? text : `${poll.options.map((option) => `[${option}]`).join(' ')}  ${text}`
