import { existsSync, globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import type { VocabularyContent } from '../../core/vocabulary-content.ts'
import { readText } from '../read-arguments.ts'
import { answer, Failure, newVerb, withConfig } from '../verb.ts'
import { changesOf } from './history.ts'
import { replayLines, replayOn } from './replay.ts'
import { sinceOption } from './since.ts'
import type { FilesOfWords, WordsOptions } from './words.ts'

interface ActivateOptions extends WordsOptions {
  readonly force?: string
  readonly reason?: string
  readonly since: number
}

/** `dale vocabulary activate DIR`: makes words decide, in every process at once, after they were tried. */
export const activate = (): Command =>
  withConfig(
    newVerb(
      'activate',
      'Make the words of a folder active, in every process at once, unless a replay or a rehearsal says otherwise.',
      [
        ['dale vocabulary activate words-next', 'over the configuration’s own, for every account'],
        ['dale vocabulary activate words-next --account front', 'for one account'],
        [
          'dale vocabulary activate words-next --force "asked Ana, of support"',
          'against a replay or rehearsal; the reason is kept',
        ],
      ],
    ),
  )
    .argument('<folder>', 'words that stand over all others: <folder>/<locale>/decision.json')
    .option('--account <name>', 'for this account alone')
    .addOption(sinceOption('how far back to replay'))
    .option('--reason <text>', 'why, for the history', readText)
    .option('--force <reason>', 'activate although a replay or rehearsal failed', readText)
    .action(async (folder: string, options: ActivateOptions) => {
      const [{ openWords }, { withOperations }, { whoRuns }] = await Promise.all([
        import('./words.ts'),
        import('../with-operations.ts'),
        import('../../compose.ts'),
      ])
      const files = await openWords({ ...options, with: folder })
      const chosen = [...files.accounts].filter(([name]) => options.account === undefined || name === options.account)
      if (chosen.length === 0) throw new Failure('There is no configuration with accounts here: name one with --config.')
      const told = await withOperations(options, async (operations) => {
        const replayed = await replayOn(operations, files, options.since)
        const rehearsed = await rehearse(files, chosen, folder)
        const objections = [
          ...(replayed.otherwise.some(({ approvesAnew }) => approvesAnew) ? replayLines(replayed) : []),
          ...rehearsed.objections,
        ]
        if (objections.length > 0 && options.force === undefined)
          throw new Failure(
            `Nothing was made active:\n${objections.map((line) => `  ${line}`).join('\n')}\nMend the words, or say why with --force.`,
          )
        const before = new Map((await operations.activeVocabularies()).map((row) => [row.account, row]))
        const reason = options.force ?? options.reason
        const after = await operations.activate(
          chosen.map(([account, locale]) => ({
            account,
            locale,
            content: files.texts.wordsOf(account).content,
            by: whoRuns(),
            ...(reason === undefined ? {} : { reason }),
            forced: objections.length > 0,
          })),
        )
        const accounts = after
          .filter(({ account, id }) => files.accounts.has(account) && before.get(account)?.id !== id)
          .map(({ account, version, content }) => ({
            account,
            version,
            changes: changesIn(before.get(account)?.content, content),
          }))
        return {
          accounts,
          rehearsals: rehearsed.played,
          replayed: { ...replayed, otherwise: replayed.otherwise.length },
          objections,
        }
      })
      answer(options, told, [
        ...told.objections.map((line) => `Forced against: ${line}`),
        `${told.replayed.decisions} decisions and ${told.replayed.nearMisses} near misses replayed, ${told.rehearsals} rehearsals played.`,
        ...told.accounts.flatMap(({ account, version, changes }) => [
          `${account}: ${version.slice(0, 12)} is active.`,
          ...changes.map((change) => `  ${change}`),
        ]),
        ...(told.accounts.length === 0
          ? ['These words are active already.']
          : [
              'A new word counts for cards that are shown from now on. Put the folder into the configuration’s, or the next reload of its files takes it back.',
            ]),
      ])
    })

const changesIn = (before: VocabularyContent | undefined, after: VocabularyContent): readonly string[] =>
  before === undefined ? [] : changesOf(before, after)

/** Plays the conversations that come with each locale by an account's new words, once for the same words. */
async function rehearse(
  { texts, options }: FilesOfWords,
  accounts: readonly (readonly [string, string])[],
  folder: string,
): Promise<{ readonly played: number; readonly objections: readonly string[] }> {
  const [{ openRehearsalRoom }, { differenceOf }, { readScript }] = await Promise.all([
    import('../../rehearsal/rehearse.ts'),
    import('../../rehearsal/difference.ts'),
    import('../../rehearsal/read-script.ts'),
  ])
  const folders = [...new Set([resolve(folder), ...(options.folder === undefined ? [] : [options.folder]), options.localesDir])]
  const locales = new Map(accounts.map(([account, locale]) => [texts.wordsOf(account).vocabulary.version, { account, locale }]))
  const objections: string[] = []
  let played = 0
  await using room = await openRehearsalRoom(process.env)
  for (const { account, locale } of locales.values()) {
    const home = folders.find((one) => existsSync(join(one, locale, 'chat.json')))
    const against =
      home === options.localesDir || home === undefined
        ? undefined
        : { input: { locales: { default: locale, fallback: options.fallback, folder: home } }, cwd: process.cwd() }
    for (const file of folders.flatMap((one) => globSync(join(one, locale, 'rehearsals', '*.chat')).sort())) {
      const script = readScript(file, await readFile(file, 'utf8'))
      const rehearsed = await room.rehearse(script, { against, words: { locale, content: texts.wordsOf(account).content } })
      played += 1
      if (!rehearsed.isSame) objections.push(`${file}: ${script.rule}`, ...differenceOf(rehearsed).map((line) => `  ${line}`))
    }
  }
  return { played, objections }
}
