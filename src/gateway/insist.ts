import { StoreAwayError } from '../core/errors.ts'

const triesAllowed = 7
const firstWaitMs = 50

/**
 * Does something again while the store cannot be asked, for about six seconds: a connection that broke is a moment, and who waits for an
 * answer should not wait for a lease. The work must be safe to repeat from its beginning. Throws the last `StoreAwayError`, and anything
 * else at once.
 */
export async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof StoreAwayError) || tries >= triesAllowed) throw error
      await new Promise((resolve) => setTimeout(resolve, firstWaitMs * 2 ** (tries - 1)))
    }
  }
}
