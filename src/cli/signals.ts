import { constants } from 'node:os'

/** Signals that ask a process to end. */
const asking = ['SIGTERM', 'SIGINT'] as const

type Asking = (typeof asking)[number]

/** `npm run` passes on the Ctrl+C that the terminal has sent to its child as well: two within this time are one. */
const sameWithinMs = 150

/**
 * Resolves with the first signal that asks the process to end. The second ends it at once, with what the shell expects of a process
 * that a signal ended; the rows in the database are such that this loses nothing.
 */
export function askedToEnd(): Promise<Asking> {
  const asked = Promise.withResolvers<Asking>()
  let firstAtMs: number | undefined
  for (const signal of asking)
    process.on(signal, () => {
      firstAtMs ??= performance.now()
      if (performance.now() - firstAtMs > sameWithinMs) process.exit(128 + constants.signals[signal])
      asked.resolve(signal)
    })
  return asked.promise
}
