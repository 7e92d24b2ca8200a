import type { House } from './house.ts'

/** Small, so that nothing on the way of a message waits for it. */
const atMost = 500

/**
 * Erases a batch of what the configuration keeps no longer: handled events, settled messages with their reports, ended turns. Proposals,
 * their history and decisions are never erased. False when nothing was left to erase.
 */
export async function prune({ store, limits, log }: House): Promise<boolean> {
  const rows = await store.prune(limits.keepDays, atMost)
  if (rows > 0) log.info({ result: rows }, 'pruned')
  return rows > 0
}
