import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'

/** One change to a payload: what is at a place is replaced, or put under a key beside it. */
interface Mutation {
  readonly which: number
  readonly by: unknown
  readonly added: string | undefined
}

/** Every place in a JSON value, as the keys that lead there; bytes are one. */
const placesIn = (value: unknown, at: readonly string[] = []): readonly (readonly string[])[] =>
  typeof value === 'object' && value !== null && !(value instanceof Uint8Array)
    ? [at, ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...at, key]))]
    : [at]

/** The value with what is at `place` replaced; `undefined` takes it away. */
function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value) ? [...value] : { ...(value as object) }
  Object.defineProperty(copy, key, {
    value: replaced(Reflect.get(copy, key), rest, by),
    enumerable: true,
    configurable: true,
    writable: true,
  })
  return copy
}

const nastyEverywhere: readonly unknown[] = [
  undefined,
  null,
  '',
  0,
  -1,
  1e21,
  Number.NaN,
  [],
  {},
  true,
  '\0',
  '\ud800',
  2 ** 53,
  'a'.repeat(5000),
]

/**
 * One to three changes to a payload: to values that are nasty everywhere and `values` of the provider's own, to anything, or to one of the
 * `wholes`; also under `keys` that matter to it.
 */
export function mutationsOf(of: {
  readonly values: readonly unknown[]
  readonly wholes: readonly unknown[]
  readonly keys: readonly string[]
}): fc.Arbitrary<Mutation[]> {
  const nasty = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom<unknown[]>(...nastyEverywhere, ...of.values) },
    { weight: 1, arbitrary: fc.anything({ maxDepth: 1 }) },
    { weight: 1, arbitrary: fc.constantFrom(...of.wholes) },
  )
  const added = fc.option(fc.constantFrom(...of.keys), { nil: undefined })
  return fc.array(fc.record({ which: fc.nat(), by: nasty, added }), { minLength: 1, maxLength: 3 })
}

/** The payload with the changes made, one after the other. */
export const mutated = (payload: unknown, mutations: readonly Mutation[]): unknown =>
  mutations.reduce((value: unknown, { which, by, added }) => {
    const places = placesIn(value)
    const place = places[which % places.length] ?? []
    return replaced(value, added === undefined ? place : [...place.slice(0, -1), added], by)
  }, payload)

/** Bytes in use once everything that nobody holds is gone. */
export function heldBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect === 'function') collect()
  return process.memoryUsage().heapUsed
}
