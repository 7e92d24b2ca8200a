import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import pg from 'pg'
import { freePort } from './free-port.ts'

/** A server that tests can use, and how it was come by. `stop` ends what was started here and nothing else. */
export interface Found {
  readonly url: string
  readonly how: string
  readonly stop: () => Promise<void>
}

/** What is to be found: its name, the variable that may name it, its usual address, its programs and its Debian package. */
interface Wanted {
  readonly name: 'postgres' | 'redis'
  readonly variable: 'DATABASE_URL' | 'REDIS_URL'
  readonly usual: string
  readonly packages: readonly string[]
  readonly answers: (url: string) => Promise<boolean>
  /** Starts one of its own on a free port, if the programs are there. */
  readonly start: () => Promise<Found | undefined>
}

const postgres: Wanted = {
  name: 'postgres',
  variable: 'DATABASE_URL',
  usual: 'postgres://postgres@127.0.0.1:5432/postgres',
  packages: ['postgresql'],
  answers: async (url) => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3000 })
    client.on('error', () => undefined) // What becomes of it after the question does not matter.
    try {
      await client.connect()
      return true
    } catch {
      return false // Nobody there, or somebody who does not let us in: no server for tests either way.
    } finally {
      await client.end().catch(() => undefined)
    }
  },
  start: startPostgres,
}

const redis: Wanted = {
  name: 'redis',
  variable: 'REDIS_URL',
  usual: 'redis://127.0.0.1:6379',
  packages: ['redis-server'],
  answers: async (url) => {
    const client = new Redis(url, { lazyConnect: true, connectTimeout: 3000, retryStrategy: () => null, maxRetriesPerRequest: 0 })
    client.on('error', () => undefined)
    try {
      await client.connect()
      return (await client.ping()) === 'PONG'
    } catch {
      return false
    } finally {
      client.disconnect()
    }
  },
  start: startRedis,
}

/**
 * Finds both servers: named by the environment, else on their usual ports of this machine, else started from programs that are here,
 * else installed where that is possible (as root, on Debian or Ubuntu). Undefined where there is no way. A named one that does not
 * answer is an error: tests must not quietly run on another.
 */
export async function findServices(): Promise<Readonly<Record<Wanted['name'], Found | undefined>>> {
  if (inFolders('redis-server', pathFolders()) === undefined) install(redis) // Some tests kill one, even where a running one is named.
  return { postgres: await find(postgres), redis: await find(redis) }
}

async function find(wanted: Wanted): Promise<Found | undefined> {
  const named = process.env[wanted.variable]
  if (named !== undefined && named !== '') {
    if (await wanted.answers(named)) return running(named, wanted.variable)
    throw new Error(`${wanted.variable} is set, but no ${wanted.name} answers there`)
  }
  if (await wanted.answers(wanted.usual)) return running(wanted.usual, 'found on its usual port')
  const started = await wanted.start()
  if (started !== undefined) return started
  return install(wanted) ? await wanted.start() : undefined
}

function running(url: string, how: string): Found {
  return { url, how, stop: async () => undefined }
}

async function startRedis(): Promise<Found | undefined> {
  const program = inFolders('redis-server', pathFolders()) ?? inFolders('valkey-server', pathFolders())
  if (program === undefined) return undefined
  const [folder, port] = [mkdtempSync(join(tmpdir(), 'dale-redis-')), await freePort()]
  const settings = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
    '--maxmemory-policy',
    'noeviction',
  ]
  return started(redis, program, settings, folder, `redis://127.0.0.1:${port}`)
}

async function startPostgres(): Promise<Found | undefined> {
  const folders = [
    ...globSync('/usr/lib/postgresql/*/bin').toSorted(byVersion),
    ...globSync('/usr/pgsql-*/bin').toSorted(byVersion),
    ...pathFolders(),
  ]
  const [program, initdb] = [inFolders('postgres', folders), inFolders('initdb', folders)]
  if (program === undefined || initdb === undefined) return undefined
  const [folder, port, as] = [mkdtempSync(join(tmpdir(), 'dale-postgres-')), await freePort(), otherThanRoot()]
  if (as.uid !== undefined && as.gid !== undefined) chownSync(folder, as.uid, as.gid)
  const data = join(folder, 'data')
  execFileSync(initdb, ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale', 'C', '--no-sync'], {
    ...as,
    cwd: folder,
    stdio: 'pipe',
  })
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', 'max_connections=200'].flatMap(
    (setting) => ['-c', setting],
  )
  return started(
    postgres,
    program,
    ['-D', data, '-p', String(port), ...settings],
    folder,
    `postgres://postgres@127.0.0.1:${port}/postgres`,
    as,
  )
}

async function started(
  wanted: Wanted,
  program: string,
  settings: readonly string[],
  folder: string,
  url: string,
  as: Other = {},
): Promise<Found> {
  const child = spawn(program, settings, { ...as, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (part) => {
    said = (said + String(part)).slice(-2000)
  })
  const stop = async () => {
    await ended(child)
    rmSync(folder, { recursive: true, force: true })
  }
  const until = Date.now() + 30_000
  while (!(await wanted.answers(url))) {
    if (child.exitCode !== null || Date.now() > until) {
      await stop()
      throw new Error(`${program} was started but does not answer: ${said}`)
    }
    await sleep(50)
  }
  return { url, how: `started from ${program}`, stop }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGINT') // To PostgreSQL: end now, without waiting for those who are connected.
  await Promise.race([gone, sleep(5000, undefined, { ref: false }).then(() => child.kill('SIGKILL'))])
  await gone
}

const tried = new Set<Wanted['name']>()

/** Installs a server's packages, at most once; false where that is not possible. The distribution may start it: that one is stopped by nobody. */
function install(wanted: Wanted): boolean {
  if (tried.has(wanted.name)) return false
  tried.add(wanted.name)
  const debian = existsSync('/etc/os-release') && /^ID(_LIKE)?=.*(debian|ubuntu)/m.test(readFileSync('/etc/os-release', 'utf8'))
  if (process.getuid?.() !== 0 || !debian) return false
  console.log(`installing ${wanted.packages.join(' ')}`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = (...words: readonly string[]) =>
    spawnSync('apt-get', ['-qq', ...words], { env, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0
  const installing = ['install', '-y', '--no-install-recommends', ...wanted.packages]
  return apt(...installing) || (apt('update') && apt(...installing))
}

interface Other {
  readonly uid?: number
  readonly gid?: number
}

/** PostgreSQL refuses to run as root: it is run as its own user, or as nobody. */
function otherThanRoot(): Other {
  if (process.getuid?.() !== 0) return {}
  const [, , uid, gid] = readFileSync('/etc/passwd', 'utf8').match(/^(postgres|nobody):[^:]*:(\d+):(\d+):/m) ?? []
  return { uid: Number(uid ?? 65_534), gid: Number(gid ?? 65_534) }
}

function pathFolders(): readonly string[] {
  return (process.env.PATH ?? '').split(delimiter)
}

function inFolders(program: string, folders: readonly string[]): string | undefined {
  return folders.map((folder) => join(folder, program)).find((file) => existsSync(file))
}

function byVersion(a: string, b: string): number {
  return b.localeCompare(a, 'en', { numeric: true })
}
