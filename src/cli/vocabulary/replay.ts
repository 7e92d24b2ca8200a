import type { Command } from 'commander'
import type { Otherwise } from '../../core/replay-words.ts'
import type { Operations } from '../operations.ts'
import { momentOf } from '../proposal-lines.ts'
import { tableOf } from '../table.ts'
import { answer, newVerb, withConfig } from '../verb.ts'
import { sinceOption } from './since.ts'
import type { FilesOfWords, WordsOptions } from './words.ts'

interface ReplayOptions extends WordsOptions {
  readonly since: number
}

/** `dale vocabulary replay`: what is on record, judged by other words. */
export const replay = (): Command =>
  withConfig(
    newVerb(
      'replay',
      'Judge the decisions and near misses on record by other words, and show what would have come otherwise; ends with 1 where an approve would appear that nobody gave.',
      [
        ['dale vocabulary replay --since 30d --with words-next', 'words to be tried'],
        ['dale vocabulary replay', 'the words of the files here, against those that were active'],
      ],
    ),
  )
    .addOption(sinceOption('how far back'))
    .option('--with <folder>', 'words to be tried, over all others')
    .option('--account <name>', 'try the folder for this account alone')
    .action(async (options: ReplayOptions) => {
      const [{ openWords }, { withOperations }] = await Promise.all([import('./words.ts'), import('../with-operations.ts')])
      const files = await openWords(options)
      const replayed = await withOperations(options, (operations) => replayOn(operations, files, options.since))
      const ok = !replayed.otherwise.some(({ approvesAnew }) => approvesAnew)
      answer(options, { ok, ...replayed }, replayLines(replayed))
      if (!ok) process.exitCode = 1
    })

/** What a replay looked at, and what would have come otherwise. */
export interface Replayed {
  readonly decisions: number
  readonly nearMisses: number
  readonly otherwise: readonly Otherwise[]
}

/** Judges the record since so many ms ago by the words of some files. */
export async function replayOn(operations: Operations, { texts, accounts }: FilesOfWords, sinceMs: number): Promise<Replayed> {
  const { replayWords } = await import('../../core/replay-words.ts')
  const [decisions, misses] = await Promise.all([operations.wordDecisions(sinceMs), operations.nearMisses(sinceMs)])
  const otherwise = replayWords({ decisions, misses }, (account) =>
    accounts.has(account) ? texts.wordsOf(account).vocabulary : undefined,
  )
  return { decisions: decisions.length, nearMisses: misses.length, otherwise }
}

/** A replay as people read it. */
export function replayLines({ decisions, nearMisses, otherwise }: Replayed): readonly string[] {
  const rows = otherwise.map(({ atMs, account, text, was, becomes, code, approvesAnew, because }) => [
    momentOf(atMs),
    account,
    `“${text}”`,
    `${was} → ${becomes}`,
    `${code === undefined ? '' : `#${code}, `}${because}${approvesAnew ? ': an approve where nobody approved' : ''}`,
  ])
  const anew = otherwise.filter(({ approvesAnew }) => approvesAnew).length
  const end =
    otherwise.length === 0
      ? 'nothing would have come otherwise.'
      : `${otherwise.length} would have come otherwise${anew === 0 ? ', and none of them approves what nobody approved.' : `; ${anew} would approve what nobody approved.`}`
  return [...tableOf(rows), `Of ${decisions} decisions in words and ${nearMisses} near misses, ${end}`]
}
