import Big from 'big.js'
import { amountOf, type Counted, type Past, valueAt } from './past.ts'

/** A decimal as text (`"100000"`), or one for each currency. */
export type Limit = string | Readonly<Record<string, string>>

/** A condition: what the asker has asked for in a time comes to more than their role may. `over` makes one. */
export interface Over {
  readonly kind: 'over'
  /** Where the amount stands in the arguments: `monto`, or `pago.monto`. A number, or a decimal as text. */
  readonly field: string
  /** Where the currency stands, when each has a limit of its own. */
  readonly currency?: string
  /** What each role may, in all. Of several roles the most counts; who has none of them may nothing. */
  readonly perRole: Readonly<Record<string, Limit>>
  /** How long back what was done counts, in milliseconds. What is open or approved counts however old it is. */
  readonly withinMs: number
  /** Speaks from this share of the limit on, the limit itself included; without it, only above the limit. */
  readonly fromPercent?: number
}

/**
 * A limit on the sum of what one person asks for, so that ten times 90 does not pass under 100: this call and all of theirs, of the
 * rule's actions, that are open, approved or done within the time. Amounts are added by their digits, without a sign.
 */
export const over = (limit: Omit<Over, 'kind'>): Over => Object.freeze({ kind: 'over', ...limit })

/**
 * Does the sum pass the limit? Throws where this call's own amount or currency cannot be read. One from before that cannot be read, of an
 * older version of its action, counts as more than any limit.
 */
export function isOver(over: Over, actions: readonly string[], args: unknown, roles: readonly string[], past: Past): boolean {
  const limit = limitOf(over, roles, currencyOf(over, args))
  const sum = sumOf(over, actions, args, past)
  if (sum === undefined) return true
  return over.fromPercent === undefined ? sum.gt(limit) : sum.times(100).gte(limit.times(over.fromPercent))
}

/**
 * Whom to ask above the asker's limit: the role with the lowest limit that is higher than theirs and covers the sum; undefined where there
 * is none. Throws as `isOver` does.
 */
export function roleAbove(
  over: Over,
  actions: readonly string[],
  args: unknown,
  roles: readonly string[],
  past: Past,
): string | undefined {
  const currency = currencyOf(over, args)
  const sum = sumOf(over, actions, args, past)
  if (sum === undefined) return undefined
  const own = limitOf(over, roles, currency)
  const steps = Object.keys(over.perRole)
    .map((role) => ({ role, limit: limitOf(over, [role], currency) }))
    .filter(({ limit }) => limit.gt(own) && limit.gte(sum))
  return steps.toSorted((a, b) => a.limit.cmp(b.limit))[0]?.role
}

/** What it comes to together with what counts beside it; undefined where a part of that cannot be known. */
function sumOf(over: Over, actions: readonly string[], args: unknown, past: Past): Big | undefined {
  const currency = currencyOf(over, args)
  const own = amountOf(valueAt(args, over.field))
  if (own === undefined) throw new TypeError(`${over.field} is no amount that a limit can count`)
  if (over.currency !== undefined && currency === undefined) throw new TypeError(`${over.currency} names no currency`)
  const sinceMs = past.nowMs - over.withinMs
  const before = past.counted.filter((one) => actions.includes(one.action) && (one.doneAtMs ?? sinceMs) >= sinceMs)
  let sum = own.abs()
  for (const one of before) {
    const amount = countedAmount(over, one, currency)
    if (amount === undefined) return undefined
    sum = sum.plus(amount)
  }
  return sum
}

function currencyOf({ currency }: Over, args: unknown): string | undefined {
  const value = currency === undefined ? undefined : valueAt(args, currency)
  return typeof value === 'string' ? value : undefined
}

/** What an earlier call adds: nothing in another currency; undefined when it cannot be known. */
function countedAmount(over: Over, { args }: Counted, currency: string | undefined): Big | undefined {
  if (over.currency !== undefined) {
    const other = currencyOf(over, args)
    if (other === undefined) return undefined
    if (other !== currency) return new Big(0)
  }
  return amountOf(valueAt(args, over.field))?.abs()
}

function limitOf({ perRole }: Over, roles: readonly string[], currency: string | undefined): Big {
  const limits = roles.flatMap((role) => {
    const limit = Object.hasOwn(perRole, role) ? perRole[role] : undefined
    if (limit === undefined || typeof limit === 'string') return limit ?? []
    return currency !== undefined && Object.hasOwn(limit, currency) ? (limit[currency] ?? []) : []
  })
  return limits.map((limit) => new Big(limit)).reduce((most, limit) => (limit.gt(most) ? limit : most), new Big(0))
}
