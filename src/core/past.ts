import Big from 'big.js'

/** A proposal of the asker that a limit counts: open, approved or done. */
export interface Counted {
  readonly action: string
  readonly args: unknown
  /** When it succeeded; absent while it may still come to something. */
  readonly doneAtMs?: number
}

/** What the asker has asked for before. */
export interface Past {
  readonly nowMs: number
  /** Of the actions that a limit adds up. */
  readonly counted: readonly Counted[]
  /** Arguments of the same action that were carried out for the same person, the latest first. */
  readonly done: readonly unknown[]
}

export const noPast: Past = { nowMs: 0, counted: [], done: [] }

/** What stands at a place of the arguments: `monto`, or `pago.monto` for one inside another. Undefined where there is nothing. */
export function valueAt(args: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (at, key) =>
        typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? (at as Record<string, unknown>)[key] : undefined,
      args,
    )
}

const decimal = /^-?\d{1,40}(\.\d{1,40})?$/

/** A number, or a decimal written as text, to the last digit. Undefined for anything else: `1e6` in a text and `1.000,50` are not read. */
export function amountOf(value: unknown): Big | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? new Big(String(value)) : undefined
  return typeof value === 'string' && decimal.test(value) ? new Big(value) : undefined
}
