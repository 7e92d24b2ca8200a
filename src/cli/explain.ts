import type { Config } from '../config/config.ts'
import type { Conversation } from '../core/conversation.ts'
import { typedFor } from '../core/gesture.ts'
import { noPast, type Past } from '../core/past.ts'
import { type Asker, type PolicyAnswer, policyOf, type Spoken, spokenOn } from '../core/policy.ts'
import { type Approvers, asksTwo, type Reversibility } from '../core/proposal.ts'
import { type Weight, weightFor } from '../core/reversibility.ts'
import { type Choosing, type Colleague, chosenBy, named } from '../core/whom.ts'
import { askingQueryOf } from '../gateway/around.ts'
import type { Action } from '../ports/action.ts'
import { colleagueOf } from '../ports/people.ts'
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
  readonly severity?: 'high'
  /** What a yes takes to be typed. */
  readonly typeToConfirm?: string
  readonly spoken: readonly Spoken[]
  readonly answer: PolicyAnswer
  /** How many proposals of theirs limits have counted; undefined where there is no database to ask. */
  readonly counted?: number
  /** Who could approve it, by name; for the requester themselves nobody is listed. */
  readonly holders: readonly string[]
  /** Why a function chose nobody. */
  readonly failed?: string
  readonly shownIn: readonly Conversation[]
}

/** Who asks, what they asked for before, and who has which role: of the store or, before there is one, of the configuration. */
export interface Known {
  person(
    as: string,
  ): Promise<{ readonly id: string; readonly roles: readonly string[]; readonly formerly: readonly string[] } | undefined>
  past(question: Question, person: string): Promise<{ readonly past: Past; readonly counted?: number }>
  people(): Promise<readonly Colleague[]>
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
  const weight = weightOf(action, args)
  const { reversibility } = weight
  const answer = policyOf(config.policies, { ...action, reversibility }, args, { asker, past })
  const people = await known.people()
  const asked = answer.kind === 'confirm' ? answer.approvers : ({ kind: 'requester' } as const)
  const { holders, failed } = holdersOf(config, asked, args, asker, people)
  const roles = asked.kind === 'role' ? [asked.role] : holders.flatMap((holder) => holder.roles)
  return {
    action: action.name,
    args,
    asker: { person: person.id, roles: person.roles, account },
    spoken: spokenOn(config.policies, { ...action, reversibility }, args, { asker, past }),
    ...weight,
    ...typedFor(action.typeToConfirm, weight, asked),
    answer,
    ...(counted === undefined ? {} : { counted }),
    holders: holders.map(({ id }) => id).filter((id) => !(asksTwo(asked) && id === person.id)),
    ...(failed === undefined ? {} : { failed }),
    shownIn: config.roleChats.filter(({ role }) => roles.includes(role)).map(({ conversation }) => conversation),
  }
}

/** Who could decide: everybody with the role, or whom the function chooses, or why it chooses nobody. */
function holdersOf(
  { policies, actions }: Config,
  asked: Approvers,
  args: unknown,
  asker: Asker,
  people: readonly Colleague[],
): { readonly holders: readonly Colleague[]; readonly failed?: string } {
  if (asked.kind === 'requester') return { holders: [] }
  if (asked.kind === 'role') return { holders: people.filter(({ roles }) => roles.includes(asked.role)) }
  const placed = [
    ...policies.rules.map(({ approvers }, index) => ({ approvers, place: `policies.${index}` })),
    ...actions.map(({ name, approvers }) => ({ approvers, place: `actions.${name}` })),
  ]
  const choosing = placed
    .flatMap(({ approvers, place }): readonly Required<Choosing>[] =>
      approvers?.kind === 'function' ? [named(approvers, place)] : [],
    )
    .find(({ name, version }) => name === asked.name && version === asked.version)
  try {
    return { holders: choosing === undefined ? [] : chosenBy(choosing.choose, args, asker, people) }
  } catch (cause) {
    return { holders: [], failed: cause instanceof Error ? cause.message : String(cause) }
  }
}

function weightOf(action: Action, args: unknown): Weight {
  try {
    return weightFor(action, args)
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
    people: async () => (await operations.people()).map(colleagueOf),
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
    people: async () => people,
  }
}
