import { setTimeout as pause } from 'node:timers/promises'

/** Waits, or returns at once when `signal` aborts. */
export const wait = (ms: number, signal: AbortSignal): Promise<void> => pause(ms, undefined, { signal }).catch(() => undefined)

/** How long to wait after so many failures in a row: `firstMs`, doubled each time, up to half a minute. */
export const backoffOf = (failures: number, firstMs: number): number =>
  Math.min(firstMs * 2 ** Math.min(Math.max(failures - 1, 0), 10), 30_000)

/** What may be logged of an error that is not ours: its class, never its text. */
export const nameOf = (error: unknown): string => (error instanceof Error ? error.name : 'unknown')
