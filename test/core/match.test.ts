import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fold } from '../../src/core/fold.ts'
import { isPhraseOf, matchDecision } from '../../src/core/match.ts'
import cases from '../fixtures/matcher/cases.json' with { type: 'json' }
import { anEntry, shippedLocales, shippedVocabulary } from '../support/vocabularies.ts'

interface Case {
  readonly id: string
  readonly input: string
  readonly locale: string
  readonly pending: number
  readonly expected: string
  readonly why: string
  readonly extraApprove?: readonly string[]
}

const all = cases as readonly Case[]
const vocabularyOf = ({ locale, extraApprove = [] }: Case) =>
  shippedVocabulary(locale, 'en', { approve: extraApprove.map((text) => anEntry(text)) })
const verdictOf = (one: Case) => {
  const found = matchDecision(one.input, vocabularyOf(one))
  return found?.kind === 'phrase' ? found.verdict : (found?.kind ?? 'none')
}

describe('reported cases with one open card', () => {
  it.each(all.filter(({ pending }) => pending === 1))('$id $why $input is $expected in $locale', (one) => {
    expect(verdictOf(one)).toBe(one.expected)
  })
})

describe('reported cases that the open cards decide, not the words', () => {
  it.each(all.filter(({ pending }) => pending !== 1))('$id $why $input is a phrase in $locale all the same', (one) => {
    expect(['none', 'ambiguous']).toContain(one.expected)
    expect(verdictOf(one)).toBe('approve')
  })
})

const es = shippedVocabulary('es')
const approve = { kind: 'phrase', verdict: 'approve' } as const

describe('the grammar around a phrase', () => {
  it.each([
    ['¡Dale!', { ...approve, weight: 'full', phrase: 'dale' }],
    ['¡dale', { ...approve, weight: 'full', phrase: 'dale' }],
    ['Sí, por favor.', { ...approve, weight: 'full', phrase: 'sí por favor' }],
    ['OK!!!', { ...approve, weight: 'ack', phrase: 'ok' }],
    ['no, gracias', { kind: 'phrase', verdict: 'reject', weight: 'full', phrase: 'no gracias' }],
    ['dale #k7q2', { ...approve, weight: 'full', phrase: 'dale', code: 'K7Q2' }],
    ['dale, #K7Q2.', { ...approve, weight: 'full', phrase: 'dale', code: 'K7Q2' }],
    ['sí siempre en esta conversación', { ...approve, weight: 'full', phrase: 'sí', always: true }],
    ['Sí, siempre en esta conversación #K7Q2', { ...approve, weight: 'full', phrase: 'sí', always: true, code: 'K7Q2' }],
    ['yes always in this conversation', { ...approve, weight: 'full', phrase: 'yes', always: true }],
    ['#k7q2', { kind: 'code', code: 'K7Q2' }],
    ['＃Ｋ７Ｑ２', { kind: 'code', code: 'K7Q2' }],
  ])('reads %j', (text, matched) => {
    expect(matchDecision(text, es)).toEqual(matched)
  })

  it.each([
    'dale!!!!',
    'dale..',
    'dale.!',
    'dale!.',
    'dale !',
    'dale .',
    '¡¡dale',
    '¡ dale',
    'dale¡',
    'dale;',
    '(dale)',
    '> dale',
    '- dale',
    'dale,',
    ',dale',
    'sí,por favor',
    'sí , por favor',
    'sí,, por favor',
    'dale #4512',
    'cancelar #4512',
    'dale #ABCD',
    'dale #K7Q',
    'dale #K7Q22',
    'dale #K7QI',
    'dale #K7Q0',
    'dale#K7Q2',
    'dale! #K7Q2',
    '#K7Q2 dale',
    'dale #K7Q2 #K7Q2',
    'hola #K7Q2',
    '# K7Q2',
    'dale # K7Q2',
    'siempre en esta conversación',
    'no siempre en esta conversación',
    'siempre en esta conversación sí',
    'dale sí',
    'editar',
    'volver',
    'dale\n#K7Q2',
    'dale\u2028no',
    'si\vno',
    'sí\r\nno',
    'dale\u0085gracias',
    '',
    ' ',
    '¡',
    '!',
    '.',
    '¡!',
    '#',
    '\ufeff',
  ])('finds no decision in %j', (text) => {
    expect(matchDecision(text, es)).toBeUndefined()
  })

  it('reads nothing into a text over the caps, whatever is invisible in it', () => {
    expect(matchDecision('dale'.padEnd(256), es)).toBeDefined()
    expect(matchDecision('dale'.padEnd(257), es)).toBeUndefined()
    expect(matchDecision(`dale${'\u200b'.repeat(252)}`, es)).toBeDefined()
    expect(matchDecision(`dale${'\u200b'.repeat(253)}`, es)).toBeUndefined()
    const long = shippedVocabulary('es', 'en', { approve: [anEntry('x'.repeat(64))] })
    expect(matchDecision('X'.repeat(64), long)).toBeDefined()
    expect(matchDecision(`${'X'.repeat(64)}!`, long)).toBeUndefined()
  })
})

describe('a vocabulary that nobody checked', () => {
  const of = (approve: readonly string[], reject: readonly string[]) => {
    const phrases = (texts: readonly string[]) =>
      new Map(texts.map((text) => [text, { text, weight: 'full', locale: 'es' } as const]))
    const empty = new Set<string>()
    return {
      version: 'v',
      approve: phrases(approve),
      reject: phrases(reject),
      always: empty,
      edit: empty,
      leave: empty,
      off: new Map(),
    }
  }

  it('takes a phrase of both verdicts as a refusal', () => {
    expect(matchDecision('ya', of(['ya'], ['ya']))).toMatchObject({ verdict: 'reject' })
  })

  it.each(['\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029'])(
    'finds no decision across the line break %j even if it is listed',
    (br) => {
      expect(matchDecision(`ya${br}no`, of([`ya${br}no`], ['no']))).toBeUndefined()
    },
  )
})

const locale = fc.constantFrom(...shippedLocales)
const vocabularies = Object.fromEntries(shippedLocales.map((one) => [one, shippedVocabulary(one)]))
const phraseIn = locale.chain((one) => {
  const vocabulary = vocabularies[one] ?? es
  return fc.constantFrom(...vocabulary.approve, ...vocabulary.reject).map(([folded, phrase]) => ({ vocabulary, folded, phrase }))
})

describe('every phrase of every active vocabulary', () => {
  it('is found however it is cased, accented, spaced and ended', () => {
    const invisible = fc.constantFrom('', '\u200b', '\u00ad', '\u2060')
    const space = fc.constantFrom(' ', '  ', '\t', '\u00a0', '\u3000')
    const end = fc.constantFrom('', '.', '!', '!!', '!!!')
    fc.assert(
      fc.property(
        phraseIn,
        fc.boolean(),
        invisible,
        space,
        end,
        fc.boolean(),
        ({ vocabulary, phrase }, upper, hidden, gap, mark, open) => {
          const words = upper ? phrase.text.toUpperCase() : phrase.text.normalize('NFD')
          const found = matchDecision(`${open ? '¡' : ''}${words.replaceAll(' ', gap)}${hidden}${mark}`, vocabulary)
          expect(found).toMatchObject({ kind: 'phrase', phrase: phrase.text, weight: phrase.weight })
        },
      ),
    )
  })

  it('is not found with a question mark, a letter or a digit beside it', () => {
    fc.assert(
      fc.property(
        phraseIn,
        fc.constantFrom('?', '¿', 'x', '7', '؟', '…', '"'),
        fc.boolean(),
        ({ vocabulary, folded }, beside, before) => {
          expect(matchDecision(before ? beside + folded : folded + beside, vocabulary)).toBeUndefined()
        },
      ),
    )
  })

  it('is all that a text that decides can hold', () => {
    const near = fc.tuple(phraseIn, fc.string({ unit: 'binary', maxLength: 3 }), fc.string({ maxLength: 3 }))
    fc.assert(
      fc.property(near, ([{ vocabulary, folded }, before, after]) => {
        const text = before + folded + after
        if (matchDecision(text, vocabulary)?.kind !== 'phrase') return
        const bare = fold(text)
          .replace(/^¡/, '')
          .replace(/(\.|!{1,3})$/, '')
          .replace(/, /g, ' ')
          .replace(/ #....$/, '')
        expect(vocabulary.approve.has(bare) || vocabulary.reject.has(bare)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  it('reads a text and its fold alike', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 80 }),
          phraseIn.map(({ phrase }) => ` ${phrase.text.toUpperCase()}! `),
        ),
        (text) => {
          expect(matchDecision(fold(text), es)).toEqual(matchDecision(text, es))
        },
      ),
    )
  })
})

describe('isPhraseOf', () => {
  it('goes by the steps of a decision', () => {
    expect(isPhraseOf(es.leave, '¡Olvídalo!')).toBe(true)
    expect(isPhraseOf(es.edit, 'Editar.')).toBe(true)
    expect(isPhraseOf(es.edit, 'editar el monto')).toBe(false)
    expect(isPhraseOf(es.edit, 'editar?')).toBe(false)
    expect(isPhraseOf(es.edit, '')).toBe(false)
  })
})
