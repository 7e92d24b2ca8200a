import { describe, expect, it } from 'vitest'
import { fold } from '../../src/core/fold.ts'
import { isPhraseOf, longestText, matchDecision } from '../../src/core/match.ts'
import type { Phrase, Verdict } from '../../src/core/vocabulary.ts'
import { shippedLocales, shippedVocabulary } from '../support/vocabularies.ts'

type Spell = (text: string) => string

const between =
  (what: string): Spell =>
  (text) =>
    [...text].join(what)
const everySecond: Spell = (text) => [...text].map((letter, at) => (at % 2 === 0 ? letter.toUpperCase() : letter)).join('')
const fullWidth: Spell = (text) =>
  text.normalize('NFD').replace(/[!-~]/g, (character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0))

/** What the fold takes back, each by itself and in every combination. */
const cases: readonly Spell[] = [(text) => text, (text) => text.toUpperCase(), (text) => text.toLowerCase(), everySecond]
const accents: readonly Spell[] = [
  (text) => text,
  (text) => text.normalize('NFD'),
  (text) => text.normalize('NFD').replace(/\p{Mn}/gu, ''),
  (text) => text.replace(/\p{L}/gu, (letter) => `${letter}\u0301`),
  (text) => text.replace(/\p{L}/gu, (letter) => `${letter}\u0328\u0308`),
]
const widths: readonly Spell[] = [(text) => text, fullWidth]
const invisibles: readonly Spell[] = [
  (text) => text,
  between('\u200b'),
  between('\u00ad'),
  (text) => `\ufeff${text}\ufe0f`,
  (text) => `\u2067${text}\u2069`,
  between('\u{e0061}'),
]
const spaces = [' ', '  ', '\u00a0', '\t', '\u3000', ', ']
const ends = ['', '.', '!', '!!', '!!!']
const codes = ['', ' #K7Q2', ' #k7q2', '\u3000＃Ｋ７Ｑ２', ', #K7q2']
const frames = ['', '¡'].flatMap((before) =>
  codes.flatMap((code) => ends.map((end) => ({ code, spelt: (text: string) => `${before}${text}${code}${end}` }))),
)

const spellings: readonly Spell[] = cases.flatMap((cased) =>
  accents.flatMap((accented) =>
    widths.flatMap((wide) =>
      invisibles.map(
        (hidden): Spell =>
          (text) =>
            hidden(wide(accented(cased(text)))),
      ),
    ),
  ),
)

/** Every spelling of a phrase, its frames in turn, and every frame around it as it is written. */
function* writingsOf(phrase: string): Generator<{ readonly text: string; readonly code: string }> {
  const gaps = phrase.includes(' ') ? spaces : [' ']
  // A comma is one only before a space, which nothing may part from it.
  const all = gaps.flatMap((gap) =>
    gap === ', ' ? [phrase.replaceAll(' ', gap)] : spellings.map((spell) => spell(phrase.replaceAll(' ', gap))),
  )
  for (const [turn, spelling] of all.entries()) {
    const { code, spelt } = frames[turn % frames.length] as (typeof frames)[number]
    yield { text: spelt(spelling), code }
  }
  for (const { code, spelt } of frames) yield { text: spelt(phrase), code }
}

const phrasesOf = (locale: string): readonly (readonly [Verdict, Phrase])[] => {
  const { approve, reject } = shippedVocabulary(locale)
  return [
    ...[...approve.values()].map((one) => ['approve', one] as const),
    ...[...reject.values()].map((one) => ['reject', one] as const),
  ]
}

describe('every shipped phrase decides in every spelling that the fold allows', () => {
  it.each(shippedLocales)('in %s', (locale) => {
    const vocabulary = shippedVocabulary(locale)
    const phrases = phrasesOf(locale)
    const lost: unknown[] = []
    let written = 0
    for (const [verdict, { text: phrase, weight }] of phrases)
      for (const { text, code } of writingsOf(phrase)) {
        if (text.length > longestText) continue
        written += 1
        const found = matchDecision(text, vocabulary)
        const right =
          found?.kind === 'phrase' &&
          found.verdict === verdict &&
          found.phrase === phrase &&
          found.weight === weight &&
          found.code === (code === '' ? undefined : 'K7Q2')
        if (!right && lost.length < 5) lost.push({ phrase, text, found })
      }
    expect(lost).toEqual([])
    expect(written).toBeGreaterThan(250 * phrases.length)
  })
})

/** A text that counts what is asked of it. */
function watched(text: string): { readonly text: string; readonly asked: Set<PropertyKey> } {
  const asked = new Set<PropertyKey>()
  const object = new Proxy(Object(text) as object, {
    get(target, property) {
      asked.add(property)
      const value: unknown = Reflect.get(target, property, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { text: object as unknown as string, asked }
}

const megabyte = 1_048_576
const vocabulary = shippedVocabulary('es')

describe('a text over the cap', () => {
  it.each([
    ['letters', 'x'.repeat(megabyte)],
    ['a phrase again and again', 'sí '.repeat(megabyte / 3)],
    ['a phrase and white space', 'sí'.padEnd(megabyte)],
    ['white space and a phrase', 'sí'.padStart(megabyte)],
    ['marks', `s${'\u0301'.repeat(megabyte - 1)}`],
    ['marks that are to be put in order', 'i\u0323\u0307\u0331'.repeat(megabyte / 4)],
    ['what turns the direction', `${'\u202e'.repeat(megabyte - 2)}sí`],
    ['tags', `${'\u{e0061}'.repeat(megabyte / 2 - 1)}sí`],
    ['letters that unfold', '\ufdfa'.repeat(megabyte)],
    ['one unit too many', 'dale'.padEnd(longestText + 1)],
  ])('of %s is asked for its length and for nothing else', (_, long) => {
    const { text, asked } = watched(long)
    expect(matchDecision(text, vocabulary)).toBeUndefined()
    expect([...asked]).toEqual(['length'])
    expect(isPhraseOf(vocabulary.edit, text)).toBe(false)
    expect([...asked]).toEqual(['length'])
  })

  it('is told from one at the cap, which is read', () => {
    const { text, asked } = watched('dale'.padEnd(longestText))
    expect(matchDecision(text, vocabulary)).toMatchObject({ verdict: 'approve' })
    expect([...asked].length).toBeGreaterThan(1)
  })
})

describe('a text at the cap', () => {
  it('folds to at most eighteen times its length, whatever it is made of', () => {
    let most = 0
    for (let point = 0; point < 0x110000; point += 1) {
      const character = String.fromCodePoint(point)
      most = Math.max(most, fold(character).length / character.length)
    }
    expect(most).toBeLessThanOrEqual(18)
  })
})
