/** Whole centavos of decimal text: no float ever holds money. */
export function centsOf(reais: string): bigint {
  const [units = '0', cents = ''] = reais.split('.')
  return BigInt(units) * 100n + BigInt(cents.padEnd(2, '0'))
}

/** Reais as decimal text, with two decimals. */
export const reaisOf = (cents: bigint): string => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
