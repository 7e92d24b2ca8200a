import { cloudChannel } from '../../src/channels/whatsapp-cloud/channel.ts'
import type { Channel } from '../../src/ports/channel.ts'
import type { Act, Doing } from '../../src/rehearsal/script.ts'
import { displayNameOf, type OpenStage, type Shown, type Stage, type StageSet, type Standing } from '../../src/rehearsal/stage.ts'
import { lookOf } from './graph-look.ts'
import type { Person, Where } from './graph-people.ts'
import { type GraphServer, graphServer } from './graph-server.ts'
import type { Message } from './graph-world.ts'
import { until } from './until.ts'

const template = { name: 'confirmar', language: 'es' }

/** A stage on WhatsApp's Cloud API: the real adapter, signed webhooks from a Graph API of this machine, and people with the app. */
export const cloudStage: OpenStage = async (set) => {
  const server = await graphServer({ now: () => Math.floor(set.clock.nowMs / 1000) })
  return new CloudStage(set, server)
}

class CloudStage implements Stage {
  readonly #set: StageSet
  readonly #server: GraphServer
  readonly #people: ReadonlyMap<string, Person>
  readonly #chats = new Map<string, string>()
  readonly #places = new Map<string, string>()
  /** The codes of cards, by the message that carries what decides. */
  readonly #sentCards = new Map<string, string>()
  #seen = 0

  constructor(set: StageSet, server: GraphServer) {
    this.#set = set
    this.#server = server
    this.#people = new Map(set.people.map((name) => [name, server.person(displayNameOf(name))]))
    for (const [name, { chat }] of this.#people) this.#put(name, chat)
    for (const name of set.groups) {
      const group = server.group(name.slice(1), [...this.#people.values()])
      this.#put(name, group)
      for (const person of this.#people.values()) person.begins({ in: group })
    }
  }

  open(): Channel {
    const server = this.#server
    const channel = cloudChannel({
      account: this.#set.account,
      token: server.token,
      phoneNumberId: server.phoneNumberId,
      appSecrets: [server.appSecret],
      verifyToken: 'my-token',
      apiRoot: server.url,
      // A talk that is about WhatsApp is played without one: whoever has not written gets nothing until they do.
      template: this.#set.like === undefined ? template : undefined,
      clock: this.#set.clock,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    })
    const sentCards = this.#sentCards
    return {
      ...channel,
      async send(to, message, sending) {
        // Whoever sets a template up gives its quick replies the labels of their locale.
        if (message.kind === 'card')
          server.approves({
            ...template,
            body: '{{1}}\n{{2}}\n{{3}}',
            quickReplies: message.card.controls.flatMap(({ label, style }) => (style === 'plain' ? [] : [label])),
          })
        const accepted = await channel.send(to, message, sending)
        if (message.kind === 'card') sentCards.set(accepted.messageIds.at(-1) ?? '', message.card.code)
        return accepted
      },
      async start(receive) {
        const running = await channel.start(receive)
        server.webhooks.connect(async (request) => await channel.webhook?.(request, receive))
        return {
          async [Symbol.asyncDispose]() {
            server.webhooks.connect(undefined)
            await running[Symbol.asyncDispose]()
          },
        }
      },
    }
  }

  identityOf(person: string): string {
    return `wa:${this.#person(person).chat}`
  }

  chatOf(place: string): string {
    return this.#chats.get(place) ?? ''
  }

  cannot(doing: Doing): string | undefined {
    if (doing.do !== 'act') return undefined
    if (doing.gesture.kind === 'presses' && doing.place.startsWith('@')) return 'a group has no buttons'
    return doing.gesture.kind === 'withdraws' ? 'a tap cannot be taken back' : undefined
  }

  async act(act: Act): Promise<string | undefined> {
    await this.#delivered()
    const problem = this.#do(act)
    await this.#delivered()
    return problem
  }

  async outside(by: 'owner' | 'tool', place: string, text: string): Promise<void> {
    await this.#delivered()
    if (by === 'owner') this.#server.ownerSays(this.chatOf(place), text)
    else this.#server.toolSays(this.chatOf(place), text)
    await this.#delivered()
  }

  async phones(place: string, turn: 'off' | 'on'): Promise<void> {
    await this.#delivered()
    this.#person(place).turns(turn)
    await this.#delivered()
  }

  async again(): Promise<void> {
    this.#server.webhooks.again()
    await this.#delivered()
  }

  shown(): readonly Shown[] {
    const { journal } = this.#server
    const shown = journal.slice(this.#seen).flatMap((message): readonly Shown[] => {
      if (message.by !== 'account') return []
      const text = textOf(message)
      return [{ kind: 'bot', place: this.#places.get(message.chat) ?? '', text, brief: text }]
    })
    this.#seen = journal.length
    return shown
  }

  cards(place: string): readonly Standing[] {
    return this.#cards(place).map((card) => ({ code: this.#sentCards.get(card.id) ?? '', text: textOf(card) }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]()
  }

  #put(place: string, chat: string): void {
    this.#chats.set(place, chat)
    this.#places.set(chat, place)
  }

  #person(name: string): Person {
    const person = this.#people.get(name)
    if (person === undefined) throw new Error(`nobody here is called ${name}`)
    return person
  }

  /** Everything that the platform tells was taken in: what people did, and what got to their phones. */
  #delivered(): Promise<void> {
    return until(() => this.#server.webhooks.waiting === 0)
  }

  #do({ person: name, place, gesture, text }: Act): string | undefined {
    const person = this.#person(name)
    const chat = this.chatOf(place)
    const where: Where = place.startsWith('@') ? { in: chat } : {}
    const written = text.replaceAll('@bot', `@${this.#server.displayNumber}`)
    switch (gesture.kind) {
      case 'says': {
        const { reply } = gesture
        if (reply?.to === 'elsewhere') {
          person.says(written, { ...where, with: { context: { from: this.#server.displayNumber, referred_product: {} } } })
          return undefined
        }
        const replyTo = reply === undefined ? undefined : this.#answered(place, reply)
        if (reply !== undefined && replyTo === undefined) return `${name} finds nothing to reply to`
        person.says(written, { ...where, ...(replyTo === undefined ? {} : { replyTo }) })
        return undefined
      }
      case 'presses': {
        const { label, code } = gesture
        const fits = ({ title }: { readonly title: string }): boolean => title === label || title === `${label} #${code}`
        const message = this.#server
          .shown(chat)
          .findLast((one) => one.buttons.some(fits) && (code === undefined || textOf(one).includes(`#${code}`)))
        const button = message?.buttons.find(fits)
        if (message === undefined || button === undefined)
          return `${name} finds no [${label}${code === undefined ? '' : ` #${code}`}]`
        person.taps(message.id, button.title)
        return undefined
      }
      case 'edits': {
        const own = this.#server.journal.findLast(
          (one) => one.by === 'person' && one.from === person.user.waId && one.type === 'text',
        )
        if (own === undefined) return `${name} finds no text to edit`
        person.edits(own.id, written, where)
        return undefined
      }
      case 'forwards':
        person.forwards(written, where)
        return undefined
      case 'reacts': {
        const card = this.#cards(place).at(-1)
        if (card === undefined) return `${name} finds no card to react to`
        person.reacts(card.id, text, where)
        return undefined
      }
      case 'withdraws':
        return `${name} finds no tap to take back`
      case 'sends':
        person.sends(...mediaOf(gesture.form, written), where)
        return undefined
    }
  }

  #cards(place: string): readonly Message[] {
    return this.#server.shown(this.chatOf(place)).filter(({ id }) => this.#sentCards.has(id))
  }

  #answered(
    place: string,
    { to, code }: { readonly to: 'card' | 'text' | 'elsewhere'; readonly code?: string },
  ): string | undefined {
    const cards = this.#cards(place)
    if (to === 'card') return cards.findLast(({ id }) => code === undefined || this.#sentCards.get(id) === code)?.id
    return this.#server.shown(this.chatOf(place)).findLast((one) => !cards.includes(one))?.id
  }
}

/** The last code in a message: a card's own stands in the words to type, below whatever it is about. */
const codeOf = ({ body }: Message): string | undefined => [...body.matchAll(/#([2-9A-Z]{4})(?![0-9A-Za-z])/g)].at(-1)?.[1]

/** A message as the simulator would write it: its text, then its buttons and the code. */
function textOf(message: Message): string {
  const { text } = lookOf(message.body)
  if (message.buttons.length === 0) return text
  const controls = message.buttons.map(({ title }) => `[${title}]`).join(' ')
  return message.buttons.some(({ title }) => title.includes('#'))
    ? `${text}\n${controls}`
    : `${text}\n${controls}  #${codeOf(message) ?? ''}`
}

function mediaOf(form: 'voice' | 'caption' | 'sticker', text: string): readonly [string, Readonly<Record<string, unknown>>] {
  const file = { id: '3000000000000001', mime_type: 'application/octet-stream', sha256: 'AA==' }
  switch (form) {
    case 'voice':
      return ['audio', { ...file, voice: true }]
    case 'sticker':
      return ['sticker', { ...file, animated: false }]
    case 'caption':
      return ['image', { ...file, caption: text }]
  }
}
