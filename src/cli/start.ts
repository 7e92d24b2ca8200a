import type { Command } from 'commander'
import { readSeconds } from './read-arguments.ts'
import { type ConfiguredOptions, newVerb, withConfig } from './verb.ts'

interface StartOptions extends ConfiguredOptions {
  readonly workers: boolean
  readonly grace?: number
}

/** `dale start`: the gateway, with workers in the same process unless told otherwise. */
export const start = (): Command =>
  withConfig(
    newVerb('start', 'Run the gateway: chats come in, cards go out, and actions run once a person said so.', [
      ['dale start', 'everything in one process, with its own database in .dale/'],
      ['DATABASE_URL=… dale start', 'on PostgreSQL, which dale migrate has prepared'],
      ['dale start --no-workers', 'receives and decides; dale worker does the rest elsewhere'],
      ['PORT=0 dale start --json', 'on any free port; the log says which'],
    ]),
  )
    .option('--no-workers', 'leave turns, sendings and actions to dale worker; needs DATABASE_URL')
    .option(
      '--grace <seconds>',
      'how long work in hand is waited for at the end (default: longer than the longest action)',
      readSeconds,
    )
    .action(async (options: StartOptions) => {
      if (!options.workers)
        await needDatabase('--no-workers', 'the workers are other processes, and the embedded database can be opened by one only')
      const { runHouse } = await import('./run-house.ts')
      await runHouse(options, {
        gateway: true,
        workers: options.workers,
        listenAt: ({ host, port }) => ({ host, port }),
        ...(options.grace === undefined ? {} : { graceMs: options.grace * 1000 }),
      })
    })

/** Throws `ConfigError` where there is no DATABASE_URL, with the reason why one is needed. */
export async function needDatabase(what: string, because: string): Promise<void> {
  if (process.env.DATABASE_URL) return
  const { ConfigError } = await import('../core/errors.ts')
  throw new ConfigError([
    { path: 'DATABASE_URL', message: `is needed for ${what}: ${because}. Without it, dale start does everything in one process` },
  ])
}
