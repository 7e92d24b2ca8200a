import { expect, test } from 'vitest'
import { type Answered, flagsOf } from '../../src/core/consent-health.ts'
import { rowsShownBy } from '../support/conformance.ts'

test.each(rowsShownBy<Answered, 'too broad' | 'not too broad'>(import.meta.filename, '$id: the trigger is $promised'))(
  '$id: the trigger is $promised',
  ({ given, promised }) => {
    expect(flagsOf(given)).toEqual(promised === 'too broad' ? ['nearly_always_approved', 'decided_at_once'] : [])
  },
)
