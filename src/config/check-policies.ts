import type { Problem } from '../core/errors.ts'
import { actionsOf, isTrigger, type Policy } from '../core/policy.ts'
import type { Action } from '../ports/action.ts'
import type { Config } from './config.ts'

type At = (field: string, message: string) => void

/** What is wrong between the rules and what they name. `rulePlaces`: where each rule stands in the file. */
export function checkPolicies(config: Config, rulePlaces: readonly number[]): readonly Problem[] {
  return config.policies.rules.flatMap((rule, index) => {
    const problems: Problem[] = []
    const at: At = (field, message) => problems.push({ path: `policies.${rulePlaces[index]}.${field}`, message })
    checkAim(rule, config, at)
    checkAllowed(rule, config, at)
    checkTrigger(rule, config, at)
    return problems
  })
}

function checkAim(rule: Policy, { actions, sources, accounts, people, ...config }: Config, at: At): void {
  const named = actionsOf(rule) ?? []
  const isKnown = (name: string) =>
    actions.some((action) => action.name === name) || sources.some((source) => source.mayHave(name))
  for (const name of named)
    if (name === '*') at('action', '* is all of them, and stands by itself')
    else if (!isKnown(name)) at('action', `there is no action ${name}; * is all of them`)
  for (const name of rule.accounts ?? [])
    if (!accounts.some((account) => account.name === name)) at('accounts', `there is no account ${name}`)
  const roles = rolesOf({ people, ...config })
  for (const role of rule.roles ?? [])
    if (!roles.has(role)) at('roles', `nobody in people has the role ${role}; name it in roles if dale people gives it`)
  for (const id of rule.people ?? [])
    if (!people.some((person) => person.id === id))
      at('people', `there is nobody ${id} in people; whom dale people manages is meant by a role`)
}

/** A role that somebody has, or may come to have. */
const rolesOf = ({ people, roles, roleChats }: Pick<Config, 'people' | 'roles' | 'roleChats'>): ReadonlySet<string> =>
  new Set([...people.flatMap((person) => person.roles), ...roles, ...roleChats.map(({ role }) => role)])

/** An `allow` must not look as if it did something where it does nothing. */
function checkAllowed(rule: Policy, { actions }: Config, at: At): void {
  if (rule.then !== 'allow') return
  for (const { name, reversibility } of actions)
    if (reversibility !== 'reversible' && actionsOf(rule)?.includes(name))
      at('then', `allow has no say over ${name}, which is ${reversibility}: what it is asked for stays`)
}

function checkTrigger(rule: Policy, { actions, ...config }: Config, at: At): void {
  const { when } = rule
  if (!isTrigger(when)) return
  const names = actionsOf(rule)
  if (names === undefined) {
    at('action', 'a limit or a test of a value is for actions that are named: * may have no such argument')
    return
  }
  const fields =
    when.kind === 'over'
      ? [when.field, ...(when.currency === undefined ? [] : [when.currency])]
      : [when.field, ...(when.test === 'changed' ? [when.of] : [])]
  for (const action of actions.filter(({ name }) => names.includes(name)))
    for (const field of fields) if (!hasArgument(action, field)) at('when', `${action.name} has no argument ${field}`)
  if (when.kind !== 'over') return
  const roles = rolesOf({ ...config })
  for (const [role, limit] of Object.entries(when.perRole)) {
    if (!roles.has(role)) at('when', `nobody in people has the role ${role}; name it in roles if dale people gives it`)
    if (typeof limit !== 'string' && when.currency === undefined)
      at('when', `${role} has a limit for each currency: say with currency which argument names it`)
    if (typeof limit === 'string' && when.currency !== undefined)
      at('when', `${role} has one limit for every currency: write one for each, like { ARS: "${limit}" }`)
  }
}

/** By the action's JSON Schema. Where that does not tell, it is left to the call. */
function hasArgument({ input }: Action, field: string): boolean {
  let at: unknown = input
  for (const key of field.split('.')) {
    const properties = typeof at === 'object' && at !== null && 'properties' in at ? at.properties : undefined
    const isText = typeof at === 'object' && at !== null && 'type' in at && at.type !== 'object'
    if (typeof properties !== 'object' || properties === null) return !isText && at !== input
    if (!Object.hasOwn(properties, key)) return false
    at = (properties as Record<string, unknown>)[key]
  }
  return true
}
