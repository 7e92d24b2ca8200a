import { describe, expect, it } from 'vitest'
import { matchDecision } from '../../src/core/match.ts'
import ordinary from '../fixtures/matcher/ordinary.json' with { type: 'json' }
import { shippedLocales, shippedSource, shippedVocabulary } from '../support/vocabularies.ts'

/** Sentences of customers with a decision word inside: every frame with every shipped phrase, its other gaps filled in turn. */
function* sentencesOf(locale: keyof typeof ordinary): Generator<string> {
  const { frames, slots } = ordinary[locale]
  const { decision } = shippedSource(locale)
  const phrases = [...(decision.approve ?? []), ...(decision.reject ?? [])].map(({ text }) => text)
  for (const [place, frame] of frames.entries())
    // With three fillings most frames give three sentences a phrase; those without other gaps give one.
    for (const phrase of phrases)
      for (let turn = place; turn < place + 3; turn += 1)
        yield frame.replace(/\{(\w+)\}/g, (_gap, name: string) => {
          const fillers: readonly string[] = slots[name as keyof typeof slots] ?? []
          return name === 'p' ? phrase : (fillers[turn % fillers.length] ?? '')
        })
}

describe('what customers write about a yes or a no is neither', () => {
  it.each(shippedLocales)('none of the ordinary sentences in %s decides', (locale) => {
    const sentences = [...new Set(sentencesOf(locale as keyof typeof ordinary))]
    const vocabulary = shippedVocabulary(locale)
    expect(sentences.length).toBeGreaterThanOrEqual(3000)
    expect(sentences.filter((sentence) => matchDecision(sentence, vocabulary) !== undefined)).toEqual([])
  })

  it.each(shippedLocales)('every phrase stands in the sentences of %s, and no gap is left open', (locale) => {
    const sentences = [...new Set(sentencesOf(locale as keyof typeof ordinary))]
    expect(sentences.filter((sentence) => sentence.includes('{'))).toEqual([])
    const { decision } = shippedSource(locale)
    for (const { text } of [...(decision.approve ?? []), ...(decision.reject ?? [])])
      expect(sentences.filter((sentence) => sentence.includes(text)).length).toBeGreaterThan(40)
  })
})
