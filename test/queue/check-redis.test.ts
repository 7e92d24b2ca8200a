import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { ConfigError } from '../../src/core/errors.ts'
import { checkRedis } from '../../src/queue/check-redis.ts'
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
