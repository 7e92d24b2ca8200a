import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { explain } from '../../src/core/explain.ts'
import { matchDecision } from '../../src/core/match.ts'
import { shippedLocales, shippedVocabulary } from '../support/vocabularies.ts'

const es = shippedVocabulary('es')
const vocabularies = shippedLocales.map((locale) => shippedVocabulary(locale))
const runs = Number(process.env.DALE_TEST_EXPLAIN_RUNS ?? 20_000)

/** What the matcher says, in the words of `explain`. */
function matched(text: string, vocabulary: typeof es) {
  const found = matchDecision(text, vocabulary)
  if (found === undefined) return { verdict: 'none' }
  if (found.kind === 'code') return { verdict: 'none', code: found.code }
  const { verdict, phrase, code, always } = found
  return { verdict, phrase, ...(always && { always }), ...(code !== undefined && { code }) }
}

describe('what is explained', () => {
  it('is what the matcher does, for phrases, their neighbours and anything else', () => {
    const phrase = fc.constantFrom(
      ...vocabularies.flatMap(({ approve, reject, always, edit, leave, off }) => [
        ...approve.keys(),
        ...reject.keys(),
        ...always,
        ...edit,
        ...leave,
        ...off.keys(),
      ]),
    )
    const glue = fc.constantFrom('', ' ', ', ', '  ', '\n', '. ', '! ', '\u00a0')
    const around = fc.constantFrom(
      '',
      '.',
      '!',
      '!!!',
      '!!!!',
      '..',
      '…',
      '?',
      '¿',
      '¡',
      ',',
      '"',
      ' #K7Q2',
      '#K7Q2',
      ' #4512',
      ' #K7Q2!',
      '\u200b',
      ' ',
    )
    const text = fc.oneof(
      fc.tuple(around, phrase, glue, fc.oneof(phrase, fc.constant('')), around).map((parts) => parts.join('')),
      fc.string({ unit: 'binary', maxLength: 300 }),
      phrase.map((one) => one.toUpperCase().normalize('NFD')),
    )
    fc.assert(
      fc.property(text, fc.constantFrom(...vocabularies), (written, vocabulary) => {
        const { why, ...told } = explain(written, vocabulary)
        expect(told).toEqual(matched(written, vocabulary))
        expect(why.length).toBeGreaterThan(10)
      }),
      { numRuns: runs },
    )
  })

  it.each([
    ['x'.repeat(257), 'is longer than 256 characters'],
    ['\u200b', 'is empty once'],
    ['x'.repeat(65), 'is longer than 64 characters once folded'],
    ['dale\ngracias', 'has a line break inside'],
    ['¿dale?', 'holds a question mark'],
    ['dale…', 'holds an ellipsis'],
    ['dale,', 'ends with a comma'],
    ['"dale"', 'holds quotation marks'],
    ['*dale*', 'holds brackets or mark-up'],
    ['dale !', 'has a space before its last mark'],
    ['dale!!!!', 'ends with more marks'],
    ['dale #4512', 'ends with #4512, which is no code'],
    ['dale #K7Q22', 'holds a "#" that is no code'],
    ['#k7q2', 'is a code alone'],
    ['👍', 'is listed under approve and switched off'],
    ['editar', 'opens an edit'],
    ['volver', 'ends a question of Dale’s'],
    ['siempre en esta conversación', 'an approve phrase has to stand before it'],
    ['no, siempre en esta conversación', 'has “always” behind words that do not approve'],
    ['dale nomás', 'holds a phrase and another word'],
    ['confirmoo', 'is a letter away from a phrase'],
    ['bueno dale che vamos', 'holds a phrase among other words'],
    ['hola', 'is no phrase of this vocabulary'],
    ['ok', 'decides only what can be undone'],
    ['dale #k7q2', 'is the phrase “dale” of es, for the card #K7Q2'],
  ])('says of %j that it %s', (text, why) => {
    expect(explain(text, es).why).toContain(why)
  })

  it('costs a megabyte no more than its length', () => {
    expect(explain('dale '.repeat(200_000), es)).toEqual({
      verdict: 'none',
      why: 'is longer than 256 characters: no decision is that long',
    })
  })
})
