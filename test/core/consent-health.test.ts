import { expect, it } from 'vitest'
import { flagsOf } from '../../src/core/consent-health.ts'

it.each([
  [{ approved: 19, rejected: 0, medianSeconds: 1 }, []],
  [{ approved: 20, rejected: 0, medianSeconds: 4 }, ['nearly_always_approved']],
  [{ approved: 97, rejected: 3, medianSeconds: 4 }, []],
  [{ approved: 98, rejected: 3, medianSeconds: 4 }, ['nearly_always_approved']],
  [{ approved: 10, rejected: 10, medianSeconds: 3.9 }, ['decided_at_once']],
  [{ approved: 30, rejected: 0, medianSeconds: 0.8 }, ['nearly_always_approved', 'decided_at_once']],
  [{ approved: 0, rejected: 30 }, []],
] as const)('of %j says %j', (answered, flags) => {
  expect(flagsOf(answered)).toEqual(flags)
})
