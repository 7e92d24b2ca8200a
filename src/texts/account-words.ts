import { join } from 'node:path'
import { type Built, buildVocabulary } from '../core/build-vocabulary.ts'
import type { Source } from '../core/decision-file.ts'
import type { Problem } from '../core/errors.ts'
import { type Loaded, loadWords } from './load-locale.ts'

/** Words as files say them. */
export type FileWords = Extract<Built, { ok: true }>

/** Where an account's words are: its locale, and the folders that stand over all others there, the first over the later ones. */
export interface AccountFiles {
  readonly locale: string
  readonly folders: readonly string[]
}

/** What an account's files came to. */
export interface AccountWords {
  readonly name: string
  readonly words?: FileWords
  readonly sources: readonly Source[]
  readonly problems: readonly Problem[]
}

/** The vocabulary of one account, its own folders' words over those of its locale and of the fallback. Never throws. */
export async function accountWords(
  name: string,
  { locale, folders }: AccountFiles,
  loaded: readonly Loaded[],
  fallback: string,
): Promise<AccountWords> {
  const locales = [...new Set([locale, fallback])]
  const shared = locales.map((one) => loaded.find((candidate) => candidate.locale === one)?.sources ?? [])
  // A locale that could not be read has been told already.
  if (shared.some((sources) => sources.length === 0)) return { name, sources: [], problems: [] }
  const own = await Promise.all(locales.map((one) => loadWords(one, folders)))
  const sources = own.flatMap((one) => one.sources)
  const problems = own.flatMap((one) => one.problems)
  if (problems.length === 0 && sources.length === 0)
    problems.push(
      ...folders.map((folder) => ({
        path: folder,
        message: `has no ${locales.map((one) => join(one, 'decision.json')).join(' and no ')}: write one, or name no folder for ${name}`,
      })),
    )
  if (problems.length > 0) return { name, sources, problems }
  const built = buildVocabulary(locales.flatMap((_, place) => [...(own[place]?.sources ?? []), ...(shared[place] ?? [])]))
  return built.ok ? { name, words: built, sources, problems: [] } : { name, sources, problems: built.problems }
}
