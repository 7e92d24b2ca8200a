import { InvalidArgumentError } from 'commander'

/** `30d`, `12h` or `90m`, in ms. */
export function readSince(text: string): number {
  const [, amount, unit] = /^(\d{1,4})([dhm])$/.exec(text) ?? []
  const unitMs = { d: 86_400_000, h: 3_600_000, m: 60_000 }[unit ?? '']
  if (unitMs === undefined) throw new InvalidArgumentError('It is a number of days, hours or minutes, like 30d, 12h or 90m.')
  return Number(amount) * unitMs
}

/** Days from which what was kept of near misses is over by default. */
export const usualSinceMs = 30 * 86_400_000
