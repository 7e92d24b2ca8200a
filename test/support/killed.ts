import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { botApiServer } from './bot-api-server.ts'
import { ledgerServer } from './ledger-server.ts'
import { DaleProcess, type ProcessSettings } from './processes.ts'

/** Everything around a whole house in one process, on a database of its own that outlives it: to be killed and started again. */
export async function aHouseToKill(differs: Partial<ProcessSettings> = {}) {
  await using made = new AsyncDisposableStack()
  let aheadMs = 0
  const server = made.use(
    await botApiServer({ username: 'gestion_demo_bot', now: () => Math.floor((Date.now() + aheadMs) / 1000) }),
  )
  const ledger = made.use(await ledgerServer())
  const folder = await mkdtemp(join(tmpdir(), 'dale-killed-'))
  made.defer(() => rm(folder, { recursive: true, force: true }))
  const settings: ProcessSettings = {
    gateway: true,
    workers: true,
    apiRoot: server.url,
    token: server.token,
    ledger: ledger.url,
    folder: join(folder, '.dale'),
    ...differs,
  }
  const all = made.move()
  return {
    server,
    ledger,
    /** A process of it, at work; `laterMs`: how much later it is for its database. */
    started: async (laterMs?: number): Promise<DaleProcess> =>
      all.use(await DaleProcess.started({ ...settings, ...(laterMs === undefined ? {} : { laterMs }) })),
    /** Moves the clock of the far side, and of a process with it. */
    async later(byMs: number, house?: DaleProcess): Promise<void> {
      aheadMs += byMs
      await house?.moveClock(byMs)
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}
