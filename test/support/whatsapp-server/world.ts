import { randomBytes } from 'node:crypto'
import { jidNormalizedUser } from 'baileys'
import type { Addressing, Sending } from './index.ts'
import type { Own } from './own-phone.ts'
import type { Person } from './person.ts'

/** A group: its members are people, and every number of the server. */
export interface GroupOf {
  readonly id: string
  readonly members: readonly Person[]
  readonly addressing: Addressing
}

/** Digits, as a jid of one kind; what is a jid already stays as it is. */
export const jidOf = (id: string, server: 'lid' | 's.whatsapp.net' | 'g.us'): string =>
  id.includes('@') ? id : `${id}@${server}`

/** An id as an Android phone makes them. */
export const newId = (): string => `3A${randomBytes(9).toString('hex').toUpperCase()}`

/** Who and what there is, and what has happened. */
export class World {
  clock: () => number = Date.now
  readonly numbers = new Map<string, Own>()
  readonly people = new Map<string, Person>()
  readonly groups = new Map<string, GroupOf>()
  readonly sendings: Sending[] = []
  readonly problems: Error[] = []
  readonly #watching = new Set<() => void>()
  readonly #acknowledged = new Set<string>()

  /** In the whole seconds in which WhatsApp counts. */
  seconds(at = this.clock()): number {
    return Math.floor(at / 1000)
  }

  /** The number that people write to where they do not say which. */
  numberOf(phone: string | undefined): Own {
    const digits = phone?.replace(/\D/g, '')
    const [first, ...others] = this.numbers.values()
    const asked = digits === undefined ? first : this.numbers.get(digits)
    if (asked === undefined)
      throw new Error(`Nobody has the number ${digits ?? ''}. Make it first: server.number('15550001111').`)
    if (digits === undefined && others.length > 0)
      throw new Error('There are several numbers. Say which one is meant: { to: … }.')
    return asked
  }

  /** Whose id this is, with or without a device in it. */
  whoIs(jid: string): Own | Person | undefined {
    const plain = jidNormalizedUser(jid)
    return [...this.people.values(), ...this.numbers.values()].find((who) => who.lid === plain || who.jid === plain)
  }

  acknowledges(id: string): void {
    this.#acknowledged.add(id)
    this.changed()
  }

  acknowledged(id: string): Promise<void> {
    return this.until(() => this.#acknowledged.has(id))
  }

  fails(cause: unknown, doing: string): void {
    this.problems.push(new Error(`${doing}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause }))
    this.changed()
  }

  /** Something happened; who waits looks again. */
  changed(): void {
    for (const look of this.#watching) look()
  }

  until(isSo: () => boolean): Promise<void> {
    if (isSo()) return Promise.resolve()
    return new Promise((resolve) => {
      const look = () => {
        if (!isSo()) return
        this.#watching.delete(look)
        resolve()
      }
      this.#watching.add(look)
    })
  }
}
