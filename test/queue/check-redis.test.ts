import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { ConfigError } from '../../src/core/errors.ts'
import { openBell } from '../../src/queue/bullmq.ts'
import { checkRedis } from '../../src/queue/check-redis.ts'
import { Told } from '../contracts/bell.ts'
import { describeOn } from '../support/describe-on.ts'
import { OwnRedis } from '../support/redis.ts'

const checked = async (url: string) => (await checkRedis(url)).map(({ event }) => event)

test('an address that is none is a mistake in the configuration', async () => {
  await expect(checked('localhost:6379')).rejects.toMatchObject({ problems: [{ path: 'REDIS_URL' }] })
})

describeOn('redis-server', 'a Redis that is asked before the start', () => {
  test('may carry the queue when it evicts nothing and keeps its data', async () => {
    await using redis = await OwnRedis.started('--maxmemory-policy', 'noeviction')
    expect(await checked(redis.url)).toEqual([])
  })

  test('may not when it evicts keys (BQ-022)', async () => {
    await using redis = await OwnRedis.started('--maxmemory-policy', 'volatile-lru')
    await expect(checked(redis.url)).rejects.toThrow(ConfigError)
    await expect(checked(redis.url)).rejects.toThrow('REDIS_URL: this Redis evicts keys (maxmemory-policy volatile-lru)')
  })

  test('is asked another way where CONFIG is forbidden, and found out all the same', async () => {
    await using good = await OwnRedis.started('--rename-command', 'CONFIG', '')
    expect(await checked(good.url)).toEqual([])
    await using evicting = await OwnRedis.started('--rename-command', 'CONFIG', '', '--maxmemory-policy', 'allkeys-lru')
    await expect(checked(evicting.url)).rejects.toThrow('allkeys-lru')
  })

  test('is warned about where it tells nothing', async () => {
    await using redis = await OwnRedis.started()
    const admin = new Redis(redis.url)
    await admin.acl('SETUSER', 'dale', 'on', '>secret', '~*', '+@all', '-config', '-info')
    admin.disconnect()
    expect(await checked(redis.url.replace('redis://', 'redis://dale:secret@'))).toEqual(['redis_policy_unknown'])
  })

  test('is warned about when it keeps nothing on disk', async () => {
    await using redis = await OwnRedis.started('--appendonly', 'no')
    expect(await checked(redis.url)).toEqual(['redis_keeps_nothing'])
  })

  test('is a mistake in the configuration when it refuses the password', async () => {
    await using redis = await OwnRedis.started('--requirepass', 'right')
    await expect(checked(redis.url.replace('redis://', 'redis://:wrong@'))).rejects.toThrow(ConfigError)
    await expect(checked(redis.url)).rejects.toThrow(ConfigError)
  })

  test('is no mistake while it is not reachable: it may come up yet', async () => {
    await using redis = await OwnRedis.reserved()
    expect(await checked(redis.url)).toEqual(['redis_not_checked'])
  })
})

describeOn('redis-server', 'a Redis that is changed while it is used', () => {
  const soon = { timeout: 10_000, interval: 20 }
  const hasty = { lookEveryMs: 30, doubtEveryMs: 60, retryEveryMs: 30 }

  test('is doubted from when it evicts keys until it no longer does, each said once, and stays usable (BQ-022)', async () => {
    await using redis = await OwnRedis.started('--maxmemory-policy', 'noeviction')
    const told = new Told()
    await using bell = await openBell({ kind: 'redis', url: redis.url }, { log: told, ...hasty })
    await expect.poll(() => bell.isUp(), soon).toBe(true)
    expect(bell.doubt()).toBeUndefined()
    const admin = new Redis(redis.url)
    const beganMs = Date.now()
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru')
    await expect.poll(() => bell.doubt()?.message, soon).toContain('maxmemory-policy allkeys-lru')
    const sinceMs = bell.doubt()?.sinceMs ?? 0
    expect(sinceMs).toBeGreaterThanOrEqual(beganMs)
    // Looked at again and again, it is still the same doubt.
    await admin.config('RESETSTAT')
    await expect
      .poll(async () => /cmdstat_config\|get:calls=(\d+)/.exec(await admin.info('commandstats'))?.[1], soon)
      .toMatch(/[3-9]/)
    expect(bell.doubt()?.sinceMs).toBe(sinceMs)
    expect(bell.isUp()).toBe(true)
    await admin.config('SET', 'maxmemory-policy', 'noeviction')
    await expect.poll(() => bell.doubt(), soon).toBeUndefined()
    admin.disconnect()
    expect(told.events.filter((event) => event.startsWith('queue_') && event !== 'queue_up')).toEqual([
      'queue_doubtful',
      'queue_sound',
    ])
  })

  test('is asked at once when it comes back, for it may have been started with other settings', async () => {
    await using redis = await OwnRedis.started('--maxmemory-policy', 'noeviction')
    await using bell = await openBell({ kind: 'redis', url: redis.url }, { log: new Told(), ...hasty, doubtEveryMs: 3_600_000 })
    await expect.poll(() => bell.isUp(), soon).toBe(true)
    await redis.kill()
    await expect.poll(() => bell.isUp(), soon).toBe(false)
    await redis.start('--maxmemory-policy', 'volatile-ttl')
    await expect.poll(() => bell.doubt()?.message, soon).toContain('volatile-ttl')
  })
})
