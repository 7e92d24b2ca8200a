import type { Command } from 'commander'
import { readPort, readSeconds } from './read-arguments.ts'
import { needDatabase } from './start.ts'
import { type ConfiguredOptions, newVerb, withConfig } from './verb.ts'

interface WorkerOptions extends ConfiguredOptions {
  readonly port?: number
  readonly grace?: number
}

/** `dale worker`: turns, sendings and actions, beside one or many gateways on the same database. */
export const worker = (): Command =>
  withConfig(
    newVerb(
      'worker',
      'Run a worker: it lets the agent answer, sends what is to be sent, and runs what was approved. Receives nothing.',
      [
        ['DATABASE_URL=… dale worker', 'as many as you like, beside dale start'],
        ['DATABASE_URL=… dale worker --port 3001', 'with /healthz, /readyz and /metrics there'],
      ],
    ),
  )
    .option('--port <port>', 'serve /healthz, /readyz and /metrics there; without it there is no server', readPort)
    .option(
      '--grace <seconds>',
      'how long work in hand is waited for at the end (default: longer than the longest action)',
      readSeconds,
    )
    .action(async (options: WorkerOptions) => {
      await needDatabase(
        'a worker',
        'it shares the database with the gateway, and the embedded one can be opened by one process only',
      )
      const { runHouse } = await import('./run-house.ts')
      const { port, grace } = options
      await runHouse(options, {
        gateway: false,
        workers: true,
        ...(port === undefined ? {} : { listenAt: ({ host }) => ({ host, port }) }),
        ...(grace === undefined ? {} : { graceMs: grace * 1000 }),
      })
    })
