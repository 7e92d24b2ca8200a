import { isDeepStrictEqual } from 'node:util'
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalOf, fingerprintOf, previewDigestOf } from '../../src/core/fingerprint.ts'

const canonical = (value: unknown): string => {
  const made = canonicalOf(value)
  if (!made.ok) throw new Error(made.problem)
  return made.canonical
}
const problem = (value: unknown): string => {
  const made = canonicalOf(value)
  return made.ok ? `accepted as ${made.canonical}` : made.problem
}

/** RFC 8785 once more, in as few lines as it takes, by other means than the package: to compare with. */
const reference = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(reference).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  const units = (key: string): number[] => Array.from({ length: key.length }, (_, at) => key.charCodeAt(at))
  members.sort(([a], [b]) =>
    units(a).findIndex((unit, at) => unit !== units(b)[at]) === -1 ? a.length - b.length : compareFrom(units(a), units(b)),
  )
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${reference(member)}`).join()}}`
}
const compareFrom = (a: number[], b: number[]): number => {
  const at = a.findIndex((unit, index) => unit !== b[index])
  return (a[at] ?? -1) - (b[at] ?? -1)
}

const acceptable = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.string({ unit: 'grapheme' }),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true, max: 1e9, min: -1e9 }).filter((n) => !Object.is(n, -0)),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom('1', 1, '1.0', '\u00e9', 'e\u0301', '', 0, '0', 'null', 'true'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .dictionary(
        fc.oneof(
          fc.string({ unit: 'grapheme', maxLength: 3 }),
          fc.constantFrom('1', '10', '2', '\u00e9', 'e\u0301', '\ufb33', '😂'),
        ),
        tie('value'),
        { maxKeys: 5 },
      )
      .filter((record) => !Object.hasOwn(record, '__proto__')),
  ),
})).value

describe('the canonical spelling', () => {
  test.each([
    [
      'members are sorted by UTF-16 units, not by code points or by a language',
      '{"\\u20ac":"Euro","\\r":"CR","\\ufb33":"Dalet","1":"One","\\ud83d\\ude00":"Smile","\\u0080":"Control","\\u00f6":"o"}',
      '{"\\r":"CR","1":"One","\u0080":"Control","ö":"o","€":"Euro","😀":"Smile","\ufb33":"Dalet"}',
    ],
    [
      'accents sort by number too',
      '{"peach":1,"p\\u00e9ch\\u00e9":2,"p\\u00eache":3,"sin":4}',
      '{"peach":1,"p\u00e9ch\u00e9":2,"p\u00eache":3,"sin":4}',
    ],
    [
      'keys that look like numbers are keys',
      '{"1":{"f":{"f":"hi","F":5},"\\n":56.0},"10":{},"":"empty","a":{},"111":[{}],"A":{}}',
      '{"":"empty","1":{"\\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{}],"A":{},"a":{}}',
    ],
    [
      'only what must be escaped is',
      '"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/"',
      '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"',
    ],
    ['lists keep their order', '[56,{"d":true,"10":null,"1":[]}]', '[56,{"1":[],"10":null,"d":true}]'],
    [
      'numbers are spelt as ECMAScript spells them',
      '[333333333.33333329,4.50,2e-3,0.000000000000000000000000001,1e0]',
      '[333333333.3333333,4.5,0.002,1e-27,1]',
    ],
  ])('%s', (_name, input, output) => {
    expect(canonical(JSON.parse(input))).toBe(output)
    expect(canonicalize(JSON.parse(input))).toBe(output)
    expect(reference(JSON.parse(input))).toBe(output)
  })

  test.each([
    ['0000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('the number %s is spelt %s, or refused where JSON would round it', (bits, spelling) => {
    const number = Buffer.from(bits, 'hex').readDoubleBE()
    expect(canonicalize(number)).toBe(spelling)
    const exact = !Number.isInteger(number) || Number.isSafeInteger(number)
    expect(canonicalOf(number)).toEqual(
      exact ? { ok: true, canonical: spelling } : { ok: false, problem: expect.stringContaining('beyond 2^53') },
    )
  })

  test('two implementations agree, and reading it back gives the value', () => {
    fc.assert(
      fc.property(acceptable, (value) => {
        const spelt = canonical(value)
        expect(spelt).toBe(reference(value))
        expect(canonical(JSON.parse(spelt))).toBe(spelt)
      }),
      { numRuns: 4_000 },
    )
  })

  test('two values share a spelling if and only if they are the same', () => {
    const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
    fc.assert(
      fc.property(acceptable, acceptable, (a, b) => {
        expect(canonical(a) === canonical(b)).toBe(isDeepStrictEqual(plain(a), plain(b)))
      }),
      { numRuns: 10_000 },
    )
  })

  test('keys without a value are left out before anything else', () => {
    expect(canonical({ b: undefined, a: { c: undefined } })).toBe('{"a":{}}')
  })

  test('an object without a prototype, and one that stands in two places, are plain', () => {
    const shared = { x: 1 }
    expect(canonical(Object.assign(Object.create(null), { a: shared, b: [shared] }))).toBe('{"a":{"x":1},"b":[{"x":1}]}')
  })
})

describe('what has no exact spelling is refused and named by its place', () => {
  const cycle: { self?: unknown } = {}
  cycle.self = cycle
  const deep = (levels: number): unknown => (levels === 0 ? 'x' : [deep(levels - 1)])
  const pollution: unknown = JSON.parse('{"a":{"__proto__":{"polluted":true}}}')
  class Money {
    readonly amount = 1
  }
  const named = Object.assign([1], { length: 1, extra: 2 })

  test.each([
    ['NaN', { a: Number.NaN }, 'args.a: not a number'],
    ['infinity', [1, Number.POSITIVE_INFINITY], 'args[1]: an infinite number'],
    ['minus infinity', Number.NEGATIVE_INFINITY, 'args: an infinite number'],
    ['minus zero', { a: -0 }, 'args.a: minus zero'],
    ['an unsafe integer', { a: 2 ** 53 }, 'args.a: an integer beyond 2^53, which JSON may round: send it as a string'],
    ['a huge float, which is an integer too', 1e300, 'args: an integer beyond 2^53, which JSON may round: send it as a string'],
    ['a big integer', { a: 1n }, 'args.a: bigint is not JSON'],
    ['nothing', undefined, 'args: undefined is not JSON'],
    ['nothing in a list', [undefined], 'args[0]: undefined is not JSON'],
    ['a hole in a list', new Array(1), 'args: a list with holes or named members'],
    ['a list with a name on it', named, 'args: a list with holes or named members'],
    ['a function', { a: () => 1 }, 'args.a: function is not JSON'],
    ['a symbol', { a: Symbol('x') }, 'args.a: symbol is not JSON'],
    ['a key that is a symbol', { [Symbol('x')]: 1 }, 'args: a key that is a symbol'],
    ['a date', { a: new Date(0) }, 'args.a: an instance of a class'],
    ['a map', new Map(), 'args: an instance of a class'],
    ['a boxed string', { a: Object('x') }, 'args.a: an instance of a class'],
    ['an instance', { a: new Money() }, 'args.a: an instance of a class'],
    ['a list of a class', { a: new (class Rows extends Array {})() }, 'args.a: not a plain list'],
    ['a getter', Object.defineProperty({}, 'a', { get: () => 1, enumerable: true }), 'args: a computed or hidden key'],
    ['a hidden key', Object.defineProperty({}, 'a', { value: 1 }), 'args: a computed or hidden key'],
    ['its own toJSON', { toJSON: () => 1 }, 'args.toJSON: function is not JSON'],
    ['a cycle', cycle, 'args.self: contains itself'],
    ['half a surrogate pair', { a: 'x\ud800' }, 'args.a: half of a surrogate pair'],
    ['half a pair in a key', { '\udc00': 1 }, 'args: a key with half of a surrogate pair'],
    ['__proto__', pollution, 'args.a: the key __proto__'],
    ['33 levels', deep(33), `args${'[0]'.repeat(32)}: deeper than 32 levels`],
    ['more than 64 KB', { a: 'x'.repeat(65_536) }, 'args: more than 65536 bytes of canonical JSON'],
    ['more than 64 KB of two-byte letters', { a: 'é'.repeat(33_000) }, 'args: more than 65536 bytes of canonical JSON'],
  ])('%s', (_name, value, refusal) => {
    expect(problem(value)).toBe(refusal)
  })

  test('the last that still fits is taken: 32 levels, 64 KB', () => {
    expect(canonicalOf(deep(32)).ok).toBe(true)
    expect(canonicalOf('x'.repeat(65_534)).ok).toBe(true)
    expect(canonicalOf('x'.repeat(65_535)).ok).toBe(false)
  })

  test('a small value that unfolds to a huge one is refused without unfolding it', () => {
    let value: unknown = 'x'
    for (let level = 0; level < 31; level++) value = [value, value, value, value]
    expect(problem(value)).toBe('args: more than 65536 bytes of canonical JSON')
  })

  test('nothing is ever polluted', () => {
    canonicalOf(pollution)
    expect(({} as { polluted?: true }).polluted).toBeUndefined()
  })
})

describe('a fingerprint', () => {
  const base = { tenant: 'main', action: 'pagar', actionVersion: '1', canonicalArgs: '{"a":1}' }

  test('is the same for the same proposal, for ever', () => {
    expect(fingerprintOf(base)).toBe('da10e481ca2fbdf8cd00d333fca9e31dd3240fec15ab305df54643249f0bfa10')
  })

  test('does not depend on the order of keys', () => {
    const of = (value: unknown): string => fingerprintOf({ ...base, canonicalArgs: canonical(value) })
    expect(of({ a: 1, b: { d: 1, c: 2 } })).toBe(of({ b: { c: 2, d: 1 }, a: 1 }))
  })

  test('changes with every part, and no part can lend a letter to its neighbour', () => {
    const part = fc.string({ maxLength: 4 })
    const parts = fc.record({ tenant: part, action: part, actionVersion: part, canonicalArgs: part })
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        expect(fingerprintOf(a) === fingerprintOf(b)).toBe(isDeepStrictEqual({ ...a }, { ...b }))
      }),
      { numRuns: 3_000 },
    )
    expect(fingerprintOf({ ...base, tenant: 'mainp', action: 'agar' })).not.toBe(fingerprintOf(base))
  })
})

describe('a preview digest', () => {
  const money = { key: 'monto', label: 'Monto', value: { kind: 'money', amount: '10.00', currency: 'ARS' } } as const
  const who = { key: 'cliente', label: 'Cliente', value: { kind: 'text', text: 'Ana (42)' } } as const
  const base = previewDigestOf({ fields: [money, who] })

  test('stays when only words about the values change', () => {
    expect(previewDigestOf({ fields: [{ ...money, label: 'Importe', unusual: 'alto' }, who], alsoWill: [] })).toBe(base)
  })

  test.each([
    ['a value', [{ ...money, value: { ...money.value, amount: '10.01' } }, who], []],
    ['the currency', [{ ...money, value: { ...money.value, currency: 'USD' } }, who], []],
    ['the kind of a value', [{ ...money, value: { kind: 'text', text: '10.00ARS' } as const }, who], []],
    ['the order', [who, money], []],
    ['a field less', [money], []],
    ['what else happens', [money, who], ['Manda un correo']],
  ])('changes with %s', (_name, fields, alsoWill) => {
    expect(previewDigestOf({ fields, alsoWill })).not.toBe(base)
  })

  test('tells numbers apart that JSON would write alike', () => {
    const of = (number: number): string =>
      previewDigestOf({ fields: [{ key: 'n', label: 'N', value: { kind: 'number', number } }] })
    expect(new Set([Number.NaN, Number.POSITIVE_INFINITY, 0, -0].map(of)).size).toBe(4)
  })
})
