import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Card } from '../../core/card.ts'
import type { Conversation } from '../../core/conversation.ts'
import { ChannelError } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Answering, Author, ChatEvent, Content, Entry, Place, Pressed, SimulatedFault, Simulation } from '../../ports/simulation.ts'
import { Delivery } from './delivery.ts'
import type { Update } from './payload.ts'
import { controlsOf, standing } from './render.ts'

/** What the provider is told at its making. `groups` are the chats that are groups; `names` are people's display names by their id. */
export interface ProviderOptions {
  readonly account: string
  readonly clock: Clock
  readonly groups: readonly string[]
  readonly names: Readonly<Record<string, string>>
  readonly againAfterMs: number
}

type Numbered = 'from' | 'message' | 'order' | 'update' | 'at' | 'chat'

/** A provider that lives in memory: it numbers messages per chat, stamps them, keeps what stands, and delivers what people do. */
export class Provider implements Simulation {
  readonly account: string
  readonly delivery: Delivery
  readonly #clock: Clock
  readonly #groups: ReadonlySet<string>
  readonly #names: Readonly<Record<string, string>>
  readonly #entries: Entry[] = []
  readonly #done: Update[] = []
  readonly #orders = new Map<string, number>()
  readonly #presses = new Map<string, { readonly person: string; readonly entry: Entry }>()
  readonly #faults: SimulatedFault[] = []
  readonly #listeners = new Set<(event: ChatEvent) => void>()
  #stamped: Promise<number> = Promise.resolve(0)

  constructor({ account, clock, groups, names, againAfterMs }: ProviderOptions) {
    this.account = account
    this.#clock = clock
    this.#groups = new Set(groups)
    this.#names = names
    this.delivery = new Delivery(againAfterMs)
  }

  async says(place: Place, person: string, text: string, answering?: Answering): Promise<Entry> {
    const entry = await this.#append(place, this.#personOf(person), { kind: 'text', text }, replyToOf(answering))
    await this.#deliver({ ...this.#numbered(entry, person), kind: 'text', text, ...replyOf(answering) })
    return entry
  }

  async sends(place: Place, person: string, form: Parameters<Simulation['sends']>[2], text?: string, answering?: Answering): Promise<Entry> {
    return await this.#sendOther(place, person, { kind: 'other', form, ...(text === undefined ? {} : { text }) }, answering)
  }

  async forwards(place: Place, person: string, text: string): Promise<Entry> {
    return await this.#sendOther(place, person, { kind: 'other', form: 'forwarded', text })
  }

  async edits(place: Place, person: string, messageId: string, text: string): Promise<Entry | undefined> {
    const at = await this.#now()
    const entry = this.#find(this.#conversation(place), messageId)
    if (entry?.by.kind !== 'person' || entry.by.person !== person || entry.content.kind !== 'text') return undefined
    const edited = this.#replace({ ...entry, content: { kind: 'text', text }, edited: true })
    await this.#deliver({ ...this.#hand(entry.conversation, person, at), kind: 'edit', message: messageId, text })
    return edited
  }

  async reacts(place: Place, person: string, messageId: string, emoji: string): Promise<Entry | undefined> {
    const at = await this.#now()
    const entry = this.#find(this.#conversation(place), messageId)
    if (entry === undefined) return undefined
    const reacted = this.#replace({ ...entry, reactions: { ...entry.reactions, [person]: emoji } })
    await this.#deliver({ ...this.#hand(entry.conversation, person, at), kind: 'reaction', message: messageId, emoji })
    return reacted
  }

  async presses(place: Place, person: string, messageId: string, label: string): Promise<Pressed> {
    const at = await this.#now()
    const entry = this.#find(this.#conversation(place), messageId)
    const controls = entry?.by.kind === 'account' ? controlsOf(entry.content) : []
    const meant = controls.filter((control) => control.label === label || `${control.label} #${control.code}` === label)
    const [control] = meant
    if (entry === undefined || control === undefined || meant.length > 1) return { kind: 'no_control', labels: controls.map((one) => `${one.label} #${one.code}`) }
    const press = `press-${randomUUID()}`
    this.#presses.set(press, { person, entry })
    await this.#deliver({ ...this.#hand(entry.conversation, person, at), kind: 'press', press, message: messageId, payload: control.payload })
    return { kind: 'pressed', pressId: press }
  }

  async ownerSays(place: Place, text: string, by: 'owner' | 'tool' = 'owner'): Promise<Entry> {
    const entry = await this.#append(place, { kind: by }, { kind: 'text', text })
    const { from: _nobody, ...numbered } = this.#numbered(entry, by)
    await this.#deliver({ ...numbered, kind: 'said', by, text })
    return entry
  }

  async redelivers(place: Place): Promise<void> {
    const { chat, topic } = this.#conversation(place)
    const again = this.#done.filter((update) => update.chat.id === chat && update.chat.topic === topic)
    await Promise.all(again.map((update) => this.delivery.push(update)))
  }

  deletes(place: Place, messageId: string): void {
    const entry = this.#find(this.#conversation(place), messageId)
    if (entry === undefined) return
    this.#entries.splice(this.#entries.indexOf(entry), 1)
    this.#tell({ kind: 'deleted', conversation: entry.conversation, messageId })
  }

  fails(fault: SimulatedFault): void {
    this.#faults.push(fault)
  }

  transcript(place: Place): readonly Entry[] {
    const { chat, topic } = this.#conversation(place)
    return this.#entries.filter(({ conversation }) => conversation.chat === chat && conversation.topic === topic)
  }

  on(listener: (event: ChatEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Takes the parts of a message of the account's and puts them into the chat, unless a fault comes first. */
  async accept(conversation: Conversation, parts: readonly Content[]): Promise<readonly Entry[]> {
    const answerIsLost = this.#meet()
    const atMs = await this.#now()
    const entries = parts.map((part) => this.#put(atMs, conversation, { kind: 'account' }, part))
    if (answerIsLost) throw lost()
    return entries
  }

  /** Replaces a card of the account's by what it is now; undefined when no such message stands there. */
  replaceCard(conversation: Conversation, messageId: string, card: Card): Entry | undefined {
    const answerIsLost = this.#meet()
    const entry = this.#find(conversation, messageId)
    if (entry?.by.kind !== 'account' || (entry.content.kind !== 'card' && entry.content.kind !== 'list')) return undefined
    const content: Content =
      entry.content.kind === 'card'
        ? { kind: 'card', card: standing(card) }
        : { ...entry.content, cards: entry.content.cards.map((one) => (one.code === card.code ? card : one)) }
    const now = isDeepStrictEqual(content, entry.content) ? entry : this.#replace({ ...entry, content, edited: true })
    if (answerIsLost) throw lost()
    return now
  }

  /** Shows the answer to a tap, once; later answers, and those to taps that it does not know, show nothing. */
  answer(pressId: string, text: string): void {
    const press = this.#presses.get(pressId)
    if (press === undefined) return
    this.#presses.delete(pressId)
    this.#tell({ kind: 'answer', conversation: press.entry.conversation, person: press.person, messageId: press.entry.id, text })
  }

  type(conversation: Conversation): void {
    this.#tell({ kind: 'typing', conversation })
  }

  /** Throws when the next sending is to be refused; true when its answer is to be lost. */
  #meet(): boolean {
    const fault = this.#faults.shift()
    if (fault?.kind !== 'refuse') return fault !== undefined
    const { code, permanent, retryAfterMs } = fault
    throw new ChannelError(`The simulated provider refused the message as ${code}.`, {
      channel: 'simulator',
      code,
      permanent,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    })
  }

  async #sendOther(place: Place, person: string, content: Extract<Content, { kind: 'other' }>, answering?: Answering): Promise<Entry> {
    const entry = await this.#append(place, this.#personOf(person), content, replyToOf(answering))
    await this.#deliver({ ...this.#numbered(entry, person), ...content, ...replyOf(answering) })
    return entry
  }

  /** The clock is asked once at a time, so that what is done first is stamped and numbered first. */
  #now(): Promise<number> {
    const ask = () => this.#clock.now()
    this.#stamped = this.#stamped.then(ask, ask)
    return this.#stamped
  }

  async #append(place: Place, by: Author, content: Content, replyTo?: string): Promise<Entry> {
    return this.#put(await this.#now(), place, by, content, replyTo)
  }

  #put(atMs: number, place: Place, by: Author, content: Content, replyTo?: string): Entry {
    const conversation = this.#conversation(place)
    // A chat's numbers begin at the second of its first message, so a provider that is made again never repeats or goes back.
    const order = (this.#orders.get(conversation.chat) ?? Math.floor(atMs / 1000)) + 1
    this.#orders.set(conversation.chat, order)
    const entry: Entry = { id: `${conversation.chat}/${order}`, conversation, order, atMs, by, content, ...(replyTo === undefined ? {} : { replyTo }), edited: false, reactions: {} }
    this.#entries.push(entry)
    this.#tell({ kind: 'message', conversation, entry })
    return entry
  }

  #replace(entry: Entry): Entry {
    const at = this.#entries.findIndex(({ id }) => id === entry.id)
    this.#entries[at] = entry
    this.#tell({ kind: 'edit', conversation: entry.conversation, entry })
    return entry
  }

  #find({ chat, topic }: Conversation, messageId: string): Entry | undefined {
    return this.#entries.find(({ id, conversation }) => id === messageId && conversation.chat === chat && conversation.topic === topic)
  }

  #conversation(place: Place): Conversation {
    const { chat, topic } = typeof place === 'string' ? { chat: place } : place
    return { account: this.account, chat, ...(topic === undefined ? {} : { topic }) }
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

  async #deliver(update: Update): Promise<void> {
    this.#done.push(update)
    await this.delivery.push(update)
  }

  #tell(event: ChatEvent): void {
    for (const listener of this.#listeners) listener(event)
  }
}

const lost = () =>
  new ChannelError('The simulated provider took the message, and its answer was lost.', { channel: 'simulator', code: 'network', permanent: false, mayHaveHappened: true })

const replyToOf = (answering: Answering | undefined): string | undefined => (typeof answering?.reply === 'string' ? answering.reply : undefined)

const replyOf = (answering: Answering | undefined): Pick<Extract<Update, { kind: 'text' }>, 'reply'> => {
  if (answering?.reply === undefined) return {}
  return { reply: typeof answering.reply === 'string' ? { message: answering.reply } : answering.reply }
}
