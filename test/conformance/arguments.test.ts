import { expect, test } from 'vitest'
import { canonicalOf, fingerprintOf } from '../../src/core/fingerprint.ts'
import { splitText } from '../../src/core/split-text.ts'
import { withoutMarks } from '../../src/core/whatsapp-text.ts'
import { rowsShownBy } from '../support/conformance.ts'
import { bookingAction, Ledger } from '../support/ledger.ts'

interface Call {
  readonly action: string
  readonly args: unknown
}

const spelt = (value: unknown): string => {
  const read = canonicalOf(value)
  if (!read.ok) throw new Error(read.problem)
  return read.canonical
}
const hashOf = ({ action, args }: Call): string =>
  fingerprintOf({ tenant: 'main', action, actionVersion: '1', canonicalArgs: spelt(args) })

const calls = '$id: the two calls are $promised to the hash'
test.each(rowsShownBy<{ readonly calls: readonly Call[] }, string>(import.meta.filename, calls))(
  '$id: the two calls are $promised to the hash',
  ({ given, promised }) => {
    expect(new Set(given.calls.map(hashOf)).size).toBe(promised === 'alike' ? 1 : 2)
  },
)

const spelling = '$id: is spelt in one way'
test.each(rowsShownBy<{ readonly value: unknown }, string>(import.meta.filename, spelling))(
  '$id: is spelt in one way',
  ({ given, promised }) => {
    expect(spelt(given.value)).toBe(promised)
  },
)

const action = bookingAction(new Ledger())

test('as-078: no arguments at all are refused', () => {
  expect([action.parse(null).ok, action.parse(undefined).ok, action.parse({ cajas: 3 }).ok]).toEqual([false, false, true])
})

const tooMany = '$id: an argument too many is $promised'
test.each(rowsShownBy<{ readonly args: unknown }, string>(import.meta.filename, tooMany))(
  '$id: an argument too many is $promised',
  ({ given }) => {
    expect(action.parse(given.args)).toEqual({ ok: false, problems: [expect.stringContaining('Unrecognized key')] })
  },
)

const splitting = '$id: is split where it should be'
test.each(rowsShownBy<{ readonly text: string; readonly limit: number }, readonly string[]>(import.meta.filename, splitting))(
  '$id: is split where it should be',
  ({ given, promised }) => {
    expect(splitText(given.text, given.limit)).toEqual(promised)
  },
)

test('av-387: arithmetic and names are no mark-up on WhatsApp', () => {
  for (const text of ['2*3*4', 'my_var']) expect(withoutMarks(text)).toBe(text)
})
