import { describe, expect, it } from 'vitest'
import { matchDecision } from '../../src/core/match.ts'
import { ordinarySentencesOf } from '../support/ordinary-sentences.ts'
import { shippedLocales, shippedSource, shippedVocabulary } from '../support/vocabularies.ts'

describe('what customers write about a yes or a no is neither', () => {
  it.each(shippedLocales)('none of the ordinary sentences in %s decides', (locale) => {
    const sentences = [...new Set(ordinarySentencesOf(locale))]
    const vocabulary = shippedVocabulary(locale)
    expect(sentences.length).toBeGreaterThanOrEqual(3000)
    expect(sentences.filter((sentence) => matchDecision(sentence, vocabulary) !== undefined)).toEqual([])
  })

  it.each(shippedLocales)('every phrase stands in the sentences of %s, and no gap is left open', (locale) => {
    const sentences = [...new Set(ordinarySentencesOf(locale))]
    expect(sentences.filter((sentence) => sentence.includes('{'))).toEqual([])
    const { decision } = shippedSource(locale)
    for (const { text } of [...(decision.approve ?? []), ...(decision.reject ?? [])])
      expect(sentences.filter((sentence) => sentence.includes(text)).length).toBeGreaterThan(40)
  })
})
