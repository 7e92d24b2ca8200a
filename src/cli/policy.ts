import type { Command } from 'commander'
import { canonicalOf } from '../core/fingerprint.ts'
import { gestureOf, isGrave } from '../core/gesture.ts'
import { asksTwo } from '../core/proposal.ts'
import { showText } from '../core/show-text.ts'
import type { Finding } from '../core/unusual.ts'
import type { Escalation } from '../core/whom.ts'
import type { Action } from '../ports/action.ts'
import type { Explained } from './explain.ts'
import { readText } from './read-arguments.ts'
import { tableOf } from './table.ts'
import { answer, type ConfiguredOptions, Failure, newVerb, withConfig } from './verb.ts'

/** `dale policy`: what the rules would say. */
export function policy(): Command {
  return newVerb('policy', 'See which rules speak about a call, and what would be asked of whom.', [
    [`dale policy explain refund '{"order":"7","amount":"90.00"}' --as eva`, 'nothing is written, and nothing is done'],
  ]).addCommand(explainVerb())
}

interface ExplainOptions extends ConfiguredOptions {
  readonly as: string
  readonly account?: string
}

const explainVerb = (): Command =>
  withConfig(
    newVerb('explain', 'Tell which rules speak about one call, in their order, and what would be asked of whom and how.'),
  )
    .argument('<action>', 'its name', readText)
    .argument('<arguments>', 'as an agent would give them, in JSON')
    .requiredOption('--as <person>', 'who asks: somebody of dale people list, or an account like tg:42000001', readText)
    .option('--account <name>', 'through which account (default: the first one)', readText)
    .action(async (name: string, args: string, options: ExplainOptions) => {
      const [{ readConfiguration, hasDatabase }, { explain, knownByConfiguration, knownByStore }, { openSources }, { openLog }] =
        await Promise.all([
          import('./configuration.ts'),
          import('./explain.ts'),
          import('../actions/open-sources.ts'),
          import('../log.ts'),
        ])
      const { config } = await readConfiguration(options)
      await using known = await openSources(
        config.actions,
        config.sources.filter((source) => source.mayHave(name)),
        { log: openLog('silent') },
      )
      const action = known.actions.get(name)
      if (action === undefined) throw new Failure(`There is no action ${name}; there is ${namesOf([...known.actions.values()])}.`)
      const account = options.account ?? config.accounts[0]?.name ?? ''
      if (!config.accounts.some((one) => one.name === account))
        throw new Failure(`There is no account ${account}; there is ${namesOf(config.accounts)}.`)
      const question = { action, args: readArgs(action, args), as: options.as, account }
      const explained = (await hasDatabase())
        ? await (await import('./with-operations.ts')).withOperations(options, (operations) =>
            explain(config, question, knownByStore(config, operations)),
          )
        : await explain(config, question, knownByConfiguration(config))
      answer(options, forPrograms(explained), linesOf(explained))
    })

const namesOf = (named: readonly { readonly name: string }[]): string => named.map(({ name }) => name).join(', ') || 'none'

/** What the schema makes of the arguments, or why an agent's proposal with them would be refused. */
function readArgs(action: Action, text: string): unknown {
  const args = parsed(text)
  const read = action.parse(args)
  if (!read.ok) throw new Failure(`${action.name} takes other arguments: ${read.problems.join('; ')}`)
  const canonical = canonicalOf(read.args)
  if (!canonical.ok) throw new Failure(`${action.name} takes other arguments: ${canonical.problem}`)
  return read.args
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Failure(`The arguments are no JSON: write them like '{"order":"7"}'.`, { cause })
  }
}

/** The answer for programs: errors of rules by their message. */
const forPrograms = (explained: Explained) => ({
  ...explained,
  spoken: explained.spoken.map(({ index, rule, said }) => ({
    path: `policies.${index}`,
    then: rule.then,
    ...(rule.reason === undefined ? {} : { reason: rule.reason }),
    said: said.kind === 'failed' ? { kind: said.kind, cause: causeOf(said.cause) } : said,
  })),
  answer: explained.answer.kind === 'denied' ? { ...explained.answer, cause: undefined } : explained.answer,
  how: explained.answer.kind === 'confirm' ? howOf(explained) : undefined,
})

function linesOf(explained: Explained): readonly string[] {
  const { action, args, asker, spoken, answer: given, counted } = explained
  const roles = asker.roles.length === 0 ? 'no role' : asker.roles.map(showText).join(', ')
  const rules = spoken.map(({ index, rule, said }) => [`policies.${index}`, rule.then, rule.reason?.code ?? '', saidText(said)])
  return [
    `${action} ${showText(JSON.stringify(args))}`,
    `asked for by ${showText(asker.person)} (${roles}) through ${showText(asker.account)}`,
    '',
    ...(rules.length === 0 ? ['No rule is about it.'] : tableOf(rules)),
    ...(counted === undefined ? ['There is no database here yet: limits and histories begin with nothing.'] : []),
    '',
    ...tableOf(
      given.kind === 'denied'
        ? [
            ['denied:', reasonText(given.reason)],
            ['asked of:', 'nobody, and nothing can override it'],
          ]
        : given.kind === 'nobody'
          ? [['asked of:', 'nobody: it is above what anybody here may approve, so it would be refused']]
          : [
              ['asked of:', whom(explained)],
              ['how:', howOf(explained)],
              ...(given.escalate === undefined ? [] : [['then of:', laterOf(given.escalate)]]),
              ...(given.reasons.length === 0 ? [] : [['because:', given.reasons.map(reasonText).join('; ')]]),
              ...(given.marks.length === 0
                ? []
                : [['marked:', given.marks.map(({ field, finding }) => `${field} (${findingText(finding)})`).join('; ')]]),
            ],
    ),
    `policy version ${given.version}`,
  ]
}

function saidText(said: Explained['spoken'][number]['said']): string {
  switch (said.kind) {
    case 'applies':
      return said.finding === undefined ? 'applies' : `applies: ${findingText(said.finding)}`
    case 'allowed':
      return `applies, and policies.${said.by} takes its question away`
    case 'powerless':
      return 'applies, and has no say over what cannot simply be undone'
    case 'failed':
      return `failed, so nothing is done: ${showText(causeOf(said.cause))}`
    case 'silent':
      return said.because === 'condition' ? 'its condition does not hold' : `is for another ${said.because}`
  }
}

const causeOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

function findingText(finding: Finding): string {
  switch (finding.kind) {
    case 'far':
      return `usually about ${finding.usual}`
    case 'never_seen':
      return 'not seen before'
    case 'changed':
      return `last time: ${showText(finding.from)}`
    case 'said':
      return showText(finding.why)
  }
}

const reasonText = ({ code, message }: { readonly code: string; readonly message?: string }): string =>
  message === undefined ? code : `${code}, ${showText(message)}`

const laterOf = ({ afterMs, to }: Escalation): string =>
  `somebody with the role ${to} too, when nobody has decided after ${durationText(afterMs)}`

const durationText = (ms: number): string => (ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1000} s`)

function whom({ answer: given, asker, holders, shownIn, failed }: Explained): string {
  if (given.kind !== 'confirm' || given.approvers.kind === 'requester') return `${showText(asker.person)}, who asks`
  const { approvers } = given
  const { second } = approvers
  if (failed !== undefined)
    return `nobody: ${approvers.kind === 'function' ? approvers.name : ''} fails (${showText(failed)}), so it would be refused`
  const named = holders.map(showText).join(', ') || 'nobody'
  const enough = holders.length >= (second ? 2 : 1) && shownIn.length > 0
  const whose = approvers.kind === 'role' ? `with the role ${approvers.role}` : `whom ${approvers.name} chooses`
  const who = second ? `two persons ${whose}, who does not ask` : `somebody ${whose}`
  const where = shownIn.map(({ account, chat }) => `${account}/${chat}`).join(', ') || 'no chat'
  return `${who} (${named}; shown in ${where})${enough ? '' : '. They are too few: it would be refused'}`
}

/** How hard it is to say yes (RULES 7). */
function howOf({ reversibility, severity, typeToConfirm, answer: given }: Explained): string {
  if (given.kind !== 'confirm') return ''
  const longer = isGrave({ reversibility, ...(severity === undefined ? {} : { severity }) })
    ? '. It looks different, and is read longer'
    : ''
  const asked = { reversibility, approvers: given.approvers, ...(typeToConfirm === undefined ? {} : { typeToConfirm }) }
  switch (gestureOf(asked)) {
    case 'typed':
      return `a word or a tap, and then ${typeToConfirm} typed as the card prints it${longer}`
    case 'second':
      return `nobody could: it takes two persons, or typeToConfirm, so it would be refused${longer}`
    case 'word': {
      const words = reversibility === 'reversible' ? anyPhrase : clearPhrase
      return `${words}${asksTwo(given.approvers) ? ', of each of two persons' : ''}${longer}`
    }
  }
}

const anyPhrase = 'any phrase of the vocabulary, a button, the code, or a reply'
const clearPhrase = 'a clear phrase (not one that only acknowledges), a button, the code, or a reply'
