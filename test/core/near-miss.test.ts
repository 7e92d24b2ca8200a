import { describe, expect, it } from 'vitest'
import { looksLikeAttempt, nearMissOf } from '../../src/core/near-miss.ts'
import { shippedVocabulary } from '../support/vocabularies.ts'

const es = shippedVocabulary('es')

describe('a short message that decided nothing', () => {
  it.each([
    ['dalee', 'dalee', 'letter'],
    ['Confrmo!', 'confrmo', 'letter'],
    ['sii', 'sii', 'letter'],
    ['noo', 'noo', 'letter'],
    ['yo', 'yo', 'other'],
    ['Dale nomás.', 'dale nomas', 'word'],
    ['ok gracias', 'ok gracias', 'word'],
    ['por favor, dale', 'por favor dale', 'other'],
    ['👍🏽', '👍', 'emoji'],
    ['✅', '✅', 'emoji'],
    ['🙏', '🙏', 'other'],
    ['va', 'va', 'other'],
    ['vamos', 'vamos', 'other'],
    ['a ver después hablamos', 'a ver despues hablamos', 'other'],
  ])('%j is kept as %j, %s', (text, folded, kind) => {
    expect(nearMissOf(text, es)).toEqual({ folded, kind })
  })

  it.each([
    'dale',
    'No.',
    'uno dos tres cuatro cinco',
    'mi dni es 30111222',
    'pagar ２ cuotas',
    'ana@example.com',
    'https://example.com',
    'dale\ngracias',
    'dale #K7Q2',
    '',
    ' ',
    'x'.repeat(65),
    'x'.repeat(100_000),
  ])('%j is a phrase, or nothing to keep', (text) => {
    expect(nearMissOf(text, es)).toBeUndefined()
  })

  it('is an attempt when it is like a phrase', () => {
    expect((['letter', 'word', 'emoji', 'other'] as const).map((kind) => looksLikeAttempt({ folded: '', kind }))).toEqual([
      true,
      true,
      true,
      false,
    ])
  })
})
