import { describe, expect, it } from 'vitest'
import { changed, farFromUsual, findingOf, neverSeen, unusual } from '../../src/core/unusual.ts'

const paid = (...amounts: readonly unknown[]) => amounts.map((monto) => ({ monto }))

describe('farFromUsual', () => {
  const far = farFromUsual({ field: 'monto' })

  it('finds what is more than three times the middle of at least three', () => {
    expect(findingOf(far, { monto: '301' }, paid('100', '90', 900))).toEqual({ kind: 'far', usual: '100' })
    expect(findingOf(far, { monto: '300' }, paid('100', '90', 900))).toBeUndefined()
    expect(findingOf(far, { monto: '9999' }, paid('100', '90'))).toBeUndefined()
  })

  it('takes the lower of two middles, and what was less only where it is asked to', () => {
    expect(findingOf(far, { monto: 271 }, paid(90, 90, 100, 900))).toEqual({ kind: 'far', usual: '90' })
    expect(findingOf(far, { monto: 1 }, paid(90, 90, 90))).toBeUndefined()
    expect(findingOf(farFromUsual({ field: 'monto', alsoBelow: true }), { monto: 29 }, paid(90, 90, 90))).toEqual({
      kind: 'far',
      usual: '90',
    })
  })

  it('leaves out what was no number then, and cannot judge what is none now', () => {
    expect(findingOf(far, { monto: 1 }, paid('x', 'y', 'z'))).toBeUndefined()
    expect(() => findingOf(far, { monto: 'x' }, paid(1, 1, 1))).toThrow('monto is no number')
  })
})

describe('neverSeen', () => {
  it('finds a value that was not there before, spelt as it is', () => {
    const seen = [{ destino: { cbu: '1', banco: 'x' } }]
    const never = neverSeen({ field: 'destino' })
    expect(findingOf(never, { destino: { banco: 'x', cbu: '1' } }, seen)).toBeUndefined()
    expect(findingOf(never, { destino: { banco: 'x', cbu: '2' } }, seen)).toEqual({ kind: 'never_seen' })
    expect(findingOf(never, { destino: 1 }, [])).toBeUndefined()
  })
})

describe('changed', () => {
  it('finds another value than the last time for the same', () => {
    const history = [
      { a: 'luz', cbu: '2' },
      { a: 'gas', cbu: '7' },
      { a: 'luz', cbu: '1' },
    ]
    const account = changed({ field: 'cbu', of: 'a' })
    expect(findingOf(account, { a: 'luz', cbu: '2' }, history)).toBeUndefined()
    expect(findingOf(account, { a: 'luz', cbu: '1' }, history)).toEqual({ kind: 'changed', from: '2' })
    expect(findingOf(account, { a: 'agua', cbu: '1' }, history)).toBeUndefined()
  })
})

describe('unusual', () => {
  it('says why in the configuration’s own words, or cannot judge', () => {
    const own = (answer: unknown) => unusual({ field: 'a', judge: () => answer as string })
    expect(findingOf(own('de noche'), {}, [])).toEqual({ kind: 'said', why: 'de noche' })
    expect(findingOf(own(undefined), {}, [])).toBeUndefined()
    for (const answer of ['', ' ', true, null]) expect(() => findingOf(own(answer), {}, [])).toThrow('neither why')
  })
})
