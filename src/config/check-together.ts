import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { claimTimeMs } from '../core/claim-time.ts'
import { schemaAt } from '../core/editable.ts'
import type { Problem } from '../core/errors.ts'
import { isAbout } from '../core/policy.ts'
import type { ByLimit, Whom } from '../core/whom.ts'
import { checkPolicies } from './check-policies.ts'
import { checkWebhooks } from './check-webhooks.ts'
import { checkWhom } from './check-whom.ts'
import type { CloudAccount, Config, TelegramAccount } from './config.ts'
import type { Variables } from './environment.ts'

/** The locales that come with Dale; a configuration's folder may add others. */
export const shippedLocales: readonly string[] = ['en', 'es', 'pt-BR']

/** What is wrong between parts that are each right by themselves, or between them and the environment. */
export function checkTogether(
  config: Config,
  rulePlaces: readonly number[],
  variables: Variables,
  cwd: string,
): readonly Problem[] {
  return [
    ...checkLocales(config, cwd),
    ...checkAccounts(config, variables),
    ...checkCloudAccounts(config, variables),
    ...checkNeeds(config, variables),
    ...checkActions(config),
    ...checkPolicies(config, rulePlaces),
    ...checkPeople(config),
    ...checkWhom(config, rulePlaces),
    ...checkWebhooks(config, variables),
  ]
}

/** What is wrong once every source has told its actions: all that could not be judged before. `config` holds them all, and no sources. */
export const checkOpened = (config: Config): readonly Problem[] => {
  // Rules that are read are all there are: each stands where it stands in the file.
  const places = config.policies.rules.map((_rule, place) => place)
  return [...checkActions(config), ...checkPolicies(config, places), ...checkWhom(config, places)]
}

function checkLocales({ locales, accounts }: Config, cwd: string): readonly Problem[] {
  const own = locales.folder === undefined ? [] : foldersIn(resolve(cwd, locales.folder))
  if (own === undefined) return [{ path: 'locales.folder', message: 'there is no such folder' }]
  const available = [...new Set([...shippedLocales, ...own])]
  const used = [
    { path: 'locales.default', locale: locales.default },
    { path: 'locales.fallback', locale: locales.fallback },
    // An account that names none has the default's, whose mistake is told once.
    ...accounts
      .filter(({ locale }) => locale !== locales.default)
      .map(({ name, locale }) => ({ path: `accounts.${name}.locale`, locale })),
  ]
  const lost = accounts
    .filter(({ words }) => words !== undefined && foldersIn(resolve(cwd, words)) === undefined)
    .map(({ name }) => ({ path: `accounts.${name}.words`, message: 'there is no such folder' }))
  const unknown = used
    .filter(({ locale }) => !available.includes(locale))
    .map(({ path, locale }) => ({ path, message: `there are no words for ${locale}; there are for ${available.join(', ')}` }))
  return [...unknown, ...lost]
}

function foldersIn(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')) return undefined
    throw cause
  }
}

function checkAccounts({ accounts }: Config, variables: Variables): readonly Problem[] {
  const bots = accounts.filter((account): account is TelegramAccount => account.channel === 'telegram')
  return bots.flatMap(({ name, mode, tokenEnv, secretEnv, apiRoot }, index) => {
    const problems: Problem[] = []
    const at = (field: string, message: string) => problems.push({ path: `accounts.${name}.${field}`, message })
    const token = variables[tokenEnv] || undefined
    const twin = bots
      .slice(0, index)
      .find((other) => other.apiRoot === apiRoot && token !== undefined && variables[other.tokenEnv] === token)
    if (token === undefined) at('tokenEnv', `${tokenEnv} is not set in the environment; @BotFather gives it`)
    else if (twin !== undefined)
      at('tokenEnv', `is the same bot as accounts.${twin.name}: two that listen take each other's messages`)
    if (mode === 'polling') return problems
    // Without a secret anybody who finds the address could decide in anybody's name.
    if (!/^[\w-]{32,256}$/.test(variables[secretEnv] ?? ''))
      at('secretEnv', `${secretEnv} must hold 32 to 256 letters, digits, _ or -; make one with: openssl rand -hex 32`)
    if (!variables.PUBLIC_URL) at('mode', 'webhook needs PUBLIC_URL in the environment: where Telegram reaches this gateway')
    return problems
  })
}

function checkCloudAccounts({ accounts }: Config, variables: Variables): readonly Problem[] {
  const numbers = accounts.filter((account): account is CloudAccount => account.channel === 'whatsapp-cloud')
  return numbers.flatMap(({ name, tokenEnv, secretEnv, phoneNumberIdEnv, verifyTokenEnv }, index) => {
    const problems: Problem[] = []
    const at = (field: string, message: string) => problems.push({ path: `accounts.${name}.${field}`, message })
    const unset = (variable: string, from: string) => `${variable} is not set in the environment; ${from}`
    if (!variables[tokenEnv]) at('tokenEnv', unset(tokenEnv, 'Meta gives it to a system user of the business'))
    // Without a secret anybody who finds the address could decide in anybody's name.
    const secrets = (variables[secretEnv] ?? '').split(',')
    if (!variables[secretEnv]) at('secretEnv', unset(secretEnv, 'Meta shows it under App settings, Basic'))
    else if (secrets.some((secret) => secret.trim() === ''))
      at('secretEnv', `${secretEnv} holds an empty secret between its commas`)
    if (!variables[verifyTokenEnv])
      at('verifyTokenEnv', unset(verifyTokenEnv, 'choose a long word, and give the same to Meta with the address of the webhook'))
    const id = variables[phoneNumberIdEnv] || undefined
    const twin = numbers.slice(0, index).find((other) => id !== undefined && variables[other.phoneNumberIdEnv] === id)
    if (id === undefined) at('phoneNumberIdEnv', unset(phoneNumberIdEnv, 'Meta shows it under WhatsApp, API Setup'))
    else if (!/^\d+$/.test(id))
      at(
        'phoneNumberIdEnv',
        `${phoneNumberIdEnv} is the id that Meta shows under WhatsApp, API Setup, all digits; not the telephone number`,
      )
    else if (twin !== undefined)
      at('phoneNumberIdEnv', `is the same number as accounts.${twin.name}: every message would be taken in twice`)
    return problems
  })
}

function checkNeeds({ agent, actions, sources }: Config, variables: Variables): readonly Problem[] {
  const missing = (path: string, needs: readonly string[] = []) =>
    needs.filter((name) => !variables[name]).map((name) => ({ path, message: `${name} is not set in the environment` }))
  return [
    ...missing('agent', agent.needs),
    ...actions.flatMap(({ name, needs }) => missing(`actions.${name}`, needs)),
    ...sources.flatMap(({ source, needs }) => missing(`actions.${source}`, needs)),
  ]
}

function checkActions({ actions, sources, limits, policies }: Config): readonly Problem[] {
  const names = [...actions.map(({ name }) => name), ...sources.map(({ source }) => source)]
  const problems = twice(names).map((name) => ({ path: `actions.${name}`, message: 'is there twice' }))
  const asksTwo = ({ approvers }: { readonly approvers?: Whom | ByLimit | undefined }): boolean =>
    approvers !== undefined && approvers.kind !== 'requester' && approvers.second === true
  for (const action of actions.filter(({ reversibility }) => reversibility === 'irreversible')) {
    const rules = policies.rules.filter((rule) => isAbout(rule, action.name))
    if (action.typeToConfirm === undefined && ![action, ...rules].some(asksTwo))
      problems.push({
        path: `actions.${action.name}.approvers`,
        message:
          "what cannot be undone takes two persons, { kind: 'role', role: …, second: true }, or typeToConfirm, the argument that one types; nobody could ever approve it otherwise",
      })
  }
  for (const { name, typeToConfirm, input } of actions)
    if (typeToConfirm !== undefined && schemaAt(input, typeToConfirm) === undefined)
      problems.push({ path: `actions.${name}.typeToConfirm`, message: `there is no argument ${typeToConfirm}` })
  const lasting = actions
    .filter((action) => action.reversibility !== 'reversible' || action.reversibilityOf !== undefined)
    .map(({ name }) => name)
  if (limits.onOtherMessage === 'keep' && lasting.length > 0)
    problems.push({
      path: 'limits.onOtherMessage',
      message: `keep is for reversible actions only, and ${lasting.join(', ')} cannot be undone`,
    })
  for (const { name, timeoutMs } of actions.filter((action) => action.timeoutMs >= limits.leaseMs))
    problems.push({ path: 'limits.leaseMs', message: `is longer than any timeout, and ${name} may take ${timeoutMs} ms` })
  for (const { name, timeoutMs } of actions.filter((action) => action.timeoutMs >= limits.quarantineMs))
    problems.push({ path: 'limits.quarantineMs', message: `is longer than any timeout, and ${name} may take ${timeoutMs} ms` })
  // A retry may begin until the last fifth of a key's life, and a lease has to end within that fifth.
  for (const action of actions.filter(({ idempotency }) => idempotency === 'key')) {
    const needsMs = 5 * claimTimeMs(limits.leaseMs, action)
    if (action.keyValidForMs < needsMs)
      problems.push({
        path: `actions.${action.name}.keyValidForMs`,
        message: `${action.keyValidForMs} ms is too short to retry safely: at least five leases, ${needsMs} ms, or idempotency: 'none'`,
      })
  }
  return problems
}

function checkPeople({ people, accounts, roleChats }: Config): readonly Problem[] {
  return [
    ...twice(people.map(({ id }) => id)).map((id) => ({ path: `people.${id}`, message: 'is there twice' })),
    ...twice(people.flatMap(({ identities }) => [...new Set(identities)])).map((identity) => ({
      path: 'people',
      message: `${identity} belongs to two persons; whoever writes from it is one`,
    })),
    ...roleChats
      .filter(({ conversation }) => !accounts.some(({ name }) => name === conversation.account))
      .map(({ role, conversation }) => ({
        path: `roleChats.${role}.account`,
        message: `there is no account ${conversation.account}`,
      })),
  ]
}

const twice = (names: readonly string[]): readonly string[] => [
  ...new Set(names.filter((name, index) => names.indexOf(name) !== index)),
]
