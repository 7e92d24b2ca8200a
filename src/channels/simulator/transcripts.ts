import type { Conversation } from '../../core/conversation.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Author, ChatEvent, Content, Entry, Place } from '../../ports/simulation.ts'

/** The simulated provider's memory: what stands in each chat, numbered per chat and stamped by the given clock. */
export class Transcripts {
  readonly #account: string
  readonly #clock: Clock
  readonly #entries: Entry[] = []
  readonly #orders = new Map<string, number>()
  readonly #listeners = new Set<(event: ChatEvent) => void>()
  #stamped: Promise<number> = Promise.resolve(0)

  constructor(account: string, clock: Clock) {
    this.#account = account
    this.#clock = clock
  }

  /** The clock is asked once at a time, so that what is done first is stamped and numbered first. */
  now(): Promise<number> {
    const ask = () => this.#clock.now()
    this.#stamped = this.#stamped.then(ask, ask)
    return this.#stamped
  }

  async append(place: Place, by: Author, content: Content, replyTo?: string): Promise<Entry> {
    return this.put(await this.now(), place, by, content, replyTo)
  }

  put(atMs: number, place: Place, by: Author, content: Content, replyTo?: string): Entry {
    const conversation = this.conversation(place)
    // A chat's numbers begin at the second of its first message, so a provider that is made again never repeats or goes back.
    const order = (this.#orders.get(conversation.chat) ?? Math.floor(atMs / 1000)) + 1
    this.#orders.set(conversation.chat, order)
    const entry: Entry = {
      id: `${conversation.chat}/${order}`,
      conversation,
      order,
      atMs,
      by,
      content,
      ...(replyTo === undefined ? {} : { replyTo }),
      edited: false,
      reactions: {},
    }
    this.#entries.push(entry)
    this.tell({ kind: 'message', conversation, entry })
    return entry
  }

  replace(entry: Entry): Entry {
    const at = this.#entries.findIndex(({ id }) => id === entry.id)
    this.#entries[at] = entry
    this.tell({ kind: 'edit', conversation: entry.conversation, entry })
    return entry
  }

  conversation(place: Place): Conversation {
    const { chat, topic } = typeof place === 'string' ? { chat: place } : place
    return { account: this.#account, chat, ...(topic === undefined ? {} : { topic }) }
  }

  of(place: Place): readonly Entry[] {
    const { chat, topic } = this.conversation(place)
    return this.#entries.filter(({ conversation }) => conversation.chat === chat && conversation.topic === topic)
  }

  find(place: Place, messageId: string): Entry | undefined {
    return this.of(place).find(({ id }) => id === messageId)
  }

  remove(place: Place, messageId: string): void {
    const entry = this.find(place, messageId)
    if (entry === undefined) return
    this.#entries.splice(this.#entries.indexOf(entry), 1)
    this.tell({ kind: 'deleted', conversation: entry.conversation, messageId })
  }

  on(listener: (event: ChatEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  tell(event: ChatEvent): void {
    for (const listener of this.#listeners) listener(event)
  }
}
