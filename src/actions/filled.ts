import { type Secret, secretValueOf } from '../core/secret.ts'

/** Values with their secrets as they are in the environment now, so a rotated one is used without a restart of its own. */
export function filled(values: Readonly<Record<string, string | Secret>>): Record<string, string> {
  const pairs = Object.entries(values).map(([name, value]) => {
    if (typeof value === 'string') return [name, value]
    const secret = secretValueOf(value, process.env)
    if (secret === undefined) throw new TypeError(`${value.env} is not set in the environment`)
    return [name, secret]
  })
  return Object.fromEntries(pairs)
}
