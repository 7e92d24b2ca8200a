import { constants } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import pg from 'pg'
import type { Config } from '../config/config.ts'
import { type Environment, inspectEnvironment } from '../config/environment.ts'
import { ConfigError } from '../core/errors.ts'
import type { ActionSource } from '../ports/action-source.ts'
import { readConfiguration } from './configuration.ts'
import { controlOf } from './control.ts'
import { lookForSession } from './doctor-baileys.ts'
import { askTelegram } from './doctor-telegram.ts'
import { messageOf } from './failure.ts'
import type { ConfiguredOptions } from './verb.ts'

/** One thing that was looked at. `todo` says what to do where there is something to do. */
export interface Finding {
  readonly state: 'ok' | 'warn' | 'fail'
  readonly what: string
  readonly found: string
  readonly todo?: string
}

/** Looks at everything. Never throws: what cannot be looked at is a finding. */
export async function examine(options: ConfiguredOptions): Promise<readonly Finding[]> {
  const configured = await configuration(options)
  const environment = configured.environment ?? environmentAlone()
  const around = [
    ...(environment === undefined
      ? []
      : environment.databaseUrl === undefined
        ? [folder(environment.dataDir)]
        : [postgres(environment)]),
    ...(environment?.redisUrl === undefined ? [] : [redis(environment.redisUrl)]),
    ...(configured.config === undefined || environment === undefined ? [] : accounts(configured.config, environment)),
    ...(configured.config === undefined ? [] : configured.config.sources.map((source) => actionsOf(source))),
  ]
  return [nodeVersion(), ...configured.findings, ...(await Promise.all(around)).flat()]
}

const oldestNode = 24

function nodeVersion(): Finding {
  const major = Number(process.versions.node.split('.')[0])
  const found = `${process.version}, ${process.platform} ${process.arch}`
  if (major < oldestNode) return { state: 'fail', what: 'Node', found, todo: `Install Node ${oldestNode} or later` }
  return { state: 'ok', what: 'Node', found }
}

interface Configured {
  readonly findings: readonly Finding[]
  readonly config?: Config
  readonly environment?: Environment
}

async function configuration(options: ConfiguredOptions): Promise<Configured> {
  try {
    const { file, config, environment } = await readConfiguration(options)
    const count = `${config.accounts.length} account${config.accounts.length === 1 ? '' : 's'}, ${config.actions.length} action${config.actions.length === 1 ? '' : 's'}`
    return { findings: [{ state: 'ok', what: 'configuration', found: `${file}: ${count}` }], config, environment }
  } catch (error) {
    const problems = error instanceof ConfigError ? error.problems : [{ path: '', message: messageOf(error) }]
    return {
      findings: problems.map(({ path, message }) => ({
        state: 'fail',
        what: 'configuration',
        found: path === '' ? message : `${path}: ${message}`,
      })),
    }
  }
}

/** What can be known without a configuration; its own problems were told with that one's. */
function environmentAlone(): Environment | undefined {
  const read = inspectEnvironment(process.env, process.cwd())
  return read.ok ? read.environment() : undefined
}

const gigabyte = 1024 ** 3

async function folder(dataDir: string): Promise<readonly Finding[]> {
  const what = 'data folder'
  const place = await nearest(dataDir)
  try {
    await access(place, constants.W_OK)
  } catch {
    return [
      {
        state: 'fail',
        what,
        found: `${place} cannot be written by this user`,
        todo: 'Change its owner, or set DALE_DATA_DIR to another folder',
      },
    ]
  }
  const running = await controlOf(dataDir).catch(() => undefined)
  const used = running === undefined ? 'can be written' : 'is open in a running Dale'
  const { bavail, bsize } = await statfs(place)
  const free = bavail * bsize
  const room = `${(free / gigabyte).toFixed(1)} GB free`
  const space: Finding =
    free < gigabyte / 10
      ? { state: 'fail', what: 'disk', found: room, todo: 'Make room: a full disk stops every decision' }
      : free < gigabyte
        ? { state: 'warn', what: 'disk', found: room, todo: 'Make room soon' }
        : { state: 'ok', what: 'disk', found: room }
  return [{ state: 'ok', what, found: `${dataDir} ${used}` }, space]
}

/** The folder, or the nearest one above it that is there. */
async function nearest(path: string): Promise<string> {
  try {
    await access(path)
    return path
  } catch {
    return dirname(path) === path ? path : nearest(dirname(resolve(path)))
  }
}

const oldestPostgres = 14
const skewAllowedMs = 5000

async function postgres(environment: Environment): Promise<readonly Finding[]> {
  const what = 'database'
  const client = new pg.Client({ connectionString: environment.databaseUrl, connectionTimeoutMillis: 5000, query_timeout: 5000 })
  client.on('error', () => undefined) // It is told by the query that fails.
  try {
    await client.connect()
    const begunMs = Date.now()
    const { rows } = await client.query<{ readonly version: string; readonly at: string }>(
      `select current_setting('server_version') as version, (extract(epoch from clock_timestamp()) * 1000)::bigint::text as at`,
    )
    const skewMs = Math.abs(Number(rows[0]?.at) - (begunMs + Date.now()) / 2)
    const version = rows[0]?.version ?? ''
    const skew = `${(skewMs / 1000).toFixed(1)} s apart from the database’s`
    return [
      Number.parseInt(version, 10) < oldestPostgres
        ? { state: 'fail', what, found: `PostgreSQL ${version}`, todo: `Use PostgreSQL ${oldestPostgres} or later` }
        : { state: 'ok', what, found: `PostgreSQL ${version}` },
      skewMs > skewAllowedMs
        ? {
            state: 'fail',
            what: 'clock',
            found: skew,
            todo: 'Set this machine’s clock by NTP: a late or early answer would be judged wrongly',
          }
        : { state: 'ok', what: 'clock', found: skew },
      await schema(environment),
    ]
  } catch (error) {
    return [{ state: 'fail', what, found: messageOf(error), todo: 'Start it, or correct DATABASE_URL; dale start waits for it' }]
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function schema(environment: Environment): Promise<Finding> {
  const what = 'schema'
  const [{ openStoreFor }, { openLog }] = await Promise.all([import('../compose.ts'), import('../log.ts')])
  try {
    const { close } = await openStoreFor(environment, openLog('silent'))
    await close()
    return { state: 'ok', what, found: 'is what this version expects' }
  } catch (error) {
    return {
      state: 'fail',
      what,
      found: error instanceof ConfigError ? error.problems.map(({ message }) => message).join('; ') : messageOf(error),
    }
  }
}

async function redis(url: string): Promise<readonly Finding[]> {
  const what = 'Redis'
  const { checkRedis } = await import('../queue/check-redis.ts')
  try {
    const doubts = await checkRedis(url)
    if (doubts.length === 0) return [{ state: 'ok', what, found: 'keeps every key, and can be reached' }]
    return doubts.map(({ message }) => ({ state: 'warn', what, found: message }))
  } catch (error) {
    const problems = error instanceof ConfigError ? error.problems.map(({ message }) => message) : [messageOf(error)]
    return problems.map((found) => ({ state: 'fail', what, found }))
  }
}

/** Opens a source of actions as a start would, and ends it again. */
async function actionsOf(source: ActionSource): Promise<readonly Finding[]> {
  const what = `actions of ${source.source}`
  const [{ openSources }, { openLog }] = await Promise.all([import('../actions/open-sources.ts'), import('../log.ts')])
  try {
    await using opened = await openSources([], [source], { log: openLog('silent') })
    const { size } = opened.actions
    return [{ state: 'ok', what, found: `answers, and offers ${size === 1 ? 'one action' : `${size} actions`}` }]
  } catch (error) {
    const problems = error instanceof ConfigError ? error.problems.map(({ message }) => message) : [messageOf(error)]
    return problems.map((found) => ({ state: 'fail', what, found, todo: 'Until then dale start does not begin' }))
  }
}

const accounts = (config: Config, environment: Environment): readonly Promise<readonly Finding[]>[] => {
  // One after the other: an embedded database opens once.
  let before: Promise<unknown> = Promise.resolve()
  return config.accounts.map((account): Promise<readonly Finding[]> => {
    if (account.channel === 'telegram') return askTelegram(account, environment).then((finding) => [finding])
    if (account.channel !== 'whatsapp-baileys') return Promise.resolve([])
    const looked = before.then(() => lookForSession(account, environment))
    before = looked
    return looked.then((finding) => [finding])
  })
}
