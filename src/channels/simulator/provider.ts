import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Card } from '../../core/card.ts'
import type { Conversation } from '../../core/conversation.ts'
import { ChannelError } from '../../core/errors.ts'
import { chatNameOf } from '../../core/identity.ts'
import type { Clock } from '../../ports/clock.ts'
import type {
  Answering,
  Author,
  ChatEvent,
  Content,
  Entry,
  Place,
  Pressed,
  SimulatedFault,
  Simulation,
} from '../../ports/simulation.ts'
import { Delivery } from './delivery.ts'
import type { Update } from './payload.ts'
import { controlsOf, standing } from './render.ts'
import { aboutOf, Reports } from './reports.ts'
import { Transcripts } from './transcripts.ts'

/** What the provider is told at its making. `groups` are the chats that are groups; `names` are people's display names by their id. */
export interface ProviderOptions {
  readonly account: string
  readonly clock: Clock
  readonly groups: readonly string[]
  readonly names: Readonly<Record<string, string>>
  /** Of people who have several: what the provider calls them now, by their name here. It may change while it runs. */
  readonly ids: Readonly<Record<string, readonly [string, ...string[]]>>
  readonly againAfterMs: number
  /** Does it tell what became of a message? Then it also tells when a tap was made, and of other tools' messages nothing else. */
  readonly reports: boolean
}

type Numbered = 'from' | 'message' | 'order' | 'update' | 'at' | 'chat'

/** A provider that lives in memory: it keeps what stands in its chats, delivers what people do, and takes what the account sends. */
export class Provider implements Simulation {
  readonly account: string
  readonly delivery: Delivery
  readonly #chats: Transcripts
  readonly #groups: ReadonlySet<string>
  readonly #names: Readonly<Record<string, string>>
  readonly #ids: ProviderOptions['ids']
  readonly #done: Update[] = []
  readonly #presses = new Map<string, { readonly person: string; readonly entry: Entry }>()
  readonly #faults: SimulatedFault[] = []
  readonly #reports: Reports | undefined

  constructor({ account, clock, groups, names, ids, againAfterMs, reports }: ProviderOptions) {
    this.account = account
    this.#chats = new Transcripts(account, clock)
    this.#groups = new Set(groups)
    this.#names = names
    this.#ids = ids
    this.delivery = new Delivery(againAfterMs)
    this.#reports = reports ? new Reports((report) => void this.delivery.push(this.#named(report))) : undefined
  }

  async says(place: Place, person: string, text: string, answering?: Answering): Promise<Entry> {
    const entry = await this.#chats.append(place, this.#personOf(person), { kind: 'text', text }, replyToOf(answering))
    await this.#deliver({ ...this.#numbered(entry, person), kind: 'text', text, ...replyOf(answering) })
    return entry
  }

  async sends(
    place: Place,
    person: string,
    form: Parameters<Simulation['sends']>[2],
    text?: string,
    answering?: Answering,
  ): Promise<Entry> {
    return await this.#sendOther(place, person, { kind: 'other', form, ...(text === undefined ? {} : { text }) }, answering)
  }

  async forwards(place: Place, person: string, text: string): Promise<Entry> {
    return await this.#sendOther(place, person, { kind: 'other', form: 'forwarded', text })
  }

  async edits(place: Place, person: string, messageId: string, text: string): Promise<Entry | undefined> {
    const at = await this.#chats.now()
    const entry = this.#chats.find(place, messageId)
    if (entry?.by.kind !== 'person' || entry.by.person !== person || entry.content.kind !== 'text') return undefined
    const edited = this.#chats.replace({ ...entry, content: { kind: 'text', text }, edited: true })
    await this.#deliver({ ...this.#hand(entry.conversation, person, at), kind: 'edit', message: messageId, text })
    return edited
  }

  async reacts(place: Place, person: string, messageId: string, emoji: string): Promise<Entry | undefined> {
    const at = await this.#chats.now()
    const entry = this.#chats.find(place, messageId)
    if (entry === undefined) return undefined
    const reacted = this.#chats.replace({ ...entry, reactions: { ...entry.reactions, [person]: emoji } })
    await this.#deliver({ ...this.#hand(entry.conversation, person, at), kind: 'reaction', message: messageId, emoji })
    return reacted
  }

  async presses(place: Place, person: string, messageId: string, label: string): Promise<Pressed> {
    const at = await this.#chats.now()
    const entry = this.#chats.find(place, messageId)
    const controls = entry?.by.kind === 'account' ? controlsOf(entry.content) : []
    const meant = controls.filter((control) => control.label === label || `${control.label} #${control.code}` === label)
    const [control] = meant
    if (entry === undefined || control === undefined || meant.length > 1)
      return { kind: 'no_control', labels: controls.map((one) => `${one.label} #${one.code}`) }
    return await this.#press(entry, person, at, control.payload)
  }

  async withdraws(place: Place, person: string, messageId: string): Promise<Pressed> {
    const at = await this.#chats.now()
    const entry = this.#chats.find(place, messageId)
    const cancel =
      entry?.content.kind === 'card' ? entry.content.card.controls.find(({ style }) => style === 'danger') : undefined
    if (entry === undefined || cancel === undefined) return { kind: 'no_control', labels: [] }
    return await this.#press(entry, person, at, cancel.payload, { poll: true, withdrawn: true })
  }

  async turns(place: Place, phones: 'off' | 'on'): Promise<void> {
    this.#reports?.turn(this.#chats.conversation(place).chat, phones, await this.#chats.now())
  }

  async ownerSays(place: Place, text: string, by: 'owner' | 'tool' = 'owner'): Promise<Entry> {
    const entry = await this.#chats.append(place, { kind: by }, { kind: 'text', text })
    if (by === 'tool' && this.#reports !== undefined) this.#reports.taken(this.#about(entry), entry.atMs)
    else {
      const { from: _nobody, ...numbered } = this.#numbered(entry, by)
      await this.#deliver({ ...numbered, kind: 'said', by, text })
    }
    return entry
  }

  async redelivers(place: Place): Promise<void> {
    const { chat, topic } = this.#chats.conversation(place)
    const again = this.#done.filter((update) => update.chat.id === chat && update.chat.topic === topic)
    await Promise.all(again.map((update) => this.delivery.push(update)))
  }

  deletes(place: Place, messageId: string): void {
    this.#chats.remove(place, messageId)
  }

  fails(fault: SimulatedFault): void {
    this.#faults.push(fault)
  }

  transcript(place: Place): readonly Entry[] {
    return this.#chats.of(place)
  }

  on(listener: (event: ChatEvent) => void): () => void {
    return this.#chats.on(listener)
  }

  /** The chat that is meant by one of its person's ids, newest first, else by its own name; nobody's when none of the ids is anybody's. */
  placeOf(to: Conversation, addresses: readonly string[]): Conversation | undefined {
    const meant =
      addresses.length > 0
        ? addresses
        : Object.values(this.#ids)
            .flat()
            .filter((id) => chatNameOf(id) === to.chat)
    const person = meant.flatMap((id) => Object.keys(this.#ids).filter((name) => this.#ids[name]?.includes(id))).at(0)
    if (person === undefined) return addresses.length > 0 ? undefined : to
    return { account: to.account, chat: person }
  }

  /** Takes the parts of a message of the account's and puts them into the chat, unless a fault comes first. */
  async accept(conversation: Conversation, parts: readonly Content[], ref?: string): Promise<readonly Entry[]> {
    const fault = this.#meet()
    const atMs = await this.#chats.now()
    const entries = parts.map((part) => this.#chats.put(atMs, conversation, { kind: 'account' }, part))
    for (const entry of entries) {
      const isLast = entry === entries.at(-1)
      const about = this.#about(entry, isLast && ref !== undefined ? { ref } : {})
      if (fault?.kind !== 'fail_later' || !isLast) this.#reports?.taken(about, atMs)
      else {
        const { code, final } = fault
        this.#reports?.failed({ ...about, code, ...(final === undefined ? {} : { final }) }, atMs)
      }
    }
    if (fault?.kind === 'lose_answer') throw lost()
    return entries
  }

  /** Replaces a card of the account's by what it is now; undefined when no such message stands there. */
  replaceCard(conversation: Conversation, messageId: string, card: Card): Entry | undefined {
    const fault = this.#meet()
    const entry = this.#chats.find(conversation, messageId)
    if (entry?.by.kind !== 'account' || (entry.content.kind !== 'card' && entry.content.kind !== 'list')) return undefined
    const content: Content =
      entry.content.kind === 'card'
        ? { kind: 'card', card: standing(card) }
        : { ...entry.content, cards: entry.content.cards.map((one) => (one.code === card.code ? card : one)) }
    const now = isDeepStrictEqual(content, entry.content) ? entry : this.#chats.replace({ ...entry, content, edited: true })
    if (fault?.kind === 'lose_answer') throw lost()
    return now
  }

  /** Shows the answer to a tap, once; later answers, and those to taps that it does not know, show nothing. */
  answer(pressId: string, text: string): void {
    const press = this.#presses.get(pressId)
    if (press === undefined) return
    this.#presses.delete(pressId)
    this.#chats.tell({
      kind: 'answer',
      conversation: press.entry.conversation,
      person: press.person,
      messageId: press.entry.id,
      text,
    })
  }

  type(conversation: Conversation): void {
    this.#chats.tell({ kind: 'typing', conversation })
  }

  /** Throws when the next sending is to be refused; else what it meets later, if anything. */
  #meet(): Exclude<SimulatedFault, { kind: 'refuse' }> | undefined {
    const fault = this.#faults.shift()
    if (fault?.kind !== 'refuse') return fault
    const { code, permanent, retryAfterMs } = fault
    throw new ChannelError(`The simulated provider refused the message as ${code}.`, {
      channel: 'simulator',
      code,
      permanent,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    })
  }

  async #sendOther(
    place: Place,
    person: string,
    content: Extract<Content, { kind: 'other' }>,
    answering?: Answering,
  ): Promise<Entry> {
    const entry = await this.#chats.append(place, this.#personOf(person), content, replyToOf(answering))
    await this.#deliver({ ...this.#numbered(entry, person), ...content, ...replyOf(answering) })
    return entry
  }

  async #press(
    entry: Entry,
    person: string,
    at: number,
    payload: string,
    vote: { readonly poll?: true; readonly withdrawn?: true } = {},
  ): Promise<Pressed> {
    const press = `press-${randomUUID()}`
    this.#presses.set(press, { person, entry })
    await this.#deliver({
      ...this.#hand(entry.conversation, person, at),
      kind: 'press',
      press,
      message: entry.id,
      payload,
      ...(this.#reports === undefined ? {} : { timed: true }),
      ...vote,
    })
    return { kind: 'pressed', pressId: press }
  }

  #about(entry: Entry, more: Parameters<typeof aboutOf>[2] = {}): ReturnType<typeof aboutOf> {
    return aboutOf(entry, this.#groups.has(entry.conversation.chat), more)
  }

  #personOf(person: string): Author {
    return { kind: 'person', person, name: this.#names[person] ?? person }
  }

  #hand(conversation: Conversation, person: string, at: number) {
    const { chat, topic } = conversation
    return {
      update: randomUUID(),
      at,
      chat: { id: chat, group: this.#groups.has(chat), ...(topic === undefined ? {} : { topic }) },
      from: { id: person, name: this.#names[person] ?? person },
    } as const
  }

  #numbered(entry: Entry, person: string): Pick<Extract<Update, { kind: 'text' }>, Numbered> {
    return { ...this.#hand(entry.conversation, person, entry.atMs), message: entry.id, order: entry.order }
  }

  /** As the provider calls people when it happens. */
  #named(update: Update): Update {
    const peer = update.chat.group ? undefined : this.#ids[update.chat.id]
    const sender = 'from' in update ? this.#ids[update.from.id] : undefined
    return {
      ...update,
      ...(peer === undefined ? {} : { chat: { ...update.chat, ids: [...peer] } }),
      ...(sender === undefined || !('from' in update) ? {} : { from: { ...update.from, ids: [...sender] } }),
    }
  }

  async #deliver(update: Update): Promise<void> {
    const named = this.#named(update)
    this.#done.push(named)
    await this.delivery.push(named)
  }
}

const lost = () =>
  new ChannelError('The simulated provider took the message, and its answer was lost.', {
    channel: 'simulator',
    code: 'network',
    permanent: false,
    mayHaveHappened: true,
  })

const replyToOf = (answering: Answering | undefined): string | undefined =>
  typeof answering?.reply === 'string' ? answering.reply : undefined

const replyOf = (answering: Answering | undefined): Pick<Extract<Update, { kind: 'text' }>, 'reply'> => {
  if (answering?.reply === undefined) return {}
  return { reply: typeof answering.reply === 'string' ? { message: answering.reply } : answering.reply }
}
