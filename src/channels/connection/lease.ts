import type { Log } from '../../ports/log.ts'
import type { Store } from '../../ports/store.ts'
import { nameOf, wait } from './wait.ts'

/** Where leases are kept; the store is one. */
export type Leases = Pick<Store, 'lease' | 'releaseLease'>

/** Whose lease it is to be: `owner` is one process. It is renewed at a third of `ttlMs`. */
export interface LeaseClaim {
  readonly leases: Leases
  readonly name: string
  readonly owner: string
  readonly ttlMs: number
}

/**
 * A lease that is held. `lost` aborts when it no longer is, and a fifth of its time before it can be over: time to close what only one
 * process may have open. Disposing gives it back.
 */
export interface Term extends AsyncDisposable {
  readonly lost: AbortSignal
  /** Higher than that of every holder before. */
  readonly fence: number
}

/**
 * Takes the lease and keeps it until disposed; undefined while another process holds it. While the store cannot be asked, or does not
 * answer, the lease counts as held until shortly before its time is over, by this process's own monotonic clock, and then as lost: from
 * there on another may take it.
 */
export async function takeLease({ leases, name, owner, ttlMs }: LeaseClaim, log: Log): Promise<Term | undefined> {
  const first = performance.now()
  const taken = await leases.lease(name, owner, ttlMs)
  if (taken === undefined) return undefined
  // The store counts from when it was asked, or later.
  let heldUntil = first + ttlMs
  const lost = new AbortController()
  const ended = new AbortController()
  const over = AbortSignal.any([ended.signal, lost.signal])
  const watching = (async () => {
    while (!over.aborted) {
      const leftMs = heldUntil - ttlMs / 5 - performance.now()
      if (leftMs <= 0) lost.abort()
      else await wait(leftMs, over)
    }
  })()
  const renewing = (async () => {
    for (;;) {
      await wait(ttlMs / 3, over)
      if (over.aborted) return
      const asked = performance.now()
      try {
        if ((await leases.lease(name, owner, ttlMs)) === undefined) lost.abort()
        else heldUntil = asked + ttlMs
      } catch (error) {
        log.warn({ lease: name, error: nameOf(error) }, 'lease_not_renewed')
      }
    }
  })()
  const release = async () => {
    await renewing
    if (lost.signal.aborted) return
    await leases
      .releaseLease(name, owner)
      .catch((error: unknown) => log.warn({ lease: name, error: nameOf(error) }, 'lease_not_released'))
  }
  return {
    lost: lost.signal,
    fence: taken.fence,
    async [Symbol.asyncDispose]() {
      ended.abort()
      await watching
      // A store that does not answer is not waited for longer than the lease lasts: then there is nothing left to give back.
      const expired = new AbortController()
      await Promise.race([release(), wait(Math.max(heldUntil - performance.now(), 0), expired.signal)])
      expired.abort()
    },
  }
}
