import { telegramChannel } from '../../src/channels/telegram/channel.ts'
import type { Channel } from '../../src/ports/channel.ts'
import type { Act, Doing } from '../../src/rehearsal/script.ts'
import { displayNameOf, type OpenStage, type Shown, type Stage, type StageSet, type Standing } from '../../src/rehearsal/stage.ts'
import type { Person, Where } from './bot-api-people.ts'
import { type BotApiServer, botApiServer } from './bot-api-server.ts'
import type { Message } from './bot-api-world.ts'

/** A stage on Telegram: the real adapter, long polling against a Bot API server, with people who use Telegram's app. */
export const telegramStage: OpenStage = async (set) =>
  new TelegramStage(set, await botApiServer({ now: () => Math.floor(set.clock.nowMs / 1000) }))

class TelegramStage implements Stage {
  readonly #account: string
  readonly #server: BotApiServer
  readonly #people: ReadonlyMap<string, Person>
  readonly #chats = new Map<string, number>()
  readonly #places = new Map<number, string>()
  /** Who tapped, and where, by the callback query's id. */
  readonly #taps = new Map<string, string>()
  #seen = 0

  constructor({ account, people, groups }: StageSet, server: BotApiServer) {
    this.#account = account
    this.#server = server
    this.#people = new Map(people.map((name) => [name, server.person(displayNameOf(name))]))
    for (const [name, person] of this.#people) {
      person.begins()
      this.#put(name, person.user.id)
    }
    for (const group of groups) this.#put(group, server.group(group.slice(1), [...this.#people.values()]).id)
  }

  open(): Channel {
    return telegramChannel({
      account: this.#account,
      token: this.#server.token,
      apiRoot: this.#server.url,
      mode: 'polling',
      backoffMs: 5,
      pollSeconds: 5,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    })
  }

  identityOf(person: string): string {
    return `tg:${this.#person(person).user.id}`
  }

  chatOf(place: string): string {
    return String(this.#chats.get(place))
  }

  cannot(doing: Doing): string | undefined {
    return doing.do === 'outside' ? 'nobody but the bot writes as a bot' : undefined
  }

  async act(act: Act): Promise<string | undefined> {
    const problem = this.#do(act)
    await this.#delivered()
    return problem
  }

  async outside(): Promise<void> {}

  async again(): Promise<void> {
    this.#server.updates.again()
    await this.#delivered()
  }

  shown(): readonly Shown[] {
    const { journal } = this.#server
    const shown = journal.slice(this.#seen).flatMap((entry): readonly Shown[] => {
      if (entry.what === 'sent' && entry.by === 'bot') {
        const text = textOf(entry.message)
        return [{ kind: 'bot', place: this.#places.get(entry.message.chat.id) ?? '', text, brief: text }]
      }
      if (entry.what !== 'answered' || entry.text === '') return []
      return [{ kind: 'toast', place: this.#taps.get(entry.pressId) ?? '', text: entry.text, brief: entry.text }]
    })
    this.#seen = journal.length
    return shown
  }

  cards(place: string): readonly Standing[] {
    return this.#cards(place).map((id) => {
      const now = this.#server.shown(this.#chats.get(place) ?? 0).find((message) => message.message_id === id)
      return { code: this.#codes.get(`${place}/${id}`) ?? '', text: now === undefined ? '' : textOf(now) }
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]()
  }

  #put(place: string, chat: number): void {
    this.#chats.set(place, chat)
    this.#places.set(chat, place)
  }

  #person(name: string): Person {
    const person = this.#people.get(name)
    if (person === undefined) throw new Error(`nobody here is called ${name}`)
    return person
  }

  /** Every update is confirmed, so the adapter has handed it over. */
  #delivered(): Promise<void> {
    return this.#server.until(() => this.#server.updates.waiting.length === 0)
  }

  #do({ person: name, place, gesture, text }: Act): string | undefined {
    const person = this.#person(name)
    const chat = this.#chats.get(place) ?? 0
    const where: Where = place.startsWith('@') ? { in: chat } : {}
    const written = text.replaceAll('@bot', `@${this.#server.bot.username}`)
    switch (gesture.kind) {
      case 'says': {
        const { reply } = gesture
        if (reply?.to === 'elsewhere')
          person.says(written, {
            ...where,
            with: { external_reply: { origin: { type: 'hidden_user', date: 1, sender_user_name: 'X' } } },
          })
        else {
          const replyTo = reply === undefined ? undefined : this.#answered(place, reply)
          if (reply !== undefined && replyTo === undefined) return `${name} finds nothing to reply to`
          person.says(written, { ...where, ...(replyTo === undefined ? {} : { replyTo }) })
        }
        return undefined
      }
      case 'presses': {
        const { label, code } = gesture
        const fits = (button: string): boolean => button === label || button === `${label} #${code}`
        const message = this.#server
          .shown(chat)
          .findLast((one) => labelsOf(one).some(fits) && (code === undefined || textOf(one).includes(`#${code}`)))
        const button = message === undefined ? undefined : labelsOf(message).find(fits)
        if (message === undefined || button === undefined)
          return `${name} finds no [${label}${code === undefined ? '' : ` #${code}`}]`
        this.#taps.set(person.taps(message.message_id, button, where), place)
        return undefined
      }
      case 'edits': {
        const own = this.#server.journal.findLast(
          (entry) =>
            entry.what === 'sent' &&
            entry.message.from.id === person.user.id &&
            entry.message.chat.id === chat &&
            entry.message.text !== undefined,
        )
        if (own?.what !== 'sent') return `${name} finds no text to edit`
        person.edits(own.message.message_id, written, where)
        return undefined
      }
      case 'forwards':
        person.forwards(written, this.#server.person('Somebody').user, where)
        return undefined
      case 'reacts': {
        const card = this.#cards(place).at(-1)
        if (card === undefined) return `${name} finds no card to react to`
        person.reacts(card, text, where)
        return undefined
      }
      case 'sends':
        person.sends(mediaOf(gesture.form, written), where)
        return undefined
      case 'withdraws':
        return 'a tap on Telegram is not taken back'
    }
  }

  /** What a card's message was sent with, by place and number: after a decision neither code nor buttons need stand there. */
  readonly #codes = new Map<string, string>()

  #cards(place: string): readonly number[] {
    const chat = this.#chats.get(place)
    const sent = this.#server.journal.flatMap((entry) =>
      entry.what === 'sent' && entry.by === 'bot' && entry.message.chat.id === chat ? [entry.message] : [],
    )
    const cards = sent.filter(
      (message) => labelsOf(message).length > 0 && !labelsOf(message).some((label) => label.includes('#')),
    )
    for (const message of cards) this.#codes.set(`${place}/${message.message_id}`, codeOf(message) ?? '')
    return cards.map(({ message_id: id }) => id)
  }

  #answered(
    place: string,
    { to, code }: { readonly to: 'card' | 'text' | 'elsewhere'; readonly code?: string },
  ): number | undefined {
    const cards = this.#cards(place)
    if (to === 'card') return cards.findLast((id) => code === undefined || this.#codes.get(`${place}/${id}`) === code)
    return this.#server.shown(this.#chats.get(place) ?? 0).findLast(({ message_id: id }) => !cards.includes(id))?.message_id
  }
}

const labelsOf = ({ reply_markup: keyboard }: Message): readonly string[] =>
  keyboard?.inline_keyboard.flat().map(({ text }) => text) ?? []

/** The last code in a message: a card's own stands in the words to type, below whatever it is about. */
const codeOf = ({ text = '' }: Message): string | undefined => [...text.matchAll(/#([2-9A-Z]{4})(?![0-9A-Za-z])/g)].at(-1)?.[1]

/** A message as the simulator would write it: its text, then its buttons and the code. */
function textOf(message: Message): string {
  const labels = labelsOf(message)
  const text = message.text ?? ''
  if (labels.length === 0) return text
  const controls = labels.map((label) => `[${label}]`).join(' ')
  return labels.some((label) => label.includes('#')) ? `${text}\n${controls}` : `${text}\n${controls}  #${codeOf(message) ?? ''}`
}

function mediaOf(form: 'voice' | 'caption' | 'sticker', text: string): Readonly<Record<string, unknown>> {
  const file = { file_id: 'AgAC', file_unique_id: 'AQAD', file_size: 1 }
  switch (form) {
    case 'voice':
      return { voice: { ...file, duration: 2, mime_type: 'audio/ogg' } }
    case 'sticker':
      return {
        sticker: {
          ...file,
          width: 512,
          height: 512,
          type: 'regular',
          is_animated: false,
          is_video: false,
          ...(text === '' ? {} : { emoji: text }),
        },
      }
    case 'caption':
      return { photo: [{ ...file, width: 90, height: 90 }], caption: text }
  }
}
