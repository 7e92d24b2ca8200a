import { describe, expect, it, test } from 'vitest'
import { choose, chooseSeveral, isNumbered } from '../../src/core/choose.ts'

const colours = ['Red', 'Green', 'Blue']

describe('a choice', () => {
  test.each([
    ['av-377: 3', '3', 2],
    ['its label', 'green', 1],
    ['its label with marks of its own', '¡Blué!', 2],
    ['av-381: 7', '7', undefined],
    ['av-382: purple', 'purple', undefined],
    ['0', '0', undefined],
    ['two of them', 'red green', undefined],
    ['a sentence with one in it', 'the green one', undefined],
    ['a text of many lines', 'green\ngreen', undefined],
    ['a very long text', 'g'.repeat(10_000), undefined],
  ])('of three: %s', (_what, text, place) => {
    expect(choose(text, colours)).toBe(place)
  })

  it('of numbers is named by the number itself, never by its place', () => {
    expect([isNumbered(['3', '6', '12']), choose('3', ['3', '6', '12']), choose('1', ['3', '6', '12'])]).toEqual([
      false,
      0,
      undefined,
    ])
  })

  it('that has the label of another is named by its number alone', () => {
    expect([choose('date', ['Date', 'date']), choose('2', ['Date', 'date'])]).toEqual([undefined, 1])
  })
})

describe('several of three', () => {
  test.each([
    ['av-383: 1 3 3', '1 3 3', [0, 2]],
    ['with commas', '3,1', [0, 2]],
    ['by their labels', 'blue, red', [0, 2]],
    ['one alone', 'green', [1]],
    ['one that is not there', '1 7', undefined],
    ['nothing', '', undefined],
  ])('%s', (_what, text, places) => {
    expect(chooseSeveral(text, colours)).toEqual(places)
  })
})
