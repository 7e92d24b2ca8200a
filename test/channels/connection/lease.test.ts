import { performance } from 'node:perf_hooks'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Leases, takeLease } from '../../../src/channels/connection/lease.ts'
import type { Log } from '../../../src/ports/log.ts'
import type { TestStore } from '../../support/database.ts'
import { anEmptyStore } from '../../support/embedded.ts'
import { until } from '../../support/until.ts'

const log: Log = { info: () => {}, warn: () => {}, error: () => {} }
const ttlMs = 900
let test: TestStore
beforeEach(async () => {
  test = await anEmptyStore()
})
afterEach(async () => {
  await test[Symbol.asyncDispose]()
})

const claim = (owner: string, leases: Leases = test.store) => ({ leases, name: 'whatsapp:tienda', owner, ttlMs })
const lostOf = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

/** The store behind a line that can be cut: then it fails, or does not answer at all. */
function aLine() {
  let state: 'up' | 'failing' | 'silent' = 'up'
  let asked = 0
  const through = async <T>(ask: () => Promise<T>): Promise<T> => {
    asked += 1
    if (state === 'failing') throw new Error('away')
    if (state === 'silent') return await new Promise<never>(() => {})
    return await ask()
  }
  const becomes = (next: typeof state): void => {
    state = next
  }
  const leases: Leases = {
    lease: (...about) => through(() => test.store.lease(...about)),
    releaseLease: (...about) => through(() => test.store.releaseLease(...about)),
  }
  return { leases, becomes, asked: () => asked }
}

it('is one owner’s for as long as that one lives, with a fence that rises from holder to holder', async () => {
  const first = await takeLease(claim('a'), log)
  expect(await takeLease(claim('b'), log)).toBeUndefined()
  const line = aLine()
  const kept = await takeLease(claim('a', line.leases), log)
  // Several terms long.
  await until(() => line.asked() > 7)
  expect(await takeLease(claim('b'), log)).toBeUndefined()
  await first?.[Symbol.asyncDispose]()
  await kept?.[Symbol.asyncDispose]()
  const next = await takeLease(claim('b'), log)
  expect(next?.fence).toBe((first?.fence ?? 0) + 1)
  await next?.[Symbol.asyncDispose]()
})

it.each(['failing', 'silent'] as const)(
  'is lost before it is over when the store is %s, and nobody has it before',
  async (how) => {
    const line = aLine()
    const term = await takeLease(claim('a', line.leases), log)
    if (term === undefined) throw new Error('not taken')
    const askedBefore = line.asked()
    await until(() => line.asked() > askedBefore)
    line.becomes(how)
    const last = performance.now()
    await lostOf(term.lost)
    expect(performance.now() - last).toBeLessThan(ttlMs)
    // Another asks again and again from the moment on at which the first has given up: it is not over yet.
    expect(await takeLease(claim('b'), log)).toBeUndefined()
    let next: Awaited<ReturnType<typeof takeLease>>
    await until(async () => {
      next = await takeLease(claim('b'), log)
      return next !== undefined
    })
    expect(next?.fence).toBe(term.fence + 1)
    await next?.[Symbol.asyncDispose]()
    await term[Symbol.asyncDispose]()
  },
)

it('is given back at once, and giving it back does not wait for a store that does not answer', async () => {
  const line = aLine()
  const term = await takeLease(claim('a', line.leases), log)
  line.becomes('silent')
  const began = performance.now()
  await term?.[Symbol.asyncDispose]()
  expect(performance.now() - began).toBeLessThan(2 * ttlMs)
})

it('is lost when another took it, as after a long pause', async () => {
  const term = await takeLease(claim('a'), log)
  if (term === undefined) throw new Error('not taken')
  await test.moveClock(10 * ttlMs)
  const other = await takeLease({ ...claim('b'), ttlMs: 60_000 }, log)
  await lostOf(term.lost)
  expect(other?.fence).toBe(term.fence + 1)
  await other?.[Symbol.asyncDispose]()
  await term[Symbol.asyncDispose]()
})
