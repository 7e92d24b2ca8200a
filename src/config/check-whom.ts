import type { Problem } from '../core/errors.ts'
import { isAbout, isTrigger, type Policy } from '../core/policy.ts'
import { type ByLimit, type Choosing, type Escalation, named, type Whom } from '../core/whom.ts'
import type { Config } from './config.ts'
import { parts } from './config-schema.ts'

/** Where somebody is asked, as the file has it. */
interface Asking {
  readonly path: string
  readonly place: string
  readonly approvers: Whom | ByLimit | undefined
  readonly escalate: Escalation | undefined
  readonly when?: Policy['when']
  /** How long the cards that it is about wait, in milliseconds. */
  readonly waits: readonly { readonly action: string; readonly ttlMs: number }[]
}

/** What is wrong between whom actions and rules ask, and the people, roles and chats that there are. */
export function checkWhom(config: Config, rulePlaces: readonly number[]): readonly Problem[] {
  const shaped = config.actions.flatMap(({ name, approvers, escalate }) => shapeOf(name, { approvers, escalate }))
  const wrong = new Set(shaped.map(({ path }) => path.split('.')[1]))
  const asking = askingOf(config, rulePlaces).filter(({ place }) => !wrong.has(place.replace(/^actions\./, '')))
  // The same lack is told once, where it is met first.
  const told = new Set<string>()
  return [
    ...shaped,
    ...asking
      .flatMap((one) => [...checkApprovers(one, config), ...checkEscalation(one, config)])
      .filter(({ message }) => !told.has(message) && told.add(message)),
    ...checkNames(asking),
  ]
}

function shapeOf(name: string, whom: unknown): readonly Problem[] {
  const issues = parts.ofAction.safeParse(whom).error?.issues ?? []
  return issues.map(({ path, message }) => ({ path: ['actions', name, ...path.map(String)].join('.'), message }))
}

function askingOf({ actions, policies }: Config, rulePlaces: readonly number[]): readonly Asking[] {
  return [
    ...actions.map(({ name, approvers, escalate, ttlMs }) => ({
      path: `actions.${name}`,
      place: `actions.${name}`,
      approvers,
      escalate,
      waits: [{ action: name, ttlMs }],
    })),
    ...policies.rules.map((rule, index) => ({
      path: `policies.${rulePlaces[index]}`,
      place: `policies.${index}`,
      approvers: rule.approvers,
      escalate: rule.escalate,
      when: rule.when,
      waits: actions.filter(({ name }) => isAbout(rule, name)).map(({ name, ttlMs }) => ({ action: name, ttlMs })),
    })),
  ]
}

function checkApprovers({ path: where, approvers, when }: Asking, config: Config): readonly Problem[] {
  const path = `${where}.approvers`
  switch (approvers?.kind) {
    case undefined:
    case 'requester':
      return []
    case 'role':
      return checkRole(path, approvers.role, approvers.second ? 2 : 1, config)
    case 'function':
      return config.roleChats.length > 0
        ? []
        : [
            {
              path,
              message: 'roleChats has no chat at all: whom a function chooses is shown the card in the chats of their roles',
            },
          ]
    case 'limit': {
      if (!isTrigger(when) || when.kind !== 'over')
        return [{ path, message: 'limit asks whoever has a higher limit, so it is for a rule with over({ … })' }]
      const least = approvers.second === true ? 2 : 1
      const roles = [...Object.keys(when.perRole), ...(approvers.above === undefined ? [] : [approvers.above])]
      return roles.flatMap((role) => checkRole(path, role, least, config))
    }
  }
}

function checkRole(path: string, role: string, least: number, { people, roleChats }: Config): readonly Problem[] {
  const holders = people.filter(({ roles }) => roles.includes(role)).length
  const few = holders < least ? [{ path, message: lacking(role, holders) }] : []
  const unshown = roleChats.some((chat) => chat.role === role)
    ? []
    : [{ path, message: `roleChats has no chat for ${role}: nobody would see the card` }]
  return [...few, ...unshown]
}

const lacking = (role: string, holders: number): string =>
  holders === 0 ? `nobody in people has the role ${role}` : `two persons with the role ${role} are needed, and there is one`

function checkEscalation({ path: where, approvers, escalate, waits }: Asking, config: Config): readonly Problem[] {
  if (escalate === undefined) return []
  const path = `${where}.escalate`
  const asked = approvers?.kind === 'role' && approvers.role === escalate.to
  const over = waits.filter(({ ttlMs }) => ttlMs <= escalate.afterMs)
  return [
    ...checkRole(path, escalate.to, 1, config),
    ...(asked ? [{ path, message: `${escalate.to} is asked from the beginning: escalate to another role` }] : []),
    ...over.map(({ action, ttlMs }) => ({
      path,
      message: `a card of ${action} waits ${ttlMs} ms, and nobody would be asked before it is over: afterMs is less than that`,
    })),
  ]
}

/** A proposal finds its function by the name alone when its version fits: two must not have one. */
function checkNames(asking: readonly Asking[]): readonly Problem[] {
  const functions = asking.flatMap(({ path, place, approvers }) =>
    approvers?.kind === 'function' ? [{ path, choosing: named(approvers as Choosing, place) }] : [],
  )
  return functions
    .filter(({ choosing }, index) =>
      functions.slice(0, index).some(({ choosing: other }) => other.name === choosing.name && other.choose !== choosing.choose),
    )
    .map(({ path, choosing }) => ({
      path: `${path}.approvers.name`,
      message: `${choosing.name} is another function already: give this one a name of its own`,
    }))
}
