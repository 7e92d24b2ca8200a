import type { Config } from '../config/config.ts'
import type { Conversation } from '../core/conversation.ts'
import { noPast, type Past } from '../core/past.ts'
import { type Asker, type PolicyAnswer, policyOf, type Spoken, spokenOn } from '../core/policy.ts'
import type { Reversibility } from '../core/proposal.ts'
import { reversibilityFor } from '../core/reversibility.ts'
import { askingQueryOf } from '../gateway/around.ts'
import type { Action } from '../ports/action.ts'
import type { Operations } from './operations.ts'
import { Failure } from './verb.ts'

/** The call that is to be explained: `args` as the schema made them. */
export interface Question {
  readonly action: Action
  readonly args: unknown
  readonly as: string
  readonly account: string
}

/** What the rules say to one call, and what would come of it. */
export interface Explained {
  readonly action: string
  readonly args: unknown
  readonly asker: { readonly person: string; readonly roles: readonly string[]; readonly account: string }
  readonly reversibility: Reversibility
  readonly spoken: readonly Spoken[]
  readonly answer: PolicyAnswer
  /** How many proposals of theirs limits have counted; undefined where there is no database to ask. */
  readonly counted?: number
  /** Who could approve it, by name; for the requester themselves nobody is listed. */
  readonly holders: readonly string[]
  readonly shownIn: readonly Conversation[]
}

/** Who asks, what they asked for before, and who has which role: of the store or, before there is one, of the configuration. */
export interface Known {
  person(
    as: string,
  ): Promise<{ readonly id: string; readonly roles: readonly string[]; readonly formerly: readonly string[] } | undefined>
  past(question: Question, person: string): Promise<{ readonly past: Past; readonly counted?: number }>
  holders(role: string): Promise<readonly string[]>
}

/** Applies the rules as a proposal would, and writes nothing. Throws `Failure` for somebody who is not there. */
export async function explain(config: Config, question: Question, known: Known): Promise<Explained> {
  const { action, args, as, account } = question
  const person = await known.person(as)
  if (person === undefined)
    throw new Failure(
      `There is nobody ${as}. Name somebody of dale people list, or an account like tg:42000001 for anybody else.`,
    )
  const { past, counted } = await known.past(question, person.id)
  const asker: Asker = { account, person, roles: person.roles }
  const reversibility = weightOf(action, args)
  const answer = policyOf(config.policies, { ...action, reversibility }, args, { asker, past })
  const role = answer.kind === 'confirm' && answer.approvers.kind === 'role' ? answer.approvers : undefined
  const holders = role === undefined ? [] : await known.holders(role.role)
  return {
    action: action.name,
    args,
    asker: { person: person.id, roles: person.roles, account },
    spoken: spokenOn(config.policies, { ...action, reversibility }, args, { asker, past }),
    reversibility,
    answer,
    ...(counted === undefined ? {} : { counted }),
    holders: holders.filter((id) => !(role?.second === true && id === person.id)),
    shownIn: config.roleChats.filter((chat) => chat.role === role?.role).map(({ conversation }) => conversation),
  }
}

function weightOf(action: Action, args: unknown): Reversibility {
  try {
    return reversibilityFor(action, args)
  } catch (cause) {
    throw new Failure(`How hard this is to undo cannot be told, so a proposal would be refused: ${String(cause)}`, { cause })
  }
}

/** An account of nobody's: whoever writes from it is a person of their own. */
const isIdentity = (as: string): boolean => /^[a-z]+:\S+$/.test(as)

/** By the database, as it stands now. */
export function knownByStore(config: Config, operations: Operations): Known {
  return {
    async person(as) {
      const id = isIdentity(as) ? await operations.personOf(as) : as
      const found = (await operations.people()).find((one) => one.id === id)
      if (found === undefined && !isIdentity(as)) return undefined
      const roles = (found?.roles ?? []).filter(({ taken }) => taken === undefined).map(({ value }) => value)
      return { id, roles, formerly: [] }
    },
    async past({ action }, person) {
      const query = askingQueryOf(config.policies, action.name, person)
      if (query === undefined) return { past: noPast, counted: 0 }
      const { nowMs, counted, done } = await operations.askingPast(query)
      return {
        past: {
          nowMs,
          counted: counted.map(({ action: name, canonicalArgs, doneAtMs }) => ({
            action: name,
            args: JSON.parse(canonicalArgs),
            ...(doneAtMs === undefined ? {} : { doneAtMs }),
          })),
          done: done.map((one): unknown => JSON.parse(one)),
        },
        counted: counted.length,
      }
    },
    async holders(role) {
      const all = await operations.people()
      return all
        .filter(({ roles }) => roles.some(({ value, taken }) => value === role && taken === undefined))
        .map(({ id }) => id)
    },
  }
}

/** By the configuration alone, before Dale has run: nobody asked for anything yet. */
export function knownByConfiguration({ people }: Config): Known {
  return {
    async person(as) {
      const found = people.find(({ id, identities }) => id === as || identities.includes(as))
      if (found === undefined) return isIdentity(as) ? { id: as, roles: [], formerly: [] } : undefined
      return { id: found.id, roles: found.roles, formerly: [] }
    },
    past: async () => ({ past: noPast }),
    holders: async (role) => people.filter(({ roles }) => roles.includes(role)).map(({ id }) => id),
  }
}
