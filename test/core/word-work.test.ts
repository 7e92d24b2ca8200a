import { describe, expect, it } from 'vitest'
import type { Source } from '../../src/core/decision-file.ts'
import { lintWords } from '../../src/core/lint-words.ts'
import { type KeptMiss, type NextStep, replayWords, type WordDecision } from '../../src/core/replay-words.ts'
import { patchOf, suggestionsOf } from '../../src/core/suggest-words.ts'
import { anEntry, shippedLocales, shippedSource, shippedVocabulary } from '../support/vocabularies.ts'

const es = shippedVocabulary('es')
const wider = shippedVocabulary('es', 'en', {
  approve: [anEntry('vamos'), anEntry('dale', { on: false })],
  card: { approve: 'sí' },
})

const aMiss = (folded: string, next: NextStep, over: Partial<KeptMiss> = {}): KeptMiss => ({
  account: 'front',
  locale: 'es',
  folded,
  kind: 'other',
  person: 'ana',
  proposalId: 'p',
  atMs: 1,
  next,
  ...over,
})
const aDecision = (phrase: string, over: Partial<WordDecision> = {}): WordDecision => ({
  proposalId: 'p',
  code: 'K7Q2',
  account: 'front',
  verdict: 'approve',
  via: 'phrase',
  phrase,
  reversibility: 'reversible',
  atMs: 2,
  ...over,
})
const pressed = { did: 'pressed', verdict: 'approve' } as const

describe('a replay', () => {
  const otherwise = (misses: readonly KeptMiss[], decisions: readonly WordDecision[], words = wider) =>
    replayWords({ misses, decisions }, () => words).map(({ text, was, becomes, approvesAnew }) => [
      text,
      was,
      becomes,
      approvesAnew,
    ])

  it('finds nothing under the words that decided', () => {
    expect(otherwise([aMiss('vamos', pressed)], [aDecision('dale')], es)).toEqual([])
  })

  it('finds an approve that its person gave in another way, which is no new one', () => {
    expect(otherwise([aMiss('vamos', pressed)], [])).toEqual([['vamos', 'none', 'approve', false]])
    expect(otherwise([aMiss('vamos', { did: 'typed', verdict: 'approve', phrase: 'dale' })], [])).toEqual([
      ['vamos', 'none', 'approve', false],
    ])
  })

  it.each<NextStep>([
    { did: 'gave_up' },
    { did: 'other' },
    { did: 'waits' },
    { did: 'pressed', verdict: 'reject' },
    { did: 'typed', verdict: 'reject', phrase: 'no' },
  ])('finds an approve that nobody gave: %j', (next) => {
    expect(otherwise([aMiss('vamos', next)], [])).toEqual([['vamos', 'none', 'approve', true]])
  })

  it('finds decisions that would not have been made, or would be too weak', () => {
    const weak = shippedVocabulary('es', 'en', { approve: [anEntry('adelante', { weight: 'ack' })] })
    expect(otherwise([], [aDecision('dale'), aDecision('sí')])).toEqual([['dale', 'approve', 'none', false]])
    expect(otherwise([], [aDecision('adelante', { reversibility: 'observed' })], weak)).toEqual([
      ['adelante', 'approve', 'none', false],
    ])
    expect(otherwise([], [aDecision('adelante')], weak)).toEqual([])
  })

  it('finds a refusal that would be an approval, and calls it a new one', () => {
    const turned = shippedVocabulary('es', 'en', {
      approve: [anEntry('anular')],
      reject: [anEntry('anular', { on: false })],
    })
    expect(otherwise([], [aDecision('anular', { verdict: 'reject' })], turned)).toEqual([['anular', 'reject', 'approve', true]])
  })

  it('leaves out what belongs to accounts that have no words here', () => {
    expect(replayWords({ misses: [aMiss('vamos', pressed)], decisions: [aDecision('dale')] }, () => undefined)).toEqual([])
  })
})

describe('suggestions', () => {
  const rejected = { did: 'typed', verdict: 'reject', phrase: 'no' } as const

  it('count per locale and text, with what came next, the most frequent first', () => {
    const misses = [
      aMiss('vamos', pressed),
      aMiss('vamos', { did: 'gave_up' }, { person: 'beto' }),
      aMiss('hoy', { did: 'other' }),
      aMiss('vamos', pressed, { locale: 'pt-BR' }),
    ]
    expect(
      suggestionsOf(misses).map(({ locale, text, times, people, next, means }) => [locale, text, times, people, next, means]),
    ).toEqual([
      ['es', 'vamos', 2, 2, { 'then pressed Confirm': 1, 'gave up': 1 }, 'approve'],
      ['es', 'hoy', 1, 1, { 'then wrote something else': 1 }, undefined],
      ['pt-BR', 'vamos', 1, 1, { 'then pressed Confirm': 1 }, 'approve'],
    ])
  })

  it('become an override where people agree, often enough, on what may be a phrase', () => {
    const misses = [
      ...[aMiss('vamos', pressed), aMiss('vamos', pressed)],
      ...[aMiss('ni loco', rejected), aMiss('ni loco', rejected)],
      ...[aMiss('depende', pressed), aMiss('depende', rejected)],
      ...[aMiss('gracias', pressed), aMiss('gracias', pressed)],
      ...[aMiss('👍', pressed), aMiss('👍', pressed)],
      aMiss('una vez', pressed),
    ]
    const patch = patchOf(suggestionsOf(misses), 2, () => es)
    expect(patch.es?.approve?.map(({ text, weight }) => [text, weight])).toEqual([
      ['vamos', 'ack'],
      // It is listed already: only to be switched on.
      ['👍', undefined],
    ])
    expect(patch.es?.reject?.map(({ text, on, comment }) => [text, on, comment])).toEqual([
      ['ni loco', true, 'Written 2 times by 1 person: 2 then wrote “no”.'],
    ])
    expect(suggestionsOf(misses).find(({ text }) => text === 'gracias')?.fault).toContain('greeting or a filler')
  })
})

describe('lint', () => {
  const shipped = shippedLocales.map(shippedSource)
  const lint = (decision: Source['decision'], locale = 'es') => {
    const own: Source = { locale, file: 'own', decision }
    return lintWords([own], [own, ...shipped]).map(({ path, message }) => `${path}: ${message}`)
  }
  const good = { region: 'everywhere', comment: 'Plain.' }

  it('has nothing against a phrase that says where it is said and why', () => {
    expect(lint({ approve: [anEntry('vamos', good)] })).toEqual([])
    expect(
      lint({
        approve: [
          { text: 'vale', on: false },
          { text: '👍', on: true, ...good },
        ],
      }),
    ).toEqual([])
  })

  it.each<[string, Source['decision'], string]>([
    ['no comment', { approve: [anEntry('vamos', { region: 'everywhere' })] }, 'has no comment'],
    ['no region', { approve: [anEntry('vamos', { comment: 'x' })] }, 'has no region'],
    ['two letters', { approve: [anEntry('ea', good)] }, 'is two letters'],
    ['a common word', { approve: [anEntry('perfecto', good)] }, 'is said every day'],
    ['a spelling that switches nothing off', { approve: [anEntry('dalle', { on: false })] }, 'no other file has it'],
    [
      'an entry that changes nothing',
      { approve: [anEntry('dale', good)] },
      'says the same as locales/es/decision.json approve[9]',
    ],
    ['an ack word made full', { approve: [anEntry('vale', good)] }, 'is only an ack word'],
    ['a word that means the opposite elsewhere', { approve: [anEntry('cancele', good)] }, 'means the opposite in locales/pt-BR'],
    ['an approve that hides the always', { approve: [anEntry('sí siempre en esta conversación', good)] }, 'hides the "always"'],
    ['a printed word of one region', { card: { approve: 'dale' } }, 'people elsewhere may not know'],
  ])('warns of %s', (_what, decision, message) => {
    expect(lint(decision)).toEqual([expect.stringContaining(message)])
  })
})
