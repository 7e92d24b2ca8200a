/**
 * The promise's result, or an error once `ms` have passed. The work itself is not stopped: what it still does happens unheard.
 */
export async function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined) // After the time is over nobody listens any more; a late failure must not end the process.
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`${what} took longer than ${ms} ms`)), ms)
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
