import { resolve } from 'node:path'
import { styleText } from 'node:util'
import type { Command } from 'commander'
import type { Problem } from '../../core/errors.ts'
import { answer, newVerb, withConfig } from '../verb.ts'
import type { WordsOptions } from './words.ts'

/** Something about words: an error keeps them from being loaded, a warning is for a native speaker to judge. */
export interface Finding extends Problem {
  readonly level: 'error' | 'warning'
}

/** `dale vocabulary lint [DIR]`: what is wrong and what is doubtful in words, with the place and how to mend it. */
export const lint = (): Command =>
  withConfig(
    newVerb(
      'lint',
      'Look for what is wrong or doubtful in words of your own, with the place and how to mend it; ends with 1 on an error.',
      [
        ['dale vocabulary lint', 'the words of the configuration'],
        ['dale vocabulary lint words-next', 'a folder to be tried, over those'],
      ],
    ),
  )
    .argument('[folder]', 'words to be tried: <folder>/<locale>/decision.json')
    .option('--account <name>', 'try the folder for this account alone')
    .action(async (folder: string | undefined, options: WordsOptions) => {
      // What is not there cannot be judged: that is no finding about words.
      if (folder !== undefined) await (await import('./words.ts')).checkThatThereIs(resolve(folder))
      const findings = await findingsIn({ ...options, ...(folder === undefined ? {} : { with: folder }) })
      answer(options, { ok: isSound(findings), findings }, linesOf(findings))
      if (!isSound(findings)) process.exitCode = 1
    })

export const isSound = (findings: readonly Finding[]): boolean => findings.every(({ level }) => level !== 'error')

/** Everything that is wrong; where nothing is, everything that is doubtful. */
export async function findingsIn(options: WordsOptions): Promise<readonly Finding[]> {
  const [{ openWords }, { lintWords }, { ConfigError }] = await Promise.all([
    import('./words.ts'),
    import('../../core/lint-words.ts'),
    import('../../core/errors.ts'),
  ])
  try {
    const { texts, options: read } = await openWords(options)
    const own = texts.sources.filter(({ file }) => !file.startsWith(read.localesDir))
    const doubts =
      own.length === 0
        ? []
        : [
            ...texts.warnings.filter(({ path }) => own.some(({ file }) => path.startsWith(file))),
            ...lintWords(own, texts.sources),
          ]
    return doubts.map((doubt) => ({ level: 'warning', ...doubt }))
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map((problem) => ({ level: 'error', ...problem }))
    throw error
  }
}

/** Findings as people read them: each with its place. */
export function linesOf(findings: readonly Finding[]): readonly string[] {
  const here = `${process.cwd()}/`
  const lines = findings.map(({ level, path, message }) => {
    const mark = styleText(level === 'error' ? 'red' : 'yellow', level.padEnd(7), { stream: process.stdout })
    return `${mark}  ${path.replace(here, '')}: ${message}`
  })
  const errors = findings.filter(({ level }) => level === 'error').length
  const end =
    findings.length === 0
      ? 'Nothing is wrong or doubtful.'
      : `${errors} ${errors === 1 ? 'error' : 'errors'}, ${findings.length - errors} to be judged by who speaks the language.`
  return [...lines, end]
}
