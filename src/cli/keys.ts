import { type Command, InvalidArgumentError } from 'commander'
import { showText } from '../core/show-text.ts'
import { type ApiKey, type KeyScope, keyScopes } from '../ports/api-keys.ts'
import type { Operations } from './operations.ts'
import { momentOf } from './proposal-lines.ts'
import { readText } from './read-arguments.ts'
import { tableOf } from './table.ts'
import { answer, type ConfiguredOptions, Failure, newVerb, withConfig } from './verb.ts'

/** `dale keys`: what programs show to the API. No key decides, whatever its scopes. */
export function keys(): Command {
  const verb = newVerb(
    'keys',
    'Make, list and revoke the keys of programs that use the API. No key decides: people do, in their chat.',
    [
      ['dale keys create erp --scope propose,read --by ana', 'shows the key once'],
      ['dale keys create ops --scope halt,read --days 90 --by ana', 'one that ends by itself'],
      ['dale keys revoke 2ab3cd4ef5gh --by ana', 'its next request is refused, in every process'],
    ],
  )
  for (const part of [create(), list(), revoke()]) verb.addCommand(part)
  return verb
}

interface CreateOptions extends ConfiguredOptions {
  readonly scope: readonly KeyScope[]
  readonly days?: number
  readonly by: string
}

const create = (): Command =>
  withConfig(newVerb('create', 'Make a key, and show it this once: only a hash of it is kept.'))
    .argument('<name>', 'which program it is for', readText)
    .requiredOption('--scope <scopes>', `what it is for, with commas between: ${keyScopes.join(', ')}`, readScopes)
    .option('--days <days>', 'after how many days it ends', readDays)
    .requiredOption('--by <name>', 'who makes it; kept with the key', readText)
    .action(async (name: string, { scope, days, by, ...options }: CreateOptions) => {
      const { drawKey } = await import('../api/key.ts')
      const { text, id, hash } = drawKey()
      const made = await operate(options, (operations, tenant) =>
        operations.makeKey({
          id,
          tenant,
          name,
          hash,
          scopes: scope,
          by,
          ...(days === undefined ? {} : { lastsMs: days * 24 * 3_600_000 }),
        }),
      )
      answer(options, { ...made, key: text }, [
        text,
        `This is ${showText(name)}'s key, for ${scope.join(', ')}. It is not shown again: keep it where secrets are kept.`,
      ])
    })

const list = (): Command =>
  withConfig(newVerb('list', 'List keys, the newest first.')).action(async (options: ConfiguredOptions) => {
    const all = await operate(options, (operations, tenant) => operations.keys(tenant))
    answer(
      options,
      all,
      all.length === 0 ? ['None.'] : tableOf([['ID', 'NAME', 'SCOPES', 'MADE', 'LAST USED', 'STATE'], ...all.map(rowOf)]),
    )
  })

const revoke = (): Command =>
  withConfig(newVerb('revoke', 'Revoke a key for good. What it asked for stays as it is.'))
    .argument('<id>', 'as in the list', readText)
    .requiredOption('--by <name>', 'who revokes it; kept with the key', readText)
    .action(async (named: string, { by, ...options }: ConfiguredOptions & { readonly by: string }) => {
      const id = named.replace(/^dale_/, '').split('_')[0] ?? named
      if (!(await operate(options, (operations, tenant) => operations.revokeKey(tenant, id, by))))
        throw new Failure(`There is no key ${showText(id)} that holds; dale keys list shows them.`)
      answer(options, { revoked: id }, [`${id} is revoked.`])
    })

const rowOf = ({ id, name, scopes, by, createdAtMs, lastUsedAtMs, expiresAtMs, revoked }: ApiKey): readonly string[] => [
  id,
  showText(name),
  scopes.join(','),
  `${momentOf(createdAtMs)} by ${showText(by)}`,
  lastUsedAtMs === undefined ? 'never' : momentOf(lastUsedAtMs),
  revoked === undefined
    ? expiresAtMs === undefined
      ? 'holds'
      : `until ${momentOf(expiresAtMs)}`
    : `revoked by ${showText(revoked.by)}, ${momentOf(revoked.atMs)}`,
]

function readScopes(text: string): readonly KeyScope[] {
  const named = [...new Set(text.split(',').map((scope) => scope.trim()))]
  const unknown = named.filter((scope) => !(keyScopes as readonly string[]).includes(scope))
  if (unknown.length > 0) throw new InvalidArgumentError(`There is no scope ${unknown.join(', ')}; no key decides.`)
  return named as readonly KeyScope[]
}

function readDays(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It is a number of days, 9999 at most.')
}

async function operate<T>(options: ConfiguredOptions, work: (operations: Operations, tenant: string) => Promise<T>): Promise<T> {
  const { readConfiguration } = await import('./configuration.ts')
  const { withOperations } = await import('./with-operations.ts')
  const { config } = await readConfiguration(options)
  return await withOperations(options, (operations) => work(operations, config.tenant))
}
