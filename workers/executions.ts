import { execute } from '../src/gateway/execute.ts'
import type { House } from '../src/gateway/house.ts'

/** Runs, or goes after, every proposal whose bell rings. */
export const workExecutions = (house: House): Promise<AsyncDisposable> =>
  house.bell.work('executions', (id) => execute(house, id))
