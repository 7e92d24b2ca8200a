const units = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** How people write a time that passes, for errors. */
export const durationForm = '5 s, 0.5 s, 31 min, 2 h or 1 d'

/** Milliseconds of `31 min`, `0.5 s`, `1 h 30 min`; undefined for anything else. */
export function durationOf(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?) ?(ms|s|min|h|d)(?: |$)/g)]
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== text) return undefined
  const ms = parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * units[unit as keyof typeof units], 0)
  return Number.isInteger(ms) ? ms : Math.round(ms)
}
