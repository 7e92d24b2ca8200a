import type { Command } from 'commander'
import type { Patch, Suggestion } from '../../core/suggest-words.ts'
import { readLimit } from '../read-arguments.ts'
import { tableOf } from '../table.ts'
import { answer, newVerb, withConfig } from '../verb.ts'
import { sinceOption } from './since.ts'
import type { WordsOptions } from './words.ts'

interface SuggestOptions extends WordsOptions {
  readonly since: number
  readonly min: number
  readonly write?: string
}

/** `dale vocabulary suggest`: what people wrote instead of a phrase, what they did next, and a patch to try. */
export const suggest = (): Command =>
  withConfig(
    newVerb(
      'suggest',
      'Count the short messages that decided nothing while a card waited, with what their people did next, and print an override to try.',
      [
        ['dale vocabulary suggest', 'of the last 30 days'],
        [
          'dale vocabulary suggest --since 7d --min 3 --write words-next',
          'and write the override into a folder, beside what is in it',
        ],
      ],
    ),
  )
    .addOption(sinceOption('how far back'))
    .option('--min <number>', 'only what came this often is put into the override', readLimit, 2)
    .option('--write <folder>', 'add the override to <folder>/<locale>/decision.json')
    .action(async (options: SuggestOptions) => {
      const [{ openWords }, { withOperations }, { suggestionsOf, patchOf }] = await Promise.all([
        import('./words.ts'),
        import('../with-operations.ts'),
        import('../../core/suggest-words.ts'),
      ])
      const { texts } = await openWords(options)
      const [misses, decisions] = await withOperations(
        options,
        async (operations) =>
          [await operations.nearMisses(options.since), await operations.wordDecisions(options.since)] as const,
      )
      const suggestions = suggestionsOf(misses)
      const patch = patchOf(suggestions, options.min, (locale) => texts.vocabulary(locale))
      const written = options.write === undefined ? [] : await write(options.write, patch)
      const share = misses.length === 0 ? 0 : misses.length / (misses.length + decisions.length)
      answer(options, { nearMisses: misses.length, decisions: decisions.length, share, suggestions, patch, written }, [
        `${misses.length} near misses beside ${decisions.length} decisions in words: ${(100 * share).toFixed(0)} of 100 short messages decided nothing.`,
        ...suggestionLines(suggestions),
        ...patchLines(patch, options.min),
        ...written.map((file) => `Written: ${file}`),
      ])
    })

function suggestionLines(suggestions: readonly Suggestion[]): readonly string[] {
  if (suggestions.length === 0) return []
  const rows = suggestions.map(({ locale, text, times, people, next, means, fault }) => [
    locale,
    `“${text}”`,
    `${times}×`,
    `${people} ${people === 1 ? 'person' : 'people'}`,
    Object.entries(next)
      .map(([what, often]) => `${often} ${what}`)
      .join(', '),
    fault === undefined ? (means ?? '') : `no phrase: it ${fault}`,
  ])
  return ['', ...tableOf(rows)]
}

function patchLines(patch: Patch, min: number): readonly string[] {
  const files = Object.entries(patch)
  if (files.length === 0)
    return ['', `Nothing to add: no text came ${min} times from people who all meant the same by it and may be a phrase.`]
  return files.flatMap(([locale, file]) => ['', `${locale}/decision.json`, JSON.stringify(file, undefined, 2)])
}

/** Adds a patch to the files of a folder: what they have stays as it is. */
async function write(folder: string, patch: Patch): Promise<readonly string[]> {
  const [{ mkdir, writeFile }, { dirname, join }, { readJson }, { decisionSchema }, { fold }, { ConfigError }] =
    await Promise.all([
      import('node:fs/promises'),
      import('node:path'),
      import('../../texts/read-json.ts'),
      import('../../texts/schemas.ts'),
      import('../../core/fold.ts'),
      import('../../core/errors.ts'),
    ])
  const written: string[] = []
  for (const [locale, added] of Object.entries(patch)) {
    const file = join(folder, locale, 'decision.json')
    const read = await readJson(file, decisionSchema)
    if (read.kind === 'wrong') throw new ConfigError(read.problems)
    const before = read.kind === 'read' ? read.value : {}
    const after = { ...before }
    for (const list of ['approve', 'reject'] as const) {
      const had = before[list] ?? []
      const fresh = (added[list] ?? []).filter(({ text }) => !had.some((entry) => fold(entry.text) === fold(text)))
      if (fresh.length > 0) after[list] = [...had, ...fresh]
    }
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, `${JSON.stringify(after, undefined, 2)}\n`)
    written.push(file)
  }
  return written
}
