import { InvalidArgumentError, Option } from 'commander'

/** `30d`, `12h` or `90m`, in ms. */
function readSince(text: string): number {
  const [, amount, unit] = /^(\d{1,4})([dhm])$/.exec(text) ?? []
  const unitMs = { d: 86_400_000, h: 3_600_000, m: 60_000 }[unit ?? '']
  if (unitMs === undefined) throw new InvalidArgumentError('It is a number of days, hours or minutes, like 30d, 12h or 90m.')
  return Number(amount) * unitMs
}

/** `--since`, in ms; by default as long as near misses are kept by default. */
export const sinceOption = (about: string): Option =>
  new Option('--since <time>', `${about}: 30d, 12h, 90m`).argParser(readSince).default(30 * 86_400_000, '30d')
