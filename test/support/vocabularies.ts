import { readFileSync } from 'node:fs'
import { buildVocabulary } from '../../src/core/build-vocabulary.ts'
import type { DecisionFile, Entry, Source } from '../../src/core/decision-file.ts'
import type { Vocabulary } from '../../src/core/vocabulary.ts'
import { decisionSchema } from '../../src/texts/schemas.ts'

/** The locales that ship. */
export const shippedLocales = ['en', 'es', 'pt-BR'] as const

const shippedFile = (locale: string): URL => new URL(`../../locales/${locale}/decision.json`, import.meta.url)

/** The decision file of a shipped locale, as the gateway reads it. */
export const shippedSource = (locale: string): Source => ({
  locale,
  file: `locales/${locale}/decision.json`,
  decision: decisionSchema.parse(JSON.parse(readFileSync(shippedFile(locale), 'utf8'))),
})

/** An entry that is on, at full weight unless said otherwise. */
export const anEntry = (text: string, over: Partial<Entry> = {}): Entry => ({ text, on: true, weight: 'full', ...over })

/** The active vocabulary of a shipped locale beside the fallback, with more words of its own before it. */
export function shippedVocabulary(locale: string, fallback = 'en', more: DecisionFile = {}): Vocabulary {
  const behind = locale === fallback ? [] : [shippedSource(fallback)]
  const built = buildVocabulary([{ locale, file: 'more', decision: more }, shippedSource(locale), ...behind])
  if (!built.ok) throw new Error(built.problems.map(({ path, message }) => `${path}: ${message}`).join('\n'))
  return built.vocabulary
}
