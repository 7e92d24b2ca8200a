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

/** A lease that is held: `lost` aborts when it no longer is. Disposing gives it back. */
export interface Term extends AsyncDisposable {
  readonly lost: AbortSignal
}

/**
 * Takes the lease and keeps it until disposed; undefined while another process holds it. When the store cannot be asked the lease
 * counts as held until its time is over, and then as lost: by then another may have taken it.
 */
export async function takeLease({ leases, name, owner, ttlMs }: LeaseClaim, log: Log): Promise<Term | undefined> {
  let heldUntil = performance.now() + ttlMs
  if ((await leases.lease(name, owner, ttlMs)) === undefined) return undefined
  const lost = new AbortController()
  const ended = new AbortController()
  const renewing = (async () => {
    while (!ended.signal.aborted && !lost.signal.aborted) {
      await wait(ttlMs / 3, ended.signal)
      if (ended.signal.aborted) return
      const asked = performance.now()
      try {
        if ((await leases.lease(name, owner, ttlMs)) === undefined) lost.abort()
        else heldUntil = asked + ttlMs
      } catch (error) {
        log.warn({ lease: name, error: nameOf(error) }, 'lease_not_renewed')
        if (performance.now() + ttlMs / 3 >= heldUntil) lost.abort()
      }
    }
  })()
  return {
    lost: lost.signal,
    async [Symbol.asyncDispose]() {
      ended.abort()
      await renewing
      if (lost.signal.aborted) return
      await leases
        .releaseLease(name, owner)
        .catch((error: unknown) => log.warn({ lease: name, error: nameOf(error) }, 'lease_not_released'))
    },
  }
}
