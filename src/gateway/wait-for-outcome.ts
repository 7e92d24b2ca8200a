import { isSettled } from '../core/proposal.ts'
import type { House } from './house.ts'
import { type OutcomeInFull, outcomeInFull } from './outcome-of.ts'

/** The first looks are close, for who answers at once; a person takes longer. */
const firstLookMs = 100
const lastLookMs = 1_000

/**
 * A proposal once nothing more happens to it, or as it stands when the signal aborts; undefined where there is none. Whoever moves it may be
 * another process: the row is looked at again and again, at most once a second. In doubt is not final: it goes on.
 */
export async function waitForOutcome(house: House, proposalId: string, signal: AbortSignal): Promise<OutcomeInFull | undefined> {
  for (let lookMs = firstLookMs; ; lookMs = Math.min(lookMs * 1.5, lastLookMs)) {
    const read = await house.store.proposal(proposalId)
    if (read === undefined || isSettled(read.proposal.state) || signal.aborted) return await outcomeInFull(house, proposalId)
    await pause(lookMs, signal)
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  const stop = () => resolve()
  signal.addEventListener('abort', stop, { once: true })
  await promise
  clearTimeout(timer)
  signal.removeEventListener('abort', stop)
}
