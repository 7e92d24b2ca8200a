import { setTimeout } from 'node:timers/promises'
import type { House } from '../src/gateway/house.ts'
import { prune } from '../src/gateway/prune.ts'
import { sweep } from '../src/gateway/sweep.ts'

/** How often somebody sweeps. What a lost bell costs is at most this. */
export const sweepEveryMs = 1000

/** For how long one process sweeps before it asks again; when it dies, another begins after this. */
const leaseMs = 5 * sweepEveryMs

/** How often it looks for what is too old to be kept. What there is goes batch by batch, one a sweep. */
const pruneEveryMs = 24 * 3_600_000

/**
 * Sweeps once a second until disposed, in one process at a time. Driven by a timer and not by the queue: it is what makes up for the
 * queue. A sweep that fails (the store is down) is logged, and the next one tries again.
 */
export function workSweeps(house: House): AsyncDisposable {
  const stopping = new AbortController()
  const sweeping = keepSweeping(house, stopping.signal)
  return {
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await sweeping
    },
  }
}

async function keepSweeping(house: House, signal: AbortSignal): Promise<void> {
  const { store, owner, log } = house
  // A lease is a write, and a write costs more than a look: it is taken for some sweeps and renewed before it ends.
  let heldUntil = 0
  let pruneAt = 0
  while (!signal.aborted) {
    try {
      const asked = performance.now()
      if (heldUntil - asked < leaseMs / 2)
        heldUntil = (await store.lease('sweep', owner, leaseMs)) === undefined ? 0 : asked + leaseMs
      if (heldUntil > 0) {
        await sweep(house)
        if (performance.now() >= pruneAt && !(await prune(house))) pruneAt = performance.now() + pruneEveryMs
      }
    } catch (error) {
      log.warn({ err: error }, 'sweep_failed')
    }
    await setTimeout(sweepEveryMs, undefined, { signal, ref: false }).catch(() => undefined)
  }
  await store.releaseLease('sweep', owner).catch((error: unknown) => log.warn({ err: error }, 'sweep_lease_kept'))
}
