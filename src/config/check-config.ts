import { hash } from 'node:crypto'
import { resolve } from 'node:path'
import type { z } from 'zod'
import { ConfigError, type Problem } from '../core/errors.ts'
import type { Policy } from '../core/policy.ts'
import { checkTogether } from './check-together.ts'
import type { Account, Config } from './config.ts'
import { known, parts } from './config-schema.ts'
import { type Environment, inspectEnvironment, type Variables } from './environment.ts'
import { defaultLimits } from './limits.ts'

/** A configuration and an environment that fit together. */
export interface Checked {
  readonly config: Config
  readonly environment: Environment
}

/**
 * Checks a configuration file's value together with the environment that it will run in, and fills in every default. Throws
 * `ConfigError` with all problems of both, each with its path; nothing was changed then. `cwd` is what relative paths start from.
 */
export function checkConfig(input: unknown, variables: Variables, cwd: string): Checked {
  const problems: Problem[] = []
  const surroundings = inspectEnvironment(variables, cwd)
  if (!surroundings.ok) problems.push(...surroundings.problems)
  const read = readParts(input, problems)
  if (read !== undefined) problems.push(...checkTogether(read.config, read.rulePlaces, variables, cwd))
  if (!surroundings.ok || read === undefined || problems.length > 0) throw new ConfigError(problems)
  const { config } = read
  const { folder } = config.locales
  const locales = folder === undefined ? config.locales : { ...config.locales, folder: resolve(cwd, folder) }
  // Of an account everything stays as it was but for where its words are.
  const accounts = config.accounts.map((account) =>
    account.words === undefined ? account : { ...account, words: resolve(cwd, account.words) },
  )
  return { config: { ...config, locales, accounts }, environment: surroundings.environment() }
}

/**
 * Whatever of the configuration can be read, with its defaults; what cannot is a problem and is left out. `rulePlaces`: where each rule
 * stands in the file.
 */
function readParts(
  input: unknown,
  problems: Problem[],
): { readonly config: Config; readonly rulePlaces: readonly number[] } | undefined {
  const read = <T>(schema: z.ZodType<T>, value: unknown, path: string): T | undefined => {
    const result = schema.safeParse(value)
    if (result.success) return result.data
    const at = (...rest: readonly PropertyKey[]) => [path, ...rest.map(String)].filter((part) => part !== '').join('.')
    for (const issue of result.error.issues) {
      if (issue.code === 'unrecognized_keys')
        problems.push(...issue.keys.map((key) => ({ path: at(...issue.path, key), message: unknownKey(schema, key) })))
      else
        problems.push({
          path: at(...issue.path),
          message: value === undefined && issue.path.length === 0 ? `is missing: ${issue.message}` : issue.message,
        })
    }
    return undefined
  }
  const placed = <T>(
    schema: z.ZodType<T>,
    value: unknown,
    path: string,
  ): readonly { readonly one: T; readonly place: number }[] =>
    (read(parts.list, value, path) ?? []).flatMap((member, place) => {
      const one = read(schema, member, `${path}.${place}`)
      return one === undefined ? [] : [{ one, place }]
    })
  const each = <T>(schema: z.ZodType<T>, value: unknown, path: string): readonly T[] =>
    placed(schema, value, path).map(({ one }) => one)

  const file = read(parts.file, input, '')
  if (file === undefined) return undefined
  for (const key of Object.keys(file).filter((name) => !(known as readonly string[]).includes(name)))
    problems.push({ path: key, message: `is not a part of a configuration; those are ${known.join(', ')}` })

  const locales = read(parts.locales, file.locales, 'locales') ?? { default: 'en', fallback: 'en' }
  const accounts = Object.entries(read(parts.accounts, file.accounts, 'accounts') ?? {}).flatMap(
    ([name, value]): readonly Account[] => {
      const named = read(parts.accountName, name, `accounts.${name}`)
      const account = read(parts.account, value, `accounts.${name}`) ?? whatIsRightOf(value)
      return named === undefined || account === undefined ? [] : [{ ...account, name, locale: account.locale ?? locales.default }]
    },
  )
  const listed = read(parts.list, file.actions, 'actions') ?? []
  const sources = listed.flatMap((one) => parts.source.safeParse(one).data ?? [])
  const actions = listed.flatMap((one, place) =>
    parts.source.safeParse(one).success ? [] : (read(parts.action, one, `actions.${place}`) ?? []),
  )
  const placedRules = placed(parts.policy, file.policies ?? [], 'policies')
  const rules = placedRules.map(({ one }) => one as Policy)
  const roleChats = Object.entries(read(parts.roleChats, file.roleChats, 'roleChats') ?? {})
  const config: Config = {
    tenant: read(parts.tenant, file.tenant, 'tenant') ?? 'default',
    locales: locales as Config['locales'],
    accounts,
    agent: read(parts.agent, file.agent, 'agent') ?? { run: async function* () {} },
    actions,
    sources,
    hooks: given(read(parts.hooks, file.hooks, 'hooks') ?? {}) as Config['hooks'],
    api: read(parts.api, file.api, 'api') ?? { requestsPerMinute: 600 },
    webhooks: each(parts.webhook, file.webhooks ?? [], 'webhooks'),
    policies: { version: versionOf(rules), rules },
    people: each(parts.person, file.people ?? [], 'people'),
    roles: read(parts.roles, file.roles, 'roles') ?? [],
    roleChats: roleChats.flatMap(([role, chats]) => chats.map((conversation) => ({ role, conversation }))) as Config['roleChats'],
    limits: {
      ...defaultLimits(
        Math.max(0, ...actions.map(({ timeoutMs }) => timeoutMs), ...sources.map(({ longestTimeoutMs }) => longestTimeoutMs)),
      ),
      ...given(read(parts.limits, file.limits, 'limits') ?? {}),
    },
  }
  return { config, rulePlaces: placedRules.map(({ place }) => place) }
}

/** Of what an account takes from the environment only the variable is named in the file. */
function unknownKey(schema: z.ZodType, key: string): string {
  const named = `${key}Env`
  const isNamed = schema === parts.account && parts.account.options.some(({ shape }) => named in shape)
  return isNamed ? `is not written here: ${named} names the variable of the environment that holds it` : unknown
}

const unknown = 'is not known here: mend the name, or take it out'

/** An account without what is wrong in it, so that what it needs of the environment is told at once; undefined where that is not enough. */
function whatIsRightOf(value: unknown): z.output<typeof parts.account> | undefined {
  const faults = parts.account.safeParse(value).error?.issues ?? []
  const wrong = faults.flatMap((fault) =>
    fault.code === 'unrecognized_keys' && fault.path.length === 0 ? fault.keys : [fault.path[0]],
  )
  const right = Object.fromEntries(Object.entries(value ?? {}).filter(([key]) => !wrong.includes(key)))
  return parts.account.safeParse(right).data
}

/** A hash of the rules. What a `when` closes over is not seen; a rule that reads its limit from elsewhere keeps its version. */
const versionOf = (rules: readonly Policy[]): string =>
  hash(
    'sha256',
    JSON.stringify(rules, (_key, value: unknown) => (typeof value === 'function' ? String(value) : value)),
  ).slice(0, 16)

/** Without what is written down as `undefined`, which would hide a default. */
const given = (limits: Readonly<Record<string, unknown>>): Partial<Config['limits'] & Config['hooks']> =>
  Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined))
