import type { AskReason } from './card.ts'
import type { Approvers, Reversibility } from './proposal.ts'

/**
 * One rule of the configuration: when an action may not be done, or must be asked for in another way. Without any rule every
 * action is asked for, of whom the action says.
 */
export interface Policy {
  /** The action's name, or `*` for all of them. */
  readonly action: string
  /** Does the rule apply to these arguments? Pure and at once; left out, it always applies. */
  when?(args: unknown): boolean
  readonly then: 'confirm' | 'deny'
  /** Whom to ask; only with `confirm`. */
  readonly approvers?: Approvers
  readonly reason: AskReason
}

/** The rules in their declared order. `version` is a hash of them, kept with every proposal. */
export interface PolicySet {
  readonly version: string
  readonly rules: readonly Policy[]
}

/** What policy looks at of an action. */
export interface Gated {
  readonly name: string
  readonly reversibility: Reversibility
  readonly approvers?: Approvers
}

/** The answer of the rules: it may not be done and never waits, or it is asked for once, with every reason, of `approvers`. */
export type PolicyAnswer =
  /** `cause` is there when a rule itself failed, for the log. */
  | { readonly kind: 'denied'; readonly reason: AskReason; readonly version: string; readonly cause?: unknown }
  | { readonly kind: 'confirm'; readonly reasons: readonly AskReason[]; readonly approvers: Approvers; readonly version: string }

/**
 * Applies the rules to one call. A denial wins wherever it stands. A rule that throws, or answers anything but true or false, denies
 * with `POLICY_ERROR`: what cannot be judged is not done. Of several approvers the strictest holds: a role before the requester,
 * the first rule's role before a later one's and the action's own, and a second person if any of them asks for one.
 */
export function policyOf({ rules, version }: PolicySet, action: Gated, args: unknown): PolicyAnswer {
  const asking: Policy[] = []
  const denying: Policy[] = []
  for (const rule of rules) {
    if (rule.action !== '*' && rule.action !== action.name) continue
    const applies = judge(rule, args)
    if (typeof applies !== 'boolean') return { kind: 'denied', reason: { code: 'POLICY_ERROR' }, version, cause: applies.cause }
    if (applies) (rule.then === 'deny' ? denying : asking).push(rule)
  }
  const [denial] = denying
  if (denial !== undefined) return { kind: 'denied', reason: denial.reason, version }
  return {
    kind: 'confirm',
    reasons: distinct(asking.map(({ reason }) => reason)),
    approvers: strictest([...asking, action]),
    version,
  }
}

function judge(rule: Policy, args: unknown): boolean | { readonly cause: unknown } {
  if (rule.when === undefined) return true
  try {
    const answer: unknown = rule.when(args)
    return typeof answer === 'boolean'
      ? answer
      : { cause: new TypeError(`a rule for ${rule.action} answered neither true nor false`) }
  } catch (cause) {
    return { cause }
  }
}

function strictest(asked: readonly { readonly approvers?: Approvers }[]): Approvers {
  const roles = asked.flatMap(({ approvers }) => (approvers?.kind === 'role' ? [approvers] : []))
  const [first] = roles
  return first === undefined ? { kind: 'requester' } : { ...first, second: roles.some(({ second }) => second) }
}

const distinct = (reasons: readonly AskReason[]): readonly AskReason[] =>
  reasons.filter(
    (reason, at) => reasons.findIndex(({ code, message }) => code === reason.code && message === reason.message) === at,
  )
