import { hash } from 'node:crypto'
import type { Asker } from './policy.ts'
import type { Approvers } from './proposal.ts'

/** Somebody whom the house knows, as a function that chooses sees them, with the roles that hold right now. */
export interface Colleague {
  readonly id: string
  readonly name?: string
  readonly roles: readonly string[]
}

/**
 * Names who may decide, by their ids in `people`: asked anew when it is proposed, decided and claimed, so it is pure and at once. Whom
 * it does not find among `people` it cannot choose; nobody, somebody unknown, or an error means that nobody may.
 */
export type Choose = { choose(args: unknown, asker: Asker, people: readonly Colleague[]): string | readonly string[] }['choose']

/** Approvers that a function of the configuration chooses. */
export interface Choosing {
  readonly kind: 'function'
  /** What a proposal calls it by. Default where it stands: `actions.pay`, `policies.3`. */
  readonly name?: string
  /** Change it with every change of meaning: cards of another version can no longer be answered. Default a hash of its source. */
  readonly version?: string
  /** Two different persons of those, never the requester. */
  readonly second?: boolean
  readonly choose: Choose
}

/** With `over`: whoever has the lowest limit above the asker's own that covers the sum; `above` every limit, this role. */
export interface ByLimit {
  readonly kind: 'limit'
  readonly above?: string
  readonly second?: boolean
}

/** Whom to ask, as a configuration says it. */
export type Whom = Exclude<Approvers, { readonly kind: 'function' }> | Choosing

/** Asks a role beside everybody else, once a shown card has waited for so long (milliseconds) without a decision. */
export interface Escalation {
  readonly afterMs: number
  readonly to: string
}

/** A function with what proposals call it by: `place` where the configuration gives no name. */
export const named = ({ choose, ...choosing }: Choosing, place: string): Required<Choosing> => ({
  kind: 'function',
  name: choosing.name ?? place,
  version: choosing.version ?? hash('sha256', String(choose)).slice(0, 16),
  second: choosing.second ?? false,
  choose,
})

/** What of it a proposal keeps: everything but the function itself. */
export function frozenWhom(whom: Whom, place: string): Approvers {
  if (whom.kind !== 'function') return whom
  const { choose: _function, ...frozen } = named(whom, place)
  return frozen
}

/** Asks a function among whom it may choose. Throws where what it answers is no choice. */
export function chosenBy(choose: Choose, args: unknown, asker: Asker, people: readonly Colleague[]): readonly Colleague[] {
  const answer: unknown = choose(args, asker, people)
  const ids: readonly unknown[] = Array.isArray(answer) ? answer : [answer]
  if (ids.length === 0) throw new TypeError('it chose nobody')
  const strangers = ids.filter((id) => !people.some((person) => person.id === id)).length
  if (strangers > 0) throw new TypeError(`it chose ${strangers} whom nobody knows`)
  return people.filter(({ id }) => ids.includes(id))
}
