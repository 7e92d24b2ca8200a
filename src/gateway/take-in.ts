import type { Normalized } from '../core/inbound.ts'
import { handleInbound } from './handle-inbound.ts'
import type { House } from './house.ts'
import { receive } from './receive.ts'

/**
 * Takes in what an adapter hands over: resolves once it is stored, so that the adapter may acknowledge. Decisions are made in this
 * process, at once and aside; whatever does not get that far is found by the sweep.
 */
export async function takeIn(house: House, account: string, events: readonly Normalized[]): Promise<void> {
  for (const conversation of await receive(house, account, events)) house.spawn(() => handleInbound(house, conversation))
}
