import { conversationOf } from '../src/core/conversation.ts'
import { deliver } from '../src/gateway/deliver.ts'
import type { House } from '../src/gateway/house.ts'

/** Sends what waits in every conversation whose bell rings, if this process speaks for its account. */
export const workDeliveries = (house: House): Promise<AsyncDisposable> =>
  house.bell.work('deliveries', (key) => deliver(house, conversationOf(key)))
