import { styleText } from 'node:util'
import type { Composition } from '../compose.ts'
import type { Config } from '../config/config.ts'
import type { Environment } from '../config/environment.ts'
import type { Listens } from '../console/server.ts'
import type { Running } from './run-house.ts'
import { tableOf } from './table.ts'
import { versionOf } from './version.ts'

interface Started {
  readonly config: Config
  readonly environment: Environment
  readonly file: string
  readonly running: Running
  readonly server: Listens | undefined
  /** The path of the page with the phones, where it is served. */
  readonly phones: string | undefined
}

/** What runs, and where. */
export interface Facts extends Started {
  readonly accounts: readonly {
    readonly name: string
    readonly channel: string
    readonly state: string
    readonly detail?: string
  }[]
  readonly parts: Awaited<ReturnType<Composition['readiness']>>['parts']
  /** The same for the log: no address of a database, which may hold a password. */
  readonly logged: Readonly<Record<string, string | number | boolean>>
}

/** Gathers what there is to tell once everything was started. */
export async function factsOf(composition: Composition, started: Started): Promise<Facts> {
  const { parts } = await composition.readiness()
  const { environment, running, server, config } = started
  return {
    ...started,
    parts,
    accounts: config.accounts.map(({ name, channel }) => ({
      name,
      channel,
      ...(parts[`channel:${name}`] ?? { state: 'starting' }),
    })),
    logged: {
      version: versionOf(),
      node: process.version,
      gateway: running.gateway,
      workers: running.workers,
      database: environment.databaseUrl === undefined ? 'embedded' : 'postgres',
      queue: environment.redisUrl === undefined ? 'database' : 'redis',
      ...(server === undefined ? {} : { address: server.url }),
      ...(server === undefined || started.phones === undefined ? {} : { page: server.url + started.phones }),
    },
  }
}

/** The first thing a terminal shows: what runs, how it is, where it is, and how to try it. */
export function bannerLines(facts: Facts): readonly string[] {
  const { running, environment, server, accounts, parts, file } = facts
  const does = running.gateway ? (running.workers ? 'gateway and workers' : 'gateway, without workers') : 'workers'
  const database = environment.databaseUrl === undefined ? `embedded, in ${environment.dataDir}` : 'PostgreSQL of DATABASE_URL'
  const queue = environment.redisUrl === undefined ? 'on the same database' : 'Redis of REDIS_URL'
  const rows = [
    ['configuration', file],
    ...(running.gateway
      ? accounts.map(({ name, channel, state, detail }) => ['account', `${name} (${channel})`, shown(state, detail)])
      : []),
    ['database', database, shown(parts.database?.state ?? 'starting', parts.database?.detail)],
    ['queue', queue, shown(parts.queue?.state ?? 'starting', parts.queue?.detail)],
    ...(server === undefined
      ? []
      : [['http', `${server.url}/healthz  /readyz  /metrics${running.gateway ? '  /webhooks  /v1' : ''}`]]),
  ]
  return [
    '',
    `${bold('Dale')} ${versionOf()}: ${does}. Nothing runs until a person says so.`,
    '',
    ...tableOf(rows).map((line) => `  ${line}`),
    '',
    ...(running.gateway ? tryLines(facts) : []),
    'Ctrl+C stops it; what is in hand is finished first.',
    '',
  ]
}

function tryLines({ server, phones, accounts }: Facts): readonly string[] {
  const bots = accounts.filter(({ channel }) => channel === 'telegram').map(({ name }) => name)
  return [
    ...(server !== undefined && phones !== undefined ? [`Try it: open ${bold(server.url + phones)} and write.`] : []),
    ...(bots.length > 0 ? [`Try it: write to the bot of ${bots.join(', ')} in Telegram.`] : []),
    'What waits: dale proposals list. Stop everything that has not begun: dale halt all --by NAME.',
  ]
}

const bold = (text: string): string => styleText('bold', text, { stream: process.stdout })

function shown(state: string, detail: string | undefined): string {
  const colour = state === 'up' ? 'green' : state === 'down' ? 'red' : 'yellow'
  return styleText(colour, state, { stream: process.stdout }) + (detail === undefined ? '' : ` (${detail})`)
}
