/** Whole cents of pesos as decimal text: no float ever holds money. */
export function centsOf(pesos: string): bigint {
  const [units = '0', cents = ''] = pesos.split('.')
  return BigInt(units) * 100n + BigInt(cents.padEnd(2, '0'))
}

/** Pesos as decimal text, with two decimals. */
export const pesosOf = (cents: bigint): string => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`

/** A day so many days later. */
export function dayAfter(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + days)
  return date.toISOString().slice(0, 10)
}
