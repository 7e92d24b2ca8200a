import { describe, expect, test } from 'vitest'
import { type Came, compare, matches } from '../../src/rehearsal/compare.ts'
import { differenceOf } from '../../src/rehearsal/difference.ts'
import type { Expected, Scene } from '../../src/rehearsal/script.ts'

const bot = (text: string, place = 'ana', line = 1): Expected => ({ kind: 'bot', place, text, line, until: line })
const scene = (...expected: readonly Expected[]): Scene => ({ afterMs: 0, doing: [], until: 0, place: 'ana', expected })
const shown = (text: string, place = 'ana') => ({ kind: 'bot', place, text, brief: text }) as const
const came = (differs: Partial<Came> = {}): Came => ({
  shown: [],
  unanswered: 0,
  problems: [],
  effects: [],
  cards: () => [],
  ...differs,
})

describe('a line fits', () => {
  test.each([
    ['Hecho.', 'Hecho.'],
    ['Crear … [Confirmar]', 'Crear un plan\nCuotas: 3\n[Confirmar]'],
    ['Crear … [Confirmar]', 'Crear [Confirmar]'],
    ['… #K7Q2', 'plan  #K7Q2'],
    ['…', 'anything at all'],
    ['a.b (c)', 'a.b  (c)'],
  ])('%j fits %j', (pattern, text) => {
    expect(matches(pattern, text)).toBe(true)
  })

  test.each([
    ['Hecho.', 'Hecho. Y más.'],
    ['Crear … [Confirmar]', 'No crear un plan [Confirmar]'],
    ['a.b', 'axb'],
    ['… #K7Q2', 'plan  #K7Q2 y más'],
  ])('%j does not fit %j', (pattern, text) => {
    expect(matches(pattern, text)).toBe(false)
  })
})

describe('a scene', () => {
  test('is the same when every line fits in its order', () => {
    expect(compare(scene(bot('uno'), bot('dos')), came({ shown: [shown('uno'), shown('dos')] })).isSame).toBe(true)
    expect(compare(scene(bot('uno'), bot('dos')), came({ shown: [shown('dos'), shown('uno')] })).isSame).toBe(false)
  })

  test('has no order between chats, which do not wait for each other', () => {
    expect(compare(scene(bot('uno'), bot('dos', 'beto')), came({ shown: [shown('dos', 'beto'), shown('uno')] })).isSame).toBe(
      true,
    )
  })

  test('keeps what fits and puts what came besides after it', () => {
    const wrong = bot('dos')
    expect(
      compare(
        scene(bot('uno'), wrong),
        came({ shown: [shown('uno'), shown('tres\ncuatro')], unanswered: 1, problems: ['ana finds no [Sí]'] }),
      ),
    ).toEqual({
      isSame: false,
      kept: [
        { expected: bot('uno'), lines: 'as it is' },
        { expected: wrong, lines: [] },
      ],
      besides: ['(cannot: ana finds no [Sí])', 'bot: tres', '  cuatro', 'agent: (the model answers)'],
    })
  })

  test('counts effects, names them, or says that there are none', () => {
    const effects = (text: string): Expected => ({ kind: 'effects', text, line: 1, until: 1 })
    const one = came({ effects: [{ action: 'pagar', args: { monto: 1 } }] })
    expect(compare(scene(effects('1')), one).isSame).toBe(true)
    expect(compare(scene(effects('pagar {"monto":1}')), one).isSame).toBe(true)
    expect(compare(scene(effects('pagar …')), one).isSame).toBe(true)
    expect(compare(scene(effects('none')), came()).isSame).toBe(true)
    expect(compare(scene(effects('none')), one).kept).toEqual([
      { expected: effects('none'), lines: ['effects: pagar {"monto":1}'] },
    ])
    expect(compare(scene(effects('2')), one).kept).toEqual([{ expected: effects('2'), lines: ['effects: 1'] }])
  })

  test('looks at every showing of a card', () => {
    const card: Expected = { kind: 'card', place: 'ana', text: '✔ Hecho. …', line: 1, until: 1 }
    const cards = (...texts: readonly string[]) => came({ cards: () => texts.map((text) => ({ code: 'K7Q2', text })) })
    expect(compare(scene(card), cards('✔ Hecho. plan', '✔ Hecho. plan')).isSame).toBe(true)
    expect(compare(scene(card), cards('plan', '✔ Hecho. plan')).kept).toEqual([{ expected: card, lines: ['card: plan'] }])
    expect(compare(scene(card), cards()).kept).toEqual([{ expected: card, lines: ['card: (there is none)'] }])
  })
})

describe('a difference', () => {
  test('shows the lines that differ with those around them', () => {
    const before = ['1', '2', '3', '4', '5', 'says this', '7', '8', '9', '10', '11', '12']
    const after = before.map((line) => (line === 'says this' ? 'came that' : line))
    expect(differenceOf({ before, after })).toEqual([
      '   3 3',
      '   4 4',
      '   5 5',
      '+    came that',
      '-  6 says this',
      '   7 7',
      '   8 8',
      '   9 9',
    ])
  })

  test('is empty where nothing differs', () => {
    expect(differenceOf({ before: ['a', 'b'], after: ['a', 'b'] })).toEqual([])
  })
})
