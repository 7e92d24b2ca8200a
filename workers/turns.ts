import { conversationOf } from '../src/core/conversation.ts'
import { converse } from '../src/gateway/converse.ts'
import type { House } from '../src/gateway/house.ts'

/** Lets the agent answer in every conversation whose bell rings. */
export const workTurns = (house: House): Promise<AsyncDisposable> =>
  house.bell.work('turns', (key) => converse(house, conversationOf(key)))
