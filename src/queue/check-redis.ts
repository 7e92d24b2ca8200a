import { once } from 'node:events'
import { Redis } from 'ioredis'
import { ConfigError } from '../core/errors.ts'
import { messageOf } from './health.ts'
import { within } from './within.ts'

const path = 'REDIS_URL'
const oldest = 5

/** What is doubtful about a Redis: its name in a log, and what to tell an operator. */
export interface Doubt {
  readonly event: 'redis_not_checked' | 'redis_policy_unknown' | 'redis_keeps_nothing'
  readonly message: string
  readonly cause?: unknown
}

/**
 * Looks, before the start, whether a Redis may carry a queue. Throws a `ConfigError` when it may not: it evicts keys when memory is
 * full, is too old, or refuses the credentials. What cannot be found out, and a Redis that keeps nothing on disk, is a doubt; so is
 * one that is not reachable, for it may come up yet. Takes at most five seconds; safe to repeat.
 */
export async function checkRedis(url: string): Promise<readonly Doubt[]> {
  if (!/^rediss?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new ConfigError([{ path, message: 'must look like redis://host:6379 or rediss://user:password@host:6380/0' }])
  }
  const client = new Redis(url, {
    lazyConnect: true,
    enableReadyCheck: false,
    connectTimeout: 3000,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  })
  const failed = once(client, 'error').then(([error]: unknown[]) => Promise.reject(error))
  try {
    return await within(5000, 'checking Redis', Promise.race([client.connect().then(() => check(client)), failed]))
  } catch (error) {
    if (error instanceof ConfigError) throw error
    if (/^(WRONGPASS|NOAUTH|ERR invalid password)/.test(messageOf(error))) {
      throw new ConfigError([{ path, message: 'Redis refuses the user or password in it' }], { cause: error })
    }
    return [{ event: 'redis_not_checked', message: `could not be checked: ${messageOf(error)}`, cause: error }]
  } finally {
    client.disconnect()
  }
}

async function check(client: Redis): Promise<readonly Doubt[]> {
  const told = await infoOf(client)
  const settingOf = (name: string): Promise<string | undefined> => configured(client, name)
  const policy = (await settingOf('maxmemory-policy')) ?? told.get('maxmemory_policy')
  const kept = (await settingOf('appendonly')) ?? (told.get('aof_enabled') === '0' ? 'no' : undefined)
  const version = told.get('redis_version')
  const problems = [
    evictionBy(policy) ?? '',
    version !== undefined && Number.parseInt(version, 10) < oldest
      ? `is version ${version}; the queue needs ${oldest} or later`
      : '',
  ]
  const wrong = problems.filter((problem) => problem !== '').map((problem) => ({ path, message: `this Redis ${problem}` }))
  if (wrong.length > 0) throw new ConfigError(wrong)
  const doubts: Doubt[] = []
  if (policy === undefined)
    doubts.push({ event: 'redis_policy_unknown', message: 'does not tell its maxmemory-policy; it must be noeviction' })
  if (kept === 'no')
    doubts.push({
      event: 'redis_keeps_nothing',
      message: 'keeps nothing on disk (appendonly no); after its restart bells ring late',
    })
  return doubts
}

/** What an operator should mend: that this Redis has come to evict keys. Undefined where it does not, or does not tell. */
export async function evictionOf(client: Redis): Promise<string | undefined> {
  const policy = (await configured(client, 'maxmemory-policy')) ?? (await infoOf(client)).get('maxmemory_policy')
  const eviction = evictionBy(policy)
  return eviction === undefined ? undefined : `this Redis ${eviction}`
}

const evictionBy = (policy: string | undefined): string | undefined =>
  policy === undefined || policy === 'noeviction'
    ? undefined
    : `evicts keys (maxmemory-policy ${policy}) and would lose bells: set maxmemory-policy noeviction`

/** A setting, or undefined where CONFIG is forbidden, as on hosted Redis. */
async function configured(client: Redis, name: string): Promise<string | undefined> {
  try {
    const answer: unknown = await client.config('GET', name)
    return Array.isArray(answer) && typeof answer[1] === 'string' ? answer[1] : undefined
  } catch (error) {
    return forbidden(error, undefined)
  }
}

async function infoOf(client: Redis): Promise<ReadonlyMap<string, string>> {
  try {
    const lines = (await client.info()).split('\r\n').filter((line) => line.includes(':'))
    return new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]))
  } catch (error) {
    return forbidden(error, new Map())
  }
}

function forbidden<T>(error: unknown, instead: T): T {
  if (/^(NOPERM|ERR unknown command)/.test(messageOf(error))) return instead
  throw error
}
