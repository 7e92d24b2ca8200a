import { setTimeout as pause } from 'node:timers/promises'

/** Waits, or returns at once when `signal` aborts. */
export const wait = (ms: number, signal: AbortSignal): Promise<void> => pause(ms, undefined, { signal }).catch(() => undefined)

/** How long to wait after so many failures in a row: `firstMs`, doubled each time, up to half a minute. */
export const backoffOf = (failures: number, firstMs: number): number =>
  Math.min(firstMs * 2 ** Math.min(Math.max(failures - 1, 0), 10), 30_000)

/** What may be logged of an error that is not ours: its class, never its text. */
export const nameOf = (error: unknown): string => (error instanceof Error ? error.name : 'unknown')

/** What `work` gives, or undefined as soon as `signal` aborts: what then still becomes of it nobody waits for. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(undefined)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
