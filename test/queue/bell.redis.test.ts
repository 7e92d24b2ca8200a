import { afterAll, beforeAll } from 'vitest'
import { openBell } from '../../src/queue/bullmq.ts'
import { bellContract } from '../contracts/bell.ts'
import { describeOn } from '../support/describe-on.ts'
import { OwnRedis } from '../support/redis.ts'

describeOn('redis-server', 'Redis', () => {
  let redis: OwnRedis
  beforeAll(async () => {
    redis = await OwnRedis.started()
  })
  afterAll(() => redis[Symbol.asyncDispose]())

  bellContract({
    name: 'Redis',
    open: (log) => openBell({ kind: 'redis', url: redis.url }, { log }),
    outage: { begin: () => redis.kill(), end: () => redis.start() },
  })
})
