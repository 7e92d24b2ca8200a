import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildVocabulary } from '../../src/core/build-vocabulary.ts'
import type { CardWords, DecisionFile } from '../../src/core/decision-file.ts'
import { fold } from '../../src/core/fold.ts'
import { matchDecision } from '../../src/core/match.ts'
import { optOutWords, smallTalk } from '../../src/core/never-words.ts'
import { anEntry, shippedLocales, shippedSource } from '../support/vocabularies.ts'

const card: CardWords = { confirm: 'Confirmar', cancel: 'Cancelar', edit: 'Editar', approve: 'dale', reject: 'no' }

const aFile = (over: DecisionFile = {}): DecisionFile => ({
  approve: [anEntry('dale'), anEntry('confirmar'), anEntry('ok', { weight: 'ack' })],
  reject: [anEntry('no'), anEntry('cancelar')],
  always: [anEntry('siempre acá')],
  edit: [anEntry('editar')],
  leave: [anEntry('volver')],
  card,
  ...over,
})

const build = (...files: readonly DecisionFile[]) =>
  buildVocabulary(files.map((decision, index) => ({ locale: ['es', 'en'][index] ?? 'es', file: `${index}.json`, decision })))
const problemsOf = (...files: readonly DecisionFile[]) => {
  const built = build(...files)
  return built.ok ? [] : built.problems.map(({ path, message }) => `${path}: ${message}`)
}

describe('what is compiled', () => {
  it('keeps each phrase folded, with its spelling, weight and locale', () => {
    const built = build(aFile({ approve: [anEntry('Sí'), anEntry('dale'), anEntry('confirmar'), anEntry('va', { on: false })] }))
    if (!built.ok) throw new Error('refused')
    expect(built.vocabulary.approve).toEqual(
      new Map([
        ['confirmar', { text: 'confirmar', weight: 'full', locale: 'es' }],
        ['dale', { text: 'dale', weight: 'full', locale: 'es' }],
        ['si', { text: 'Sí', weight: 'full', locale: 'es' }],
      ]),
    )
    expect(built.vocabulary.leave).toEqual(new Set(['volver']))
    expect(built.card).toEqual(card)
  })

  it('takes the weight of the locale where the fallback has the phrase too', () => {
    const built = build(
      aFile({ approve: [anEntry('dale'), anEntry('confirmar'), anEntry('ok', { weight: 'ack' })] }),
      aFile({ approve: [anEntry('ok')] }),
    )
    expect(built.ok && built.vocabulary.approve.get('ok')).toEqual({ text: 'ok', weight: 'ack', locale: 'es' })
  })

  it('lets an earlier file of a locale switch on, switch off and print words over a later one', () => {
    const over: DecisionFile = { approve: [anEntry('va'), anEntry('dale', { on: false })], card: { approve: 'confirmar' } }
    const base = aFile({ approve: [anEntry('dale'), anEntry('confirmar'), anEntry('va', { on: false })] })
    const built = buildVocabulary([
      { locale: 'es', file: 'own', decision: over },
      { locale: 'es', file: 'shipped', decision: base },
    ])
    if (!built.ok) throw new Error(JSON.stringify(built.problems))
    expect([...built.vocabulary.approve.keys()].sort()).toEqual(['confirmar', 'va'])
    expect(built.card).toEqual({ ...card, approve: 'confirmar' })
  })

  it('has a version that the order of phrases does not change and any phrase does', () => {
    const versionOf = (file: DecisionFile) => {
      const built = build(file)
      return built.ok ? built.vocabulary.version : built.problems
    }
    const file = aFile()
    const version = versionOf(file)
    expect(version).toMatch(/^[0-9a-f]{64}$/)
    expect(versionOf({ ...file, approve: file.approve?.toReversed() ?? [] })).toBe(version)
    expect(versionOf({ ...file, approve: [...(file.approve ?? []), anEntry('va')] })).not.toBe(version)
    expect(versionOf({ ...file, approve: [anEntry('dale'), anEntry('confirmar'), anEntry('ok')] })).not.toBe(version)
    expect(versionOf({ ...file, leave: [anEntry('atrás')] })).not.toBe(version)
  })
})

describe('what is refused', () => {
  it.each<[string, DecisionFile, string]>([
    [
      'a phrase of both verdicts, once folded',
      { reject: [anEntry('no'), anEntry('cancelar'), anEntry('Ök')] },
      '0.json reject[2]: "Ök" reads like "ok" of 0.json approve[2], which means something else: keep one of them',
    ],
    [
      'a phrase that decides and edits',
      { edit: [anEntry('editar'), anEntry('no')] },
      '0.json edit[1]: "no" reads like "no" of 0.json reject[0], which means something else: keep one of them',
    ],
    [
      'an approval that leaves a question',
      { leave: [anEntry('dale')] },
      '0.json leave[0]: "dale" reads like "dale" of 0.json approve[0], which means something else: keep one of them',
    ],
    [
      'a phrase twice in one list',
      { reject: [anEntry('no'), anEntry('cancelar'), anEntry('NO')] },
      '0.json reject[2]: "NO" reads like "no" of 0.json reject[0]: keep one of them',
    ],
    ['an empty list', { always: [] }, '0.json always: has no phrase that is on: give it at least one'],
    [
      'a list that is switched off',
      { leave: [anEntry('volver', { on: false })] },
      '0.json leave: has no phrase that is on: give it at least one',
    ],
    [
      'one letter',
      { leave: [anEntry('volver'), anEntry('V')] },
      '0.json leave[1]: "V" is one letter, which people type by accident: write a word',
    ],
    [
      'nothing visible',
      { leave: [anEntry('volver'), anEntry('\u200b')] },
      '0.json leave[1]: "\u200b" is empty once case, accents and invisible characters are gone: write a word, or take the entry out',
    ],
    [
      'a line break',
      { leave: [anEntry('volver'), anEntry('ya\nno')] },
      '0.json leave[1]: "ya\nno" holds a line break, and no message with one decides: write it on one line',
    ],
    [
      'a code sign',
      { leave: [anEntry('volver'), anEntry('dale #K7Q2')] },
      '0.json leave[1]: "dale #K7Q2" holds "#" or a question mark: "#" is for codes, and a question is never a decision',
    ],
    [
      'a full-width question mark',
      { leave: [anEntry('volver'), anEntry('ya？')] },
      '0.json leave[1]: "ya？" holds "#" or a question mark: "#" is for codes, and a question is never a decision',
    ],
    [
      'a control character',
      { leave: [anEntry('volver'), anEntry('ya\0')] },
      '0.json leave[1]: "ya\0" holds a control character: take it out',
    ],
    [
      'what is longer than the cap',
      { leave: [anEntry('volver'), anEntry('y'.repeat(65))] },
      `0.json leave[1]: "${'y'.repeat(65)}" is longer than 64 characters, and no such message decides: shorten it`,
    ],
    [
      'what the grammar takes apart',
      { leave: [anEntry('volver'), anEntry('ya, no')] },
      '0.json leave[1]: "ya, no" can never be matched: write it without "¡" before, "." or "!" behind and commas inside',
    ],
    [
      'a label that is no phrase',
      { card: { ...card, confirm: 'Aceptar' } },
      '0.json card.confirm: "Aceptar" is no phrase of approve with weight full: add it there, or print another',
    ],
    [
      'a printed word that only acknowledges',
      { card: { ...card, approve: 'ok' } },
      '0.json card.approve: "ok" is no phrase of approve with weight full: add it there, or print another',
    ],
    [
      'a refusing label that approves',
      { card: { ...card, cancel: 'dale' } },
      '0.json card.cancel: "dale" is no phrase of reject with weight full: add it there, or print another',
    ],
    [
      'an edit label that does not edit',
      { card: { ...card, edit: 'Cambiar' } },
      '0.json card.edit: "Cambiar" is no phrase of edit: add it there, or print another',
    ],
    [
      'a label that is left out',
      { card: { confirm: 'confirmar', cancel: 'cancelar', edit: 'editar', approve: 'dale' } },
      '0.json card.reject: is not there: say what cards print',
    ],
  ])('refuses %s', (_, over, problem) => {
    expect(problemsOf(aFile(over))).toEqual([problem])
  })

  it('refuses a phrase that means the other verdict in the fallback', () => {
    expect(
      problemsOf(
        aFile(),
        aFile({ approve: [anEntry('dale'), anEntry('confirmar')], reject: [anEntry('no'), anEntry('cancelar'), anEntry('ok')] }),
      ),
    ).toEqual(['1.json reject[2]: "ok" reads like "ok" of 0.json approve[2], which means something else: keep one of them'])
  })

  it('refuses every greeting and filler as an approval, and takes it as a refusal', () => {
    for (const word of smallTalk) {
      expect(problemsOf(aFile({ approve: [...(aFile().approve ?? []), anEntry(word)] }))).toHaveLength(1)
      expect(problemsOf(aFile({ reject: [...(aFile().reject ?? []), anEntry(word)] }))).toEqual([])
    }
  })

  it('refuses every opt-out word in every list, and only warns of cancel', () => {
    for (const word of optOutWords) {
      for (const list of ['approve', 'reject', 'always', 'edit', 'leave'] as const) {
        expect(problemsOf(aFile({ [list]: [...(aFile()[list] ?? []), anEntry(word.toUpperCase())] }))).toHaveLength(1)
      }
    }
    const built = build(aFile({ reject: [...(aFile().reject ?? []), anEntry('cancel')] }))
    expect(built.ok && built.warnings).toEqual([
      { path: '0.json reject[2]', message: '"cancel" is an opt-out word for some providers: they may keep it from Dale' },
    ])
  })

  it('lists every problem of every file at once', () => {
    expect(problemsOf({}, aFile({ approve: [anEntry('hola'), anEntry('s')] }))).toHaveLength(5 + 5 + 2 + 0)
  })

  it('keeps its own lists folded, so that they are found', () => {
    for (const word of [...optOutWords, ...smallTalk]) expect(fold(word)).toBe(word)
  })
})

describe('any file at all', () => {
  const text = fc.oneof(
    fc.constantFrom('sí', 'no', 'dale', 'ok', 'stop', 'hola', '👍', 'y', '', ' ', 'a?', '#', '¡ya!', 'si siempre'),
    fc.string({ unit: 'binary', maxLength: 80 }),
  )
  const entries = fc.array(fc.record({ text, on: fc.boolean(), weight: fc.constantFrom('full' as const, 'ack' as const) }), {
    maxLength: 6,
  })
  const file = fc.record(
    {
      approve: entries,
      reject: entries,
      always: entries,
      edit: entries,
      leave: entries,
      card: fc.record({ confirm: text, cancel: text, edit: text, approve: text, reject: text }),
    },
    { requiredKeys: [] },
  )

  it('is either refused with reasons or decides by exactly its own phrases', () => {
    fc.assert(
      fc.property(file, fc.boolean(), (decision, sound) => {
        const shipped = shippedSource('es')
        const built = buildVocabulary([{ locale: 'es', file: 'f', decision }, ...(sound ? [shipped] : [])])
        if (!built.ok) {
          expect(built.problems.length).toBeGreaterThan(0)
          return
        }
        for (const verdict of ['approve', 'reject'] as const) {
          for (const phrase of built.vocabulary[verdict].values())
            expect(matchDecision(phrase.text, built.vocabulary)).toMatchObject({ verdict, phrase: phrase.text })
        }
      }),
      { numRuns: 500 },
    )
  })

  it('is tested with files that are taken, too', () => {
    const over = fc.array(fc.constantFrom('va', 'de una', '👍', 'listo ya', 'confirmadísimo'), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(
        fc.uniqueArray(
          over.map((words) => words.join(' ')),
          { maxLength: 4, selector: fold },
        ),
        (texts) => {
          const built = buildVocabulary([
            {
              locale: 'es',
              file: 'f',
              decision: { approve: texts.filter((one) => [...fold(one)].length <= 64).map((one) => anEntry(one)) },
            },
            shippedSource('es'),
          ])
          expect(built.ok).toBe(true)
        },
      ),
    )
  })
})

describe('what ships', () => {
  it.each(shippedLocales.flatMap((locale) => shippedLocales.map((fallback) => [locale, fallback] as const)))(
    'builds %s beside %s',
    (locale, fallback) => {
      const sources = locale === fallback ? [shippedSource(locale)] : [shippedSource(locale), shippedSource(fallback)]
      const built = buildVocabulary(sources)
      expect(built.ok ? [] : built.problems).toEqual([])
    },
  )

  it.each(shippedLocales)('can have every word of %s that is off switched on', (locale) => {
    const { decision, ...source } = shippedSource(locale)
    const on = {
      ...decision,
      approve: decision.approve?.map((entry) => ({ ...entry, on: true })) ?? [],
      reject: decision.reject?.map((entry) => ({ ...entry, on: true })) ?? [],
    }
    expect(buildVocabulary([{ ...source, decision: on }]).ok).toBe(true)
  })

  it.each(shippedLocales)('says of every word of %s where it is used and what it means', (locale) => {
    const { decision } = shippedSource(locale)
    const silent = [decision.approve, decision.reject, decision.always, decision.edit, decision.leave].flatMap((list) =>
      (list ?? []).filter(({ region, comment }) => !region || !comment),
    )
    expect(silent).toEqual([])
  })
})
