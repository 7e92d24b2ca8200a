import { callHooks } from '../src/gateway/call-hooks.ts'
import type { House } from '../src/gateway/house.ts'

/** Tells hooks what is due whenever their bell rings. */
export const workHooks = (house: House): Promise<AsyncDisposable> => house.bell.work('hooks', () => callHooks(house))
