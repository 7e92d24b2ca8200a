import { once } from 'node:events'
import type { Command } from 'commander'
import { linesOf } from '../json-lines.ts'
import { newVerb, withConfig } from '../verb.ts'
import type { FilesOfWords, WordsOptions } from './words.ts'

/** A text of a megabyte must be answered like any other. */
const maxLineBytes = 16 * 1024 * 1024

interface MatchOptions extends WordsOptions {
  readonly locale?: string
}

interface Asked {
  readonly text: string
  readonly locale?: string | undefined
  readonly account?: string | undefined
}

/** `dale vocabulary match`: what texts decide, one JSON line each. */
export const match = (): Command =>
  withConfig(
    newVerb(
      'match',
      'Tell what each text decides, and why: one JSON line per text, in order. Without texts, JSON lines are read: {"text","locale","account"?}.',
      [
        ['dale vocabulary match --locale es dale "dale nomás"', 'two lines'],
        [`echo '{"text":"sim!","locale":"pt-BR"}' | dale vocabulary match`, 'the same for programs'],
      ],
    ),
  )
    .argument('[texts...]', 'what somebody wrote, each as one word for the shell')
    .option('--locale <locale>', 'whose words (default: the configuration’s)')
    .option('--account <name>', 'the words of this account')
    .option('--with <folder>', 'words to be tried, over all others')
    .action(async (texts: readonly string[], options: MatchOptions) => {
      const { openWords } = await import('./words.ts')
      const files = await openWords(options)
      const { explain } = await import('../../core/explain.ts')
      let failed = false
      const answer = (asked: Asked | string): object => {
        const found =
          typeof asked === 'string'
            ? asked
            : wordsFor(files, { locale: options.locale, account: options.account, ...known(asked) })
        if (typeof found === 'string' || typeof asked === 'string') {
          failed = true
          return { verdict: 'none', error: found }
        }
        const { why, ...verdict } = explain(asked.text, found.vocabulary)
        return { ...verdict, locale: found.locale, why }
      }
      for await (const asked of texts.length > 0 ? texts.map((text) => ({ text })) : askedOn(process.stdin))
        if (!process.stdout.write(`${JSON.stringify(answer(asked))}\n`)) await once(process.stdout, 'drain')
      if (failed) process.exitCode = 1
    })

const known = (asked: Asked): Partial<Asked> =>
  Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined))

/** The vocabulary that a text is asked of, or why there is none. */
function wordsFor({ texts, accounts, defaultLocale }: FilesOfWords, { locale, account }: Partial<Asked>) {
  if (account !== undefined) {
    const own = accounts.get(account)
    if (own === undefined) return `there is no account ${account}`
    // An account's words are those of its locale.
    if (locale === undefined || locale === own) return { vocabulary: texts.wordsOf(account).vocabulary, locale: own }
    return `${account} speaks ${own}, not ${locale}`
  }
  const wanted = locale ?? defaultLocale
  return texts.locales.includes(wanted)
    ? { vocabulary: texts.vocabulary(wanted), locale: wanted }
    : `there is no locale ${wanted}; there is ${texts.locales.join(', ')}`
}

/** What each line asks, or why it asks nothing. */
async function* askedOn(input: AsyncIterable<Uint8Array>): AsyncGenerator<Asked | string> {
  for await (const line of linesOf(input, maxLineBytes)) {
    if (line.kind !== 'line') {
      yield line.kind === 'too_large' ? `the line is longer than ${maxLineBytes} bytes` : 'the line is no UTF-8'
      continue
    }
    yield readAsked(line.text)
  }
}

function readAsked(line: string): Asked | string {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return 'the line is no JSON'
  }
  if (typeof value !== 'object' || value === null || !('text' in value) || typeof value.text !== 'string')
    return 'the line is no {"text": "…", "locale": "…"}'
  const textOf = (key: 'locale' | 'account'): string | undefined => {
    const found = (value as Readonly<Record<string, unknown>>)[key]
    return typeof found === 'string' ? found : undefined
  }
  return { text: value.text, locale: textOf('locale'), account: textOf('account') }
}
