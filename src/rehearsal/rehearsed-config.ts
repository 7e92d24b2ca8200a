import { type Checked, checkConfig } from '../config/check-config.ts'
import type { Variables } from '../config/environment.ts'
import { ConfigError } from '../core/errors.ts'
import { over } from '../core/over.ts'
import { changed, farFromUsual, neverSeen } from '../core/unusual.ts'
import type { Action } from '../ports/action.ts'
import type { ActionSource } from '../ports/action-source.ts'
import type { Agent } from '../ports/agent.ts'
import type { Ledger } from './ledger.ts'
import type { ActionLine, PersonLine, Script } from './script.ts'
import type { Stage } from './stage.ts'
import { declared, recorded, recordedSource } from './staged-actions.ts'
import { agentOf, heard } from './staged-agent.ts'

/** A configuration file's value, loaded and not checked, that a file is to be played against. */
export interface Against {
  readonly input: Readonly<Record<string, unknown>>
  readonly cwd: string
}

/** What a rehearsal brings instead of the world. */
export interface Brought {
  readonly stage: Stage
  readonly ledger: Ledger
  readonly unanswered: () => void
  readonly variables: Variables
}

type Input = Readonly<Record<string, unknown>>

/** The account that people talk to: the file's, else the configuration's first. */
export const accountOf = ({ account }: Pick<Script, 'account'>, against: Against | undefined): string =>
  account ?? Object.keys(objectOf(against?.input.accounts))[0] ?? 'chat'

/**
 * The configuration that a file is played with: the given one with its accounts on a stage, its people in the talk and its actions only
 * counted, and over it what the file says. Throws `ConfigError` where both together cannot work, as a start would.
 */
export function rehearsedConfig(script: Script, against: Against | undefined, brought: Brought): Checked {
  const base = against?.input ?? {}
  const account = accountOf(script, against)
  const locale = script.locale ?? (against === undefined ? 'en' : undefined)
  const accounts = { ...objectOf(base.accounts), [account]: objectOf(objectOf(base.accounts)[account]) }
  const people = peopleOf(script, listOf(base.people), brought.stage)
  const input = {
    ...base,
    ...(against === undefined ? { locales: { default: locale } } : {}),
    accounts: Object.fromEntries(
      Object.entries(accounts).map(([name, value]) => [
        name,
        {
          channel: 'simulator',
          ...localeOf(value),
          ...(name === account && locale !== undefined ? { locale } : {}),
          ...(name === account ? quietOf(script) : {}),
        },
      ]),
    ),
    agent: heard(
      script.agent.length > 0 || against === undefined ? agentOf(script.agent) : (base.agent as Agent),
      brought.unanswered,
    ),
    actions: actionsOf(
      script,
      against === undefined ? undefined : (listOf(base.actions) as readonly (Action | ActionSource)[]),
      brought.ledger,
    ),
    policies: [...listOf(base.policies), ...policiesOf(script)],
    // What they do is done for real, and whom they tell is told.
    hooks: {},
    webhooks: [],
    people,
    roleChats: roleChatsOf(script, account, people, objectOf(base.roleChats), brought.stage),
    limits: {
      ...objectOf(base.limits),
      ...Object.assign({}, ...script.policies.flatMap((policy) => (policy.kind === 'limit' ? [policy.limits] : []))),
    },
  }
  try {
    return checkConfig(input, brought.variables, against?.cwd ?? process.cwd())
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw new ConfigError(
      error.problems.map(({ path, message }) => ({ path: script.file, message: `${path}: ${message}` })),
      { cause: error },
    )
  }
}

const objectOf = (value: unknown): Input =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Input) : {}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Only what the file says: quiet hours of a configuration would move what it tells, by the clock of the day. */
const quietOf = ({ policies }: Script): Input =>
  Object.assign(
    {},
    ...policies.flatMap((policy) =>
      policy.kind === 'quiet' ? [{ quietHours: { from: policy.from, to: policy.to, timeZone: policy.timeZone } }] : [],
    ),
  )

const localeOf = (account: unknown): Input => {
  const { locale } = objectOf(account)
  return locale === undefined ? {} : { locale }
}

/** Without a configuration an action that is only proposed is a reversible one; with one it must be there. */
function actionsOf(
  script: Script,
  own: readonly (Action | ActionSource)[] | undefined,
  ledger: Ledger,
): readonly (Action | ActionSource)[] {
  const lines = new Map(script.actions.map((line) => [line.name, line]))
  const sources = (own ?? []).filter((one) => 'mayHave' in one)
  const there = (own ?? [])
    .filter((one): one is Action => !('mayHave' in one))
    .filter(({ name }) => lines.get(name)?.kind !== 'declared')
    .map((action) => (lines.get(action.name)?.kind === 'real' ? action : recorded(action, ledger)))
  const isThere = (wanted: string) =>
    there.some(({ name }) => name === wanted) || sources.some((source) => source.mayHave(wanted))
  const named = [...lines.values(), ...implied(script, lines)]
  const missing = named.filter(
    (line) => (line.kind === 'real' || (own !== undefined && !lines.has(line.name))) && !isThere(line.name),
  )
  if (missing.length > 0) {
    const names = there.map(({ name }) => name).join(', ') || 'none'
    throw new ConfigError(
      missing.map(({ line, name }) => ({
        path: `${script.file}:${line}`,
        message: `the configuration has no action ${name}; it has ${names}`,
      })),
    )
  }
  return [
    ...sources.map((source) => recordedSource(source, ledger)),
    ...there,
    ...named.flatMap((line) => (line.kind === 'declared' && !isThere(line.name) ? [declared(line, script.agent, ledger)] : [])),
  ]
}

function implied({ agent }: Script, lines: ReadonlyMap<string, ActionLine>): readonly ActionLine[] {
  const named = new Map(
    agent.flatMap(({ proposes, line }) =>
      proposes === undefined || lines.has(proposes.action) ? [] : [[proposes.action, line]],
    ),
  )
  return [...named].map(([name, line]) => ({
    kind: 'declared',
    line,
    name,
    reversibility: 'reversible',
    idempotency: 'none',
    takesMs: 0,
    endings: [{ kind: 'succeeds' }],
  }))
}

const policiesOf = ({ policies }: Script): readonly unknown[] => policies.flatMap(policyOf)

function policyOf(policy: Script['policies'][number]): readonly unknown[] {
  switch (policy.kind) {
    case 'limit':
    case 'quiet':
      return []
    case 'chooses': {
      const { action, people } = policy
      const approvers = { kind: 'function', name: 'chosen', choose: () => people }
      return [{ action, then: 'confirm', approvers, reason: { code: 'CUSTOM_POLICY_REQUIREMENT' } }]
    }
    case 'approver': {
      const { action, role, second } = policy
      return [
        { action, then: 'confirm', approvers: { kind: 'role', role, second }, reason: { code: 'CUSTOM_POLICY_REQUIREMENT' } },
      ]
    }
    case 'allow':
      return [{ action: policy.action, then: 'allow' }]
    case 'escalate': {
      const { action, to, afterMs } = policy
      return [{ action, then: 'confirm', escalate: { afterMs, to }, reason: { code: 'CUSTOM_POLICY_REQUIREMENT' } }]
    }
    case 'over': {
      const { action, field, perRole, withinMs, approver } = policy
      return [
        {
          action,
          when: over({ field, perRole, withinMs }),
          then: 'confirm',
          ...(approver === undefined
            ? {}
            : { approvers: approver === 'limit' ? { kind: 'limit' } : { kind: 'role', ...approver, second: false } }),
          reason: { code: 'OVER_LIMIT' },
        },
      ]
    }
    case 'unusual': {
      const { action, field, test } = policy
      const when =
        test.is === 'far' ? farFromUsual({ field }) : test.is === 'new' ? neverSeen({ field }) : changed({ field, of: test.of })
      return [{ action, when, then: 'confirm', reason: { code: 'UNUSUAL_VALUE' } }]
    }
    case 'deny':
    case 'ask': {
      const { action, kind, code, message } = policy
      return [
        { action, then: kind === 'deny' ? 'deny' : 'confirm', reason: { code, ...(message === undefined ? {} : { message }) } },
      ]
    }
  }
}

interface PersonInput {
  readonly id: string
  readonly name: string
  readonly roles: readonly string[]
  readonly identities: readonly string[]
}

/** People of the configuration keep their roles; whoever the file calls by the same id is them. */
function peopleOf({ people }: Script, own: readonly unknown[], stage: Stage): readonly PersonInput[] {
  const known = own as readonly PersonInput[]
  const staged = known.map((person) => {
    const named = people.find(({ name }) => name === person.id)
    return named === undefined
      ? person
      : { ...person, roles: [...new Set([...person.roles, ...named.roles])], identities: identitiesOf(named, stage) }
  })
  const others = people.filter(({ name, roles }) => roles.length > 0 && !known.some(({ id }) => id === name))
  return [
    ...staged,
    ...others.map((one) => ({ id: one.name, name: one.name, roles: one.roles, identities: identitiesOf(one, stage) })),
  ]
}

const identitiesOf = ({ name, also = [] }: PersonLine, stage: Stage): readonly string[] =>
  [name, ...also].map((account) => stage.identityOf(account))

/** The cards for a role: where the file says, else in the own chat of everybody in the talk who has it. */
function roleChatsOf(
  { chats, people: named }: Script,
  account: string,
  people: readonly PersonInput[],
  own: Input,
  stage: Stage,
): Input {
  // A role that the configuration gives no chat has none: it only says what somebody may.
  const roles = new Set([...Object.keys(own), ...named.flatMap((person) => person.roles), ...chats.map(({ role }) => role)])
  return Object.fromEntries(
    [...roles].map((role) => {
      const said = chats.filter((chat) => chat.role === role).map(({ place }) => place)
      const holders = people
        .filter(({ id, roles: held }) => held.includes(role) && named.some(({ name }) => name === id))
        .map(({ id }) => id)
      const places = said.length > 0 ? said : holders
      return [
        role,
        places.length > 0 ? places.map((place) => ({ account, chat: stage.chatOf(place) })) : [{ account, chat: role }],
      ]
    }),
  )
}
