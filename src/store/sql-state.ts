/** Dale's own SQLSTATEs: a law below the code was broken; a change lost what it counted on. */
export const lawBroken = 'DL001'
export const changeLost = 'DL002'

/** The SQLSTATE of a database error, if it is one. */
export const sqlStateOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** The name of the constraint that a database error is about, if it tells. */
export const constraintOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'constraint' in error && typeof error.constraint === 'string'
    ? error.constraint
    : undefined
