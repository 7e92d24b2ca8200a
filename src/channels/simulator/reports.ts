import { randomUUID } from 'node:crypto'
import type { Entry } from '../../ports/simulation.ts'
import type { Update } from './payload.ts'

type Report = Extract<Update, { kind: 'report' }>
type About = Pick<Report, 'chat' | 'message'> & Partial<Pick<Report, 'ref' | 'code' | 'final'>>

/** What the simulator's provider reports of the messages that it took: sent at once, and delivered once the phones of the chat are on. */
export class Reports {
  readonly #deliver: (report: Report) => void
  readonly #off = new Set<string>()
  #held: readonly About[] = []

  constructor(deliver: (report: Report) => void) {
    this.#deliver = deliver
  }

  taken(about: About, atMs: number): void {
    this.#tell(about, 'sent', atMs)
    if (this.#off.has(about.chat.id)) this.#held = [...this.#held, about]
    else this.#tell(about, 'delivered', atMs)
  }

  failed(about: About, atMs: number): void {
    this.#tell(about, 'failed', atMs)
  }

  turn(chat: string, phones: 'off' | 'on', atMs: number): void {
    if (phones === 'off') return void this.#off.add(chat)
    this.#off.delete(chat)
    for (const about of this.#held.filter((held) => held.chat.id === chat)) this.#tell(about, 'delivered', atMs)
    this.#held = this.#held.filter((held) => held.chat.id !== chat)
  }

  #tell(about: About, status: Report['status'], at: number): void {
    this.#deliver({ kind: 'report', update: randomUUID(), at, status, ...about })
  }
}

/** What a report on an entry is about; `group`: is its chat one? */
export const aboutOf = (
  { id, conversation: { chat, topic } }: Entry,
  group: boolean,
  more: Omit<About, 'chat' | 'message'> = {},
): About => ({ message: id, chat: { id: chat, group, ...(topic === undefined ? {} : { topic }) }, ...more })
