import { expect, test } from 'vitest'
import { durationOf } from '../../src/rehearsal/duration.ts'

test.each([
  ['5 s', 5_000],
  ['0.5 s', 500],
  ['31 min', 1_860_000],
  ['1 h 30 min', 5_400_000],
  ['2 d', 172_800_000],
  ['700 ms', 700],
])('%s is %i ms', (text, ms) => {
  expect(durationOf(text)).toBe(ms)
})

test.each(['', '5', 's', '5 years', '5 s later', '-5 s', 'again'])('%j is no time', (text) => {
  expect(durationOf(text)).toBeUndefined()
})
