/** A value that is in the environment only; a configuration names it and never holds it. */
export interface Secret {
  readonly env: string
  /** Put before the value: `Bearer `, for instance. */
  readonly prefix: string
}

/** Names a secret: `env('CRM_TOKEN', 'Bearer ')`. It is read when it is used, and missed at start. */
export const env = (name: string, prefix = ''): Secret => Object.freeze({ env: name, prefix })

/** The secret's value among `variables`; undefined when it is missing or empty. */
export function secretValueOf(secret: Secret, variables: Readonly<Record<string, string | undefined>>): string | undefined {
  const value = variables[secret.env]
  return value === undefined || value === '' ? undefined : `${secret.prefix}${value}`
}
