import { once } from 'node:events'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { compose } from '../compose.ts'
import { openLog } from '../log.ts'
import { type Desk, deskOf } from '../mcp/desk.ts'
import { daleServer } from '../mcp/server.ts'
import { readConfiguration, readSurroundings } from './configuration.ts'
import { controlOf } from './control.ts'
import { askedToEnd } from './signals.ts'
import { type ConfiguredOptions, Failure } from './verb.ts'
import { versionOf } from './version.ts'

/**
 * Serves MCP on stdin and stdout until the client goes or a signal comes: on the database that the environment names or, where a running
 * Dale has the embedded one open, through that process. Nothing but the protocol is written to stdout.
 */
export async function serveMcp(options: ConfiguredOptions, by: string): Promise<void> {
  const log = openLog('warn', 'stderr')
  const asked = askedToEnd()
  await using opened = await openDesk(options)
  const user = { by, mayPropose: true, mayRead: true }
  const served = serveStdio(() => daleServer(opened.desk, user, versionOf()), {
    onerror: (error) => log.warn({ err: error }, 'mcp_request_failed'),
  })
  await Promise.race([asked, once(process.stdin, 'end'), once(process.stdin, 'close')])
  await served.close()
}

async function openDesk(options: ConfiguredOptions): Promise<AsyncDisposable & { readonly desk: Desk }> {
  const environment = await readSurroundings()
  if (environment.databaseUrl === undefined) {
    const running = await controlOf(environment.dataDir)
    if (running === undefined)
      throw new Failure(
        'Dale does not run here, and its own database is open to one process only: dale start, or set DATABASE_URL',
      )
    const desk: Desk = {
      actions: running.deskActions,
      propose: running.deskPropose,
      withdraw: running.deskWithdraw,
      outcome: running.deskOutcome,
    }
    return { desk, [Symbol.asyncDispose]: async () => {} }
  }
  const { config } = await readConfiguration(options)
  const composition = await compose(config, environment, { log: openLog('warn', 'stderr'), count: () => {} })
  return { desk: deskOf(composition.house), [Symbol.asyncDispose]: () => composition[Symbol.asyncDispose]() }
}
