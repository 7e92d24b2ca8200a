import type { Command } from 'commander'
import type { WebhookState } from '../ports/webhooks.ts'
import type { Operations } from './operations.ts'
import { momentOf } from './proposal-lines.ts'
import { readText } from './read-arguments.ts'
import { tableOf } from './table.ts'
import { answer, type CommonOptions, Failure, newVerb, withJson } from './verb.ts'

/** `dale webhooks`: how far the addresses of the configuration were told, and telling them again. */
export function webhooks(): Command {
  const verb = newVerb('webhooks', 'See how far each address was told what happens to proposals, and tell it again.', [
    ['dale webhooks list', 'what waits, what was given up, and who is disabled'],
    ['dale webhooks replay https://erp.example.com/dale', 'what was given up in the last day, under the same ids'],
    ['dale webhooks replay https://erp.example.com/dale --all --hours 2', 'what was told in the last two hours too'],
  ])
  for (const part of [list(), replay()]) verb.addCommand(part)
  return verb
}

const list = (): Command =>
  withJson(newVerb('list', 'List the addresses that were ever told.')).action(async (options: CommonOptions) => {
    const all = await operate((operations) => operations.webhooks())
    answer(
      options,
      all,
      all.length === 0 ? ['None.'] : tableOf([['ADDRESS', 'SINCE', 'WAITING', 'GIVEN UP', 'STATE'], ...all.map(rowOf)]),
    )
  })

const replay = (): Command =>
  withJson(newVerb('replay', 'Tell again what was given up; an address that was disabled hears again.'))
    .argument('<address>', 'as in the list', readText)
    .option('--all', 'what was told too')
    .option('--hours <hours>', 'how far back', Number, 24)
    .action(
      async (
        url: string,
        { all = false, hours, ...options }: CommonOptions & { readonly all?: boolean; readonly hours: number },
      ) => {
        if (!(hours > 0)) throw new Failure('How far back is a number of hours.')
        const times = await operate((operations) => operations.replayWebhook(url, !all, hours * 3_600_000))
        if (times === undefined) throw new Failure(`${url} was never told anything; dale webhooks list shows the addresses.`)
        answer(options, { address: url, again: times }, [`${times} ${times === 1 ? 'event is' : 'events are'} told again.`])
      },
    )

const rowOf = ({ url, sinceMs, waiting, givenUp, disabledAtMs }: WebhookState): readonly string[] => [
  url,
  momentOf(sinceMs),
  String(waiting),
  String(givenUp),
  disabledAtMs === undefined ? 'told' : `disabled since ${momentOf(disabledAtMs)}: it answered 410`,
]

async function operate<T>(work: (operations: Operations) => Promise<T>): Promise<T> {
  const { withOperations } = await import('./with-operations.ts')
  return await withOperations({}, work)
}
