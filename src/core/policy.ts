import { isSamePerson, type Person } from './authority.ts'
import type { AskReason } from './card.ts'
import { isOver, type Over, roleAbove } from './over.ts'
import { noPast, type Past } from './past.ts'
import { type Approvers, asksTwo, type Reversibility } from './proposal.ts'
import { type Finding, findingOf, type Mark, type Unusual } from './unusual.ts'
import { type ByLimit, type Escalation, frozenWhom, type Whom } from './whom.ts'

/** Who asks and through which account, as rules see it. Without a person it came over the API. */
export interface Asker {
  readonly account: string
  readonly person?: Person
  /** The roles of that person right now. */
  readonly roles: readonly string[]
}

/** A condition in the configuration's own code: pure, at once, true or false. */
export type Judge = { judge(args: unknown, asker: Asker): boolean }['judge']

/** For which calls a rule speaks: all that it names must fit. */
interface Aim {
  /** An action's name, several, or `*` for all of them. */
  readonly action: string | readonly string[]
  /** Only for what is asked for through these accounts. */
  readonly accounts?: readonly string[]
  /** Only for these persons. */
  readonly people?: readonly string[]
  /** Only for those who have one of these roles. */
  readonly roles?: readonly string[]
}

interface Denying extends Aim {
  readonly when?: Judge | Over | Unusual
  readonly then: 'deny'
  readonly reason: AskReason
  readonly approvers?: undefined
  readonly escalate?: undefined
}

interface Asking extends Aim {
  readonly when?: Judge | Over | Unusual
  readonly then: 'confirm'
  /** Whom to ask. Left out, whom the action or another rule says. */
  readonly approvers?: Whom | ByLimit
  /** Whom to ask too when nobody decides. Left out, whom another rule or the action says. */
  readonly escalate?: Escalation
  readonly reason: AskReason
}

interface Allowing extends Aim {
  readonly when?: Judge
  readonly then: 'allow'
  readonly reason?: undefined
  readonly approvers?: undefined
  readonly escalate?: undefined
}

/**
 * One rule of the configuration. `deny`: it is not done, and nobody is asked. `confirm`: it is asked for with this reason, of these
 * approvers. `allow`: what `confirm` rules further down would ask is left out; the card itself and the action's own approvers stay.
 * Without any rule every action is asked for, of whom the action says.
 */
export type Policy = Denying | Asking | Allowing

/** The rules in their declared order. `version` is a hash of them, kept with every proposal. */
export interface PolicySet {
  readonly version: string
  readonly rules: readonly Policy[]
}

/** What policy looks at of an action. */
export interface Gated {
  readonly name: string
  readonly reversibility: Reversibility
  readonly approvers?: Whom
  readonly escalate?: Escalation
}

/** What rules may look at beside the arguments. */
export interface Around {
  readonly asker: Asker
  readonly past: Past
}

/** What came of one rule. Indexes are places in the configuration's list, counted from 0. */
export interface Spoken {
  readonly index: number
  readonly rule: Policy
  readonly said:
    | { readonly kind: 'applies'; readonly finding?: Finding }
    /** It is not for this account, person or role, or its condition does not hold. */
    | { readonly kind: 'silent'; readonly because: 'account' | 'person' | 'role' | 'condition' }
    /** It applies, and an `allow` above takes its question away. */
    | { readonly kind: 'allowed'; readonly by: number }
    /** An `allow` that has no say over an action that cannot simply be undone. */
    | { readonly kind: 'powerless' }
    | { readonly kind: 'failed'; readonly cause: unknown }
}

/**
 * The answer of the rules: it may not be done and never waits; it is above what anybody may approve; or it is asked for once, with every
 * reason, of `approvers`.
 */
export type PolicyAnswer =
  /** `cause` is there when a rule itself failed, for the log. */
  | { readonly kind: 'denied'; readonly reason: AskReason; readonly version: string; readonly cause?: unknown }
  | { readonly kind: 'nobody'; readonly reasons: readonly AskReason[]; readonly version: string }
  | {
      readonly kind: 'confirm'
      readonly reasons: readonly AskReason[]
      readonly approvers: Approvers
      readonly escalate?: Escalation
      /** Values that are to be looked at twice. */
      readonly marks: readonly Mark[]
      readonly version: string
    }

const nobody: Around = { asker: { account: '', roles: [] }, past: noPast }

/** The names of the actions that a rule is for; undefined: all of them. */
export function actionsOf({ action }: Pick<Policy, 'action'>): readonly string[] | undefined {
  if (action === '*') return undefined
  return typeof action === 'string' ? [action] : action
}

export const isAbout = (rule: Pick<Policy, 'action'>, action: string): boolean => actionsOf(rule)?.includes(action) ?? true

/**
 * Applies the rules to one call. Pure: the same rules, arguments, asker and past give the same answer. A denial wins wherever it stands.
 * A rule that throws, or answers anything but true or false, denies with `POLICY_ERROR`: what cannot be judged is not done. Of several
 * approvers the strictest holds: a role before the requester, the first rule's role before a later one's and the action's own, and a
 * second person if any of them asks for one.
 */
export function policyOf(policies: PolicySet, action: Gated, args: unknown, around: Around = nobody): PolicyAnswer {
  const { version } = policies
  const spoken = spokenOn(policies, action, args, around)
  const failed = spoken.find(({ said }) => said.kind === 'failed')
  if (failed?.said.kind === 'failed')
    return { kind: 'denied', reason: { code: 'POLICY_ERROR' }, version, cause: failed.said.cause }
  const applying = spoken.filter(({ said }) => said.kind === 'applies')
  for (const { rule } of applying) if (rule.then === 'deny') return { kind: 'denied', reason: rule.reason, version }
  const asking = applying.filter(({ rule }) => rule.then === 'confirm')
  const reasons = distinct(asking.flatMap(({ rule }) => rule.reason ?? []))
  const asked = asking.map(({ rule, index }) => askedOf(rule, index, args, around))
  if (asked.includes('nobody')) return { kind: 'nobody', reasons, version }
  const own = action.approvers === undefined ? undefined : frozenWhom(action.approvers, `actions.${action.name}`)
  const escalate = asking.find(({ rule }) => rule.escalate !== undefined)?.rule.escalate ?? action.escalate
  return {
    kind: 'confirm',
    reasons,
    approvers: strictest([...asked, own].filter((one) => one !== undefined && one !== 'nobody')),
    ...(escalate === undefined ? {} : { escalate }),
    marks: asking.flatMap(({ rule, said }) =>
      said.kind === 'applies' && said.finding !== undefined && isTrigger(rule.when) && rule.when.kind === 'unusual'
        ? [{ field: rule.when.marks ?? rule.when.field, finding: said.finding }]
        : [],
    ),
    version,
  }
}

/** What every rule for this action says to one call, in their order: what `policyOf` answers from, and `dale policy explain` shows. */
export function spokenOn({ rules }: PolicySet, action: Gated, args: unknown, around: Around = nobody): readonly Spoken[] {
  const spoken: Spoken[] = []
  let allowedBy: number | undefined
  for (const [index, rule] of rules.entries()) {
    if (!isAbout(rule, action.name)) continue
    const judged = judge(rule, args, around)
    const isFree = action.reversibility === 'reversible'
    if (judged.kind !== 'applies') spoken.push({ index, rule, said: judged })
    else if (rule.then === 'allow') {
      if (isFree) allowedBy ??= index
      spoken.push({ index, rule, said: isFree ? judged : { kind: 'powerless' } })
    } else if (rule.then === 'confirm' && allowedBy !== undefined)
      spoken.push({ index, rule, said: { kind: 'allowed', by: allowedBy } })
    else spoken.push({ index, rule, said: judged })
  }
  return spoken
}

/** Is the condition one of Dale's own? */
export const isTrigger = (when: Policy['when']): when is Over | Unusual => typeof when === 'object'

function judge(rule: Policy, args: unknown, { asker, past }: Around): Exclude<Spoken['said'], { kind: 'allowed' | 'powerless' }> {
  const { person } = asker
  if (rule.accounts?.includes(asker.account) === false) return { kind: 'silent', because: 'account' }
  if (rule.people?.some((name) => person !== undefined && isSamePerson(person, name)) === false)
    return { kind: 'silent', because: 'person' }
  if (rule.roles?.some((role) => asker.roles.includes(role)) === false) return { kind: 'silent', because: 'role' }
  try {
    return conditionOf(rule, args, { asker, past })
  } catch (cause) {
    return { kind: 'failed', cause }
  }
}

function conditionOf(
  rule: Policy,
  args: unknown,
  { asker, past }: Around,
): Extract<Spoken['said'], { kind: 'applies' | 'silent' | 'failed' }> {
  const { when } = rule
  const silent = { kind: 'silent', because: 'condition' } as const
  if (when === undefined) return { kind: 'applies' }
  if (!isTrigger(when)) {
    const answer: unknown = when(args, asker)
    if (typeof answer !== 'boolean')
      return { kind: 'failed', cause: new TypeError(`a rule for ${String(rule.action)} answered neither true nor false`) }
    return answer ? { kind: 'applies' } : silent
  }
  if (when.kind === 'over') return isOver(when, actionsOf(rule) ?? [], args, asker.roles, past) ? { kind: 'applies' } : silent
  const finding = findingOf(when, args, past.done)
  return finding === undefined ? silent : { kind: 'applies', finding }
}

/** Whom one rule asks; `nobody` where the sum is above every limit and nobody is named for that, or the asker is who would be. */
function askedOf(rule: Policy, index: number, args: unknown, { asker, past }: Around): Approvers | 'nobody' | undefined {
  const { approvers, when } = rule
  if (approvers?.kind !== 'limit') return approvers && frozenWhom(approvers, `policies.${index}`)
  const above = approvers.above !== undefined && asker.roles.includes(approvers.above) ? undefined : approvers.above
  const step =
    isTrigger(when) && when.kind === 'over' ? roleAbove(when, actionsOf(rule) ?? [], args, asker.roles, past) : undefined
  const role = step ?? above
  return role === undefined ? 'nobody' : { kind: 'role', role, second: approvers.second ?? false }
}

function strictest(asked: readonly Approvers[]): Approvers {
  const [first] = asked.filter((one) => one.kind !== 'requester')
  return first === undefined ? { kind: 'requester' } : { ...first, second: asked.some(asksTwo) }
}

const distinct = (reasons: readonly AskReason[]): readonly AskReason[] =>
  reasons.filter(
    (reason, at) => reasons.findIndex(({ code, message }) => code === reason.code && message === reason.message) === at,
  )
