import { describe, expect, test } from 'vitest'
import type { GuardName } from '../../src/core/lifecycle.ts'
import { arrows, cells } from '../support/lifecycle-cells.ts'
import type { Law } from '../support/lifecycle-judge.ts'
import { aSetting, inTicks, kept, type Setting, twoOfRole, without } from '../support/lifecycle-model.ts'
import { explore } from '../support/lifecycle-search.ts'

const tick = inTicks.lease
const held = { ...inTicks, hold: tick }
/** Everything asked for at once: a key, two approvers, a hold. */
const strict = aSetting({ idempotency: 'key', approvers: twoOfRole, durations: held })

/** "Always" was said to what is asked of its requester alone. */
const remembered = aSetting({ idempotency: 'key', remembered: true })

/** One person types a value of the card. */
const typed = aSetting({ typed: true })

const every: readonly (readonly [string, Setting])[] = [
  ['one approver, no key', aSetting()],
  ['one approver, a key', aSetting({ idempotency: 'key' })],
  ['two approvers, no key', aSetting({ approvers: twoOfRole })],
  ['two approvers, a key', aSetting({ approvers: twoOfRole, idempotency: 'key' })],
  ['a hold, no key', aSetting({ durations: held })],
  ['a hold, a key', strict],
  ['a standing yes, a key', remembered],
  ['a value to type, no key', typed],
  ['a longer lease, no key', aSetting({ durations: { ...inTicks, ttl: 2 * tick, lease: 2 * tick, executeWithin: 3 * tick } })],
  ['a writer that read a while ago, no key', aSetting({ slowWriter: true, fences: 2 })],
  ['a writer that read a while ago, a key', aSetting({ slowWriter: true, idempotency: 'key', fences: 1 })],
]

describe('in every world that can come to be', () => {
  test.each(every)('with %s, every law holds, and an end can be reached from everywhere', (_name, setting) => {
    const { broken, stuck, worlds } = explore(setting, { liveness: true })
    expect(broken).toBeUndefined()
    expect(stuck).toEqual([])
    expect(worlds).toBeGreaterThan(1_000)
  })

  test('every arrow of the table is gone, and no other', () => {
    const gone = new Set([strict, remembered, aSetting()].flatMap((setting) => [...explore(setting).arrows]))
    expect([...gone].sort()).toEqual([...arrows].sort())
  })
})

describe('without one of its guards', () => {
  const uses = cells.flatMap(({ state, event, guards }) =>
    guards.map((guard): readonly [string, string, GuardName] => [state, event, guard]),
  )

  test.each(uses)('%s may %s, but not %s: a law breaks', (state, event, guard) => {
    const broken = (setting: Setting): ReturnType<typeof explore>['broken'] =>
      explore({ ...setting, rules: without(guard, { state, event }) }).broken
    const found =
      event === 'grant'
        ? (broken(remembered) ?? broken(strict))
        : (broken(strict) ??
          broken({ ...strict, idempotency: 'none' }) ??
          broken({ ...strict, durations: inTicks }) ??
          broken(typed))
    expect(found).toEqual({
      law: expect.any(String),
      trace: expect.any(Array),
    })
  })
})

describe('the table relies on the code around it', () => {
  test.each<[string, Partial<Setting>, Law]>([
    [
      'that compares the revision when it writes',
      { slowWriter: true, promises: { ...kept, comparesRevision: false } },
      'succeeded means done, and every other end means not done',
    ],
    [
      'that looks at its lease right before the call',
      { promises: { ...kept, looksAtLease: false } },
      'succeeded means done, and every other end means not done',
    ],
    [
      'that looks at it before a repeated call too',
      { idempotency: 'key', promises: { ...kept, looksAtLeaseAgain: false } },
      'succeeded means done, and every other end means not done',
    ],
    [
      'that commits the marker before the first byte',
      { promises: { ...kept, marksBeforeCall: false } },
      'succeeded means done, and every other end means not done',
    ],
    [
      'that ends a call within the quarantine',
      { promises: { ...kept, endsCalls: false } },
      'succeeded means done, and every other end means not done',
    ],
    // A retry is allowed for four fifths of the key's life: what is left must hold a lease and a call.
    [
      'that asks for keys which outlive four retries’ leases and calls',
      { idempotency: 'key', durations: { ...inTicks, lease: 2 * tick } },
      'one effect at most',
    ],
  ])('%s', (_name, over, law) => {
    expect(explore(aSetting(over)).broken).toEqual({ law, trace: expect.any(Array) })
  })

  test('and with keys that do, the longer lease is safe', () => {
    const durations = { ...inTicks, lease: 2 * tick, keyValid: 15 * tick, retryIn: 6 * tick }
    expect(explore(aSetting({ idempotency: 'key', durations, fences: 2 })).broken).toBeUndefined()
  })
})
