import { join, resolve } from 'node:path'
import { z } from 'zod'
import { textsOptionsOf } from '../../compose.ts'
import { configFiles, loadConfig } from '../../config/load-config.ts'
import { ConfigError } from '../../core/errors.ts'
import { type OpenedTexts, openTexts, type TextsOptions } from '../../texts/open-texts.ts'
import { isThere } from '../configuration.ts'
import { type ConfiguredOptions, Failure } from '../verb.ts'

/** What a verb about words takes. */
export interface WordsOptions extends ConfiguredOptions {
  /** A folder of words to be tried, over all others of every account, or of one. */
  readonly with?: string
  readonly account?: string
}

/** Of a configuration only what words need: they can be tried without a token in the environment. */
const partsOfWords = z.looseObject({
  locales: z
    .looseObject({ default: z.string().default('en'), fallback: z.string().default('en'), folder: z.string().optional() })
    .prefault({}),
  accounts: z.record(z.string(), z.looseObject({ locale: z.string().optional(), words: z.string().optional() })).default({}),
})

/** The words that files say, with the configuration's accounts; all shipped locales where there is no configuration. */
export interface FilesOfWords {
  readonly texts: OpenedTexts
  readonly options: TextsOptions
  /** Every account's locale. */
  readonly accounts: ReadonlyMap<string, string>
  readonly defaultLocale: string
}

/** Opens the words of the configuration that is here, with those of `--with` over them. Throws `ConfigError` with every problem. */
export async function openWords({ config, with: over, account }: WordsOptions): Promise<FilesOfWords> {
  const { locales, accounts } = await configured(config)
  const named = Object.entries(accounts).map(([name, { locale = locales.default, words }]) => ({
    name,
    locale,
    words: words === undefined ? undefined : resolve(words),
  }))
  if (account !== undefined && !named.some(({ name }) => name === account))
    throw new Failure(`There is no account ${account}; there is ${named.map(({ name }) => name).join(', ') || 'none'}.`)
  const base = textsOptionsOf({
    locales: {
      default: locales.default,
      fallback: locales.fallback,
      ...(locales.folder === undefined ? {} : { folder: resolve(locales.folder) }),
    },
    accounts: named.map(({ name, locale, words }) => ({ channel: 'simulator' as const, name, locale, words })),
  })
  const tried = over === undefined ? undefined : resolve(over)
  if (tried !== undefined) await checkThatThereIs(tried)
  const options: TextsOptions = {
    ...base,
    ...(tried !== undefined && account === undefined ? { over: tried } : {}),
    accounts: Object.fromEntries(
      Object.entries(base.accounts ?? {}).map(([name, files]) => [
        name,
        tried !== undefined && name === account ? { ...files, folders: [tried, ...files.folders] } : files,
      ]),
    ),
  }
  // All there are, not only those that an account has: they are to be looked at.
  const { locales: _used, ...everyLocale } = options
  return {
    texts: await openTexts(everyLocale),
    options: everyLocale,
    accounts: new Map(named.map(({ name, locale }) => [name, locale])),
    defaultLocale: locales.default,
  }
}

async function configured(path: string | undefined): Promise<z.infer<typeof partsOfWords>> {
  if (path === undefined && !(await anyThere(configFiles))) return partsOfWords.parse({})
  const { file, input } = await loadConfig(process.cwd(), path)
  const read = partsOfWords.safeParse(input)
  if (read.success) return read.data
  throw new ConfigError(read.error.issues.map(({ path: where, message }) => ({ path: `${file} ${where.join('.')}`, message })))
}

const anyThere = async (names: readonly string[]): Promise<boolean> =>
  (await Promise.all(names.map((name) => isThere(join(process.cwd(), name))))).includes(true)

/** A folder that is not there is a mistake in what was typed, not in the words. Throws `ConfigError`. */
export async function checkThatThereIs(folder: string): Promise<void> {
  if (!(await isThere(folder)))
    throw new ConfigError([{ path: folder, message: 'is not there: name a folder with <locale>/decision.json in it' }])
}
