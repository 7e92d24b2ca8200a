import type { Channel } from '../ports/channel.ts'
import type { House } from './house.ts'

/**
 * The account's channel, where this process may speak through it now. A connection that lives in one process at a time is spoken through
 * by whoever holds it; anywhere else what is to be said waits in its row.
 */
export function channelHere({ channels }: Pick<House, 'channels'>, account: string): Channel | undefined {
  const channel = channels.get(account)
  return channel?.line?.held() === false ? undefined : channel
}
