import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { fold } from '../../src/core/fold.ts'
import { matchDecision } from '../../src/core/match.ts'
import { mutantsOf, randomOf } from '../support/mutated-phrases.ts'
import { naiveFold, naiveMatch, naiveWordsOf } from '../support/naive-matcher.ts'
import { ordinarySentencesOf } from '../support/ordinary-sentences.ts'
import { anEntry, shippedLocales, shippedSource, shippedVocabulary } from '../support/vocabularies.ts'

// `MATCHER_STRINGS=10000000 vitest run test/core/match.differential` looks longer; `MATCHER_SEED` looks elsewhere.
const strings = Number(process.env.MATCHER_STRINGS ?? 1_000_000)
const seed = Number(process.env.MATCHER_SEED ?? 1)

const files = shippedLocales.map((locale) => shippedSource(locale).decision)
const phrases = files
  .flatMap((file) => [...(file.approve ?? []), ...(file.reject ?? []), ...(file.leave ?? [])])
  .map(({ text }) => text)
/** As long as a phrase may be, in code points and not in units: with a mark behind it, it is too long. */
const longest = { approve: [anEntry(`${'sí '.repeat(20)}ya 👍`)] }
const always = files.flatMap((file) => file.always ?? []).map(({ text }) => text)

const sentences = shippedLocales.flatMap((locale) => [...new Set(ordinarySentencesOf(locale))])

const active = shippedLocales.map((locale) => ({
  vocabulary: shippedVocabulary(locale, 'en', longest),
  words: naiveWordsOf([longest, shippedSource(locale).decision, ...(locale === 'en' ? [] : [shippedSource('en').decision])]),
}))

test(`two matchers written apart agree on ${strings} almost-decisions (seed ${seed})`, { timeout: 60_000 + strings }, () => {
  const next = mutantsOf({ phrases: [...phrases, ...longest.approve.map(({ text }) => text)], always, sentences }, randomOf(seed))
  const differences: unknown[] = []
  let decided = 0
  for (let i = 0; i < strings && differences.length < 5; i++) {
    const text = next()
    const { vocabulary, words } = active[i % active.length] as (typeof active)[number]
    const [found, naive] = [matchDecision(text, vocabulary), naiveMatch(text, words)]
    if (found !== undefined) decided++
    if (found !== naive && !isDeepStrictEqual(found, naive)) differences.push({ text, found, naive })
  }
  expect(differences).toEqual([])
  // Both kinds must be there in numbers, or the agreement says little.
  expect(decided / strings).toBeGreaterThan(0.2)
  expect(decided / strings).toBeLessThan(0.8)
})

test('two folds written apart agree on every character, alone and between letters', () => {
  const differences: string[] = []
  for (let point = 0; point < 0x110000; point += point < 0x3000 ? 1 : 23) {
    const text = `a${String.fromCodePoint(point)}B ${String.fromCodePoint(point)}`
    if (fold(text) !== naiveFold(text)) differences.push(point.toString(16))
  }
  expect(differences).toEqual([])
})
