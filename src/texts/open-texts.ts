import english from '../../locales/en/chat.json' with { type: 'json' }
import { buildVocabulary } from '../core/build-vocabulary.ts'
import type { CardWords, Source } from '../core/decision-file.ts'
import { BrokenInvariantError, ConfigError, type Problem } from '../core/errors.ts'
import type { Vocabulary } from '../core/vocabulary.ts'
import type { Say, Texts } from '../ports/texts.ts'
import { type AccountFiles, accountWords, type FileWords } from './account-words.ts'
import { listLocales } from './list-locales.ts'
import { type Loaded, loadLocale } from './load-locale.ts'
import { sayOf } from './say.ts'

/** Where texts and words come from. */
export interface TextsOptions {
  /** The shipped locales: `<localesDir>/<locale>/chat.json` and `decision.json`. */
  readonly localesDir: string
  /** Locales of one's own, in the same layout: beside the shipped ones, or over them, text by text and phrase by phrase. */
  readonly folder?: string
  /** Words and texts to be tried: they stand over the folder's. */
  readonly over?: string
  /** Which to open; all that there are, unless named. The fallback is always open. */
  readonly locales?: readonly string[]
  /** Says what a locale lacks, and its words decide beside every locale's (RULES 1.7). */
  readonly fallback: string
  /** Accounts by name, with words of their own where they have any. */
  readonly accounts?: Readonly<Record<string, AccountFiles>>
}

/** What a reload did: the new texts are in use, or the last good ones still are. */
export type Reloaded =
  | { readonly ok: true; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** Texts that were read from files, and can be read again. A locale that is not open is served by the fallback. */
export interface OpenedTexts extends Texts {
  /** What is doubtful in the files in use. */
  readonly warnings: readonly Problem[]
  /** The words that a locale's files say: its own and the fallback's. */
  vocabulary(locale: string): Vocabulary
  /** What a locale's cards print. */
  words(locale: string): CardWords
  /** The words that an account's files say. */
  wordsOf(account: string): FileWords
  /** The folders that are read, the shipped one too. */
  readonly folders: readonly string[]
  /** Every file of words in use. */
  readonly sources: readonly Source[]
  /** Reads every file again and puts all of it in use at once, or nothing. Two at a time happen one after the other. */
  reload(): Promise<Reloaded>
}

interface Edition {
  readonly locales: readonly string[]
  readonly say: Say
  readonly words: ReadonlyMap<string, FileWords>
  readonly accounts: ReadonlyMap<string, FileWords>
  readonly sources: readonly Source[]
  readonly warnings: readonly Problem[]
}

const distinct = (problems: readonly Problem[]): readonly Problem[] => [
  ...new Map(problems.map((problem) => [`${problem.path}\n${problem.message}`, problem])).values(),
]

async function read({
  localesDir,
  folder,
  over,
  locales,
  fallback,
  accounts = {},
}: TextsOptions): Promise<Edition | { readonly problems: readonly Problem[] }> {
  const folders = [...new Set([over, folder, localesDir].filter((one) => one !== undefined))]
  const there = await listLocales(folders)
  if (there.problems.length > 0) return { problems: there.problems }
  const wanted = [...new Set([...(locales ?? there.locales), ...Object.values(accounts).map(({ locale }) => locale), fallback])]
  const loaded = await Promise.all(wanted.map((locale) => loadLocale(locale, folders, english)))
  const problems = loaded.flatMap((one) => [...one.problems, ...(one.locale === fallback ? one.missing : [])])
  const { words, ...rest } = buildAll(loaded, fallback)
  problems.push(...rest.problems)
  const own = await Promise.all(Object.entries(accounts).map(([name, account]) => accountWords(name, account, loaded, fallback)))
  problems.push(...own.flatMap((one) => one.problems))
  if (problems.length > 0) return { problems: distinct(problems) }
  const say = sayOf(new Map(loaded.map(({ locale, chat }) => [locale, chat])), fallback)
  const warnings = [
    ...loaded.flatMap(({ missing }) => missing),
    ...[...words.values(), ...own.flatMap(({ words: built }) => built ?? [])].flatMap((one) => one.warnings),
  ]
  const byAccount = new Map(own.flatMap(({ name, words: built }) => (built === undefined ? [] : [[name, built] as const])))
  const sources = [...loaded, ...own].flatMap((one) => one.sources)
  return { locales: wanted, say, words, accounts: byAccount, sources, warnings: distinct(warnings) }
}

/** The vocabulary of every locale that could be read, each with the fallback's words behind its own. */
function buildAll(
  loaded: readonly Loaded[],
  fallback: string,
): { readonly words: ReadonlyMap<string, FileWords>; readonly problems: readonly Problem[] } {
  const words = new Map<string, FileWords>()
  const problems: Problem[] = []
  const behind = loaded.find(({ locale }) => locale === fallback)?.sources ?? []
  for (const { locale, sources } of loaded) {
    if (sources.length === 0) continue
    const built = buildVocabulary(locale === fallback ? sources : [...sources, ...behind])
    if (built.ok) words.set(locale, built)
    else problems.push(...built.problems)
  }
  return { words, problems }
}

/** Opens the texts. Throws a ConfigError with every problem of every file, by path, when anything is wrong with them. */
export async function openTexts(options: TextsOptions): Promise<OpenedTexts> {
  const first = await read(options)
  if ('problems' in first) throw new ConfigError(first.problems)
  let edition = first
  let reading: Promise<unknown> = Promise.resolve()

  const wordsIn = (locale: string): FileWords => {
    const words = edition.words.get(locale) ?? edition.words.get(options.fallback)
    if (words === undefined) throw new BrokenInvariantError(`the fallback ${options.fallback} was opened without words`)
    return words
  }
  const reload = async (): Promise<Reloaded> => {
    const next = await read(options)
    if ('problems' in next) return { ok: false, problems: next.problems }
    edition = next
    return { ok: true, warnings: next.warnings }
  }
  return {
    get locales() {
      return edition.locales
    },
    get warnings() {
      return edition.warnings
    },
    say: (locale, key, values) => edition.say(locale, key, values),
    vocabulary: (locale) => wordsIn(locale).vocabulary,
    words: (locale) => wordsIn(locale).card,
    wordsOf: (account) => {
      const words = edition.accounts.get(account)
      if (words === undefined) throw new BrokenInvariantError(`the account ${account} was opened without words`)
      return words
    },
    folders: [
      options.localesDir,
      ...[options.folder, options.over].filter((one) => one !== undefined),
      ...Object.values(options.accounts ?? {}).flatMap(({ folders }) => folders),
    ],
    get sources() {
      return edition.sources
    },
    reload: () => {
      const mine = reading.then(reload)
      // Whoever asked gets the error; the next one in line does not.
      reading = mine.catch(() => undefined)
      return mine
    },
  }
}
