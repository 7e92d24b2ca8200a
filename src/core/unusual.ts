import type Big from 'big.js'
import canonicalize from 'canonicalize'
import { amountOf, valueAt } from './past.ts'

/** Why a value is unusual. `said` is in the configuration's own words. */
export type Finding =
  | { readonly kind: 'far'; readonly usual: string }
  | { readonly kind: 'never_seen' }
  | { readonly kind: 'changed'; readonly from: string }
  | { readonly kind: 'said'; readonly why: string }

/** A key field of the card that is to be looked at twice. */
export interface Mark {
  readonly field: string
  readonly finding: Finding
}

/** Where the value stands, and which key field shows it. */
export interface Watched {
  /** Where it stands in the arguments: `monto`, or `pago.monto`. */
  readonly field: string
  /** The key field of the card that is marked, when it has another name. */
  readonly marks?: string
}

/** A condition: a value is unusual for this person. `farFromUsual`, `neverSeen`, `changed` and `unusual` make one. */
export type Unusual = Watched & { readonly kind: 'unusual' } & (
    | { readonly test: 'far'; readonly times: number; readonly least: number; readonly alsoBelow: boolean }
    | { readonly test: 'never_seen'; readonly least: number }
    | { readonly test: 'changed'; readonly of: string }
    | { readonly test: 'own'; judge(args: unknown, history: readonly unknown[]): string | undefined }
  )

/** More than so many times (3) the middle of what was done for this person; from `least` (3) such calls on. `alsoBelow`: or less than that part of it. */
export const farFromUsual = ({
  times = 3,
  least = 3,
  alsoBelow = false,
  ...watched
}: Watched & { readonly times?: number; readonly least?: number; readonly alsoBelow?: boolean }): Unusual =>
  Object.freeze({ kind: 'unusual', test: 'far', times, least, alsoBelow, ...watched })

/** A value that was never in what was done for this person; from `least` (1) such calls on. */
export const neverSeen = ({ least = 1, ...watched }: Watched & { readonly least?: number }): Unusual =>
  Object.freeze({ kind: 'unusual', test: 'never_seen', least, ...watched })

/** The last time this was done with the same value of `of`, the value was another one: a payee with a new bank account. */
export const changed = ({ of, ...watched }: Watched & { readonly of: string }): Unusual =>
  Object.freeze({ kind: 'unusual', test: 'changed', of, ...watched })

/**
 * A test of the configuration's own. `judge` gets the arguments and those of earlier calls that were done, the latest first and a hundred at
 * most, and says why the value is unusual; undefined when it is not. Pure, and at once.
 */
export const unusual = ({
  judge,
  ...watched
}: Watched & { judge(args: unknown, history: readonly unknown[]): string | undefined }): Unusual =>
  Object.freeze({ kind: 'unusual', test: 'own', judge, ...watched })

/** What a test finds in one call, if anything. Throws where a test of the configuration's own does, or answers no text. */
export function findingOf(unusual: Unusual, args: unknown, done: readonly unknown[]): Finding | undefined {
  const value = valueAt(args, unusual.field)
  switch (unusual.test) {
    case 'far': {
      const amounts = done.flatMap((past) => amountOf(valueAt(past, unusual.field)) ?? [])
      const amount = amountOf(value)
      if (amount === undefined) throw new TypeError(`${unusual.field} is no number that could be far from others`)
      const usual = middleOf(amounts)
      if (usual === undefined || amounts.length < unusual.least) return undefined
      const isAbove = amount.gt(usual.times(unusual.times))
      const isBelow = unusual.alsoBelow && amount.times(unusual.times).lt(usual)
      return isAbove || isBelow ? { kind: 'far', usual: usual.toFixed() } : undefined
    }
    case 'never_seen': {
      const seen = done.map((past) => spelt(valueAt(past, unusual.field)))
      return seen.length >= unusual.least && !seen.includes(spelt(value)) ? { kind: 'never_seen' } : undefined
    }
    case 'changed': {
      const same = spelt(valueAt(args, unusual.of))
      const last = done.find((past) => spelt(valueAt(past, unusual.of)) === same)
      const before = last === undefined ? undefined : valueAt(last, unusual.field)
      return last === undefined || spelt(before) === spelt(value) ? undefined : { kind: 'changed', from: told(before) }
    }
    case 'own': {
      const why: unknown = unusual.judge(args, done)
      if (why !== undefined && (typeof why !== 'string' || why.trim() === ''))
        throw new TypeError(`a test of ${unusual.field} answered neither why it is unusual nor undefined`)
      return why === undefined ? undefined : { kind: 'said', why }
    }
  }
}

/** Of an even number the lower one of the two: an amount that there was. */
function middleOf(amounts: readonly Big[]): Big | undefined {
  return [...amounts].sort((a, b) => a.cmp(b))[Math.floor((amounts.length - 1) / 2)]
}

/** Equal values have one spelling, in whatever order their keys stand. */
const spelt = (value: unknown): string => canonicalize(value) ?? ''

const told = (value: unknown): string => (typeof value === 'string' ? value : spelt(value))
