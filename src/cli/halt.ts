import type { Command } from 'commander'
import { showText } from '../core/show-text.ts'
import type { Halt } from '../ports/store.ts'
import { momentOf } from './proposal-lines.ts'
import { readText } from './read-arguments.ts'
import { tableOf } from './table.ts'
import { answer, type ConfiguredOptions, Failure, newVerb, withConfig } from './verb.ts'

type Scope = Halt['scope']

interface HaltOptions extends ConfiguredOptions {
  readonly by?: string
  readonly reason?: string
}

/** `dale halt`: stops everything that has not begun, at once and in every process. */
export const halt = (): Command =>
  withConfig(
    newVerb(
      'halt',
      'Stop an action, an account or everything: whatever has not been sent stays undone, and nothing new is asked.',
      [
        ['dale halt', 'what is halted now'],
        ['dale halt all --by ana --reason "wrong prices"', 'nothing is done any more'],
        ['dale halt crear_acuerdo --by ana', 'this action is not done any more'],
        ['dale halt account:front --by ana', 'nothing that was asked for through this account is done'],
      ],
    ),
  )
    .argument('[what]', 'the name of an action, account:NAME, or all', readScope)
    .option('--by <name>', 'who halts it; needed, and shown to whoever wonders', readText)
    .option('--reason <text>', 'why', readText)
    .action(async (scope: Scope | undefined, options: HaltOptions, command: Command) => {
      const { withOperations } = await import('./with-operations.ts')
      if (scope === undefined) {
        const halts = await withOperations(options, (operations) => operations.halts())
        return answer(options, halts, haltLines(halts))
      }
      const { by, reason } = options
      if (by === undefined) return command.error('error: say who halts it: --by NAME')
      await checkThatThereIs(scope, options)
      const halts = await withOperations(options, async (operations) => {
        await operations.halt({ scope, by, ...(reason === undefined ? {} : { reason }) })
        return await operations.halts()
      })
      answer(options, { halted: nameOf(scope), halts }, [
        `${nameOf(scope)} is halted. Calls that were sent before go on; dale resume ${nameOf(scope)} lets it go on.`,
        ...haltLines(halts),
      ])
    })

/** `dale resume`: lets go on what was halted. What ended in the meantime stays ended. */
export const resume = (): Command =>
  withConfig(
    newVerb('resume', 'Let go on what was halted. What ended meanwhile stays ended.', [
      ['dale resume all', 'takes back dale halt all, and no halt of an action or account'],
    ]),
  )
    .argument('<what>', 'as it was halted: the name of an action, account:NAME, or all', readScope)
    .action(async (scope: Scope, options: ConfiguredOptions) => {
      const { withOperations } = await import('./with-operations.ts')
      const [was, halts] = await withOperations(
        options,
        async (operations) => [await operations.resume(scope), await operations.halts()] as const,
      )
      if (!was) throw new Failure(`${nameOf(scope)} is not halted.\n${haltLines(halts).join('\n')}`)
      answer(options, { resumed: nameOf(scope), halts }, [`${nameOf(scope)} goes on.`, ...haltLines(halts)])
    })

/** A halt with a typing error would stop nothing. A configuration that does not load must not keep anybody from halting. */
async function checkThatThereIs(scope: Scope, options: ConfiguredOptions): Promise<void> {
  if (scope.kind === 'all') return
  const { readConfiguration } = await import('./configuration.ts')
  const { messageOf } = await import('./failure.ts')
  const checked = await readConfiguration(options).catch((error: unknown) => {
    process.stderr.write(`Whether there is ${nameOf(scope)} could not be checked: ${messageOf(error)}\n`)
    return undefined
  })
  if (checked === undefined) return
  const names = (scope.kind === 'action' ? checked.config.actions : checked.config.accounts).map(({ name }) => name)
  const isOfSource = scope.kind === 'action' && checked.config.sources.some((source) => source.mayHave(scope.name))
  if (!names.includes(scope.name) && !isOfSource)
    throw new Failure(`There is no ${scope.kind} ${scope.name}; there is ${names.join(', ') || 'none'}. Nothing was halted.`)
}

function readScope(text: string): Scope {
  if (text === 'all') return { kind: 'all' }
  const [, kind = 'action', name = ''] = /^(?:(action|account):)?(.+)$/.exec(readText(text)) ?? []
  return kind === 'account' ? { kind, name } : { kind: 'action', name }
}

const nameOf = (scope: Scope): string =>
  scope.kind === 'all' ? 'all' : scope.kind === 'account' ? `account:${scope.name}` : scope.name

function haltLines(halts: readonly Halt[]): readonly string[] {
  if (halts.length === 0) return ['Nothing is halted.']
  const rows = halts.map(({ scope, by, sinceMs, reason }) => [
    nameOf(scope),
    `by ${showText(by)}`,
    `since ${momentOf(sinceMs)}`,
    reason === undefined ? '' : showText(reason),
  ])
  return ['Halted now:', ...tableOf(rows).map((line) => `  ${line}`)]
}
