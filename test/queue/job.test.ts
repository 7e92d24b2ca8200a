import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { openBell } from '../../src/queue/bullmq.ts'
import { Told } from '../contracts/bell.ts'
import { describeOn } from '../support/describe-on.ts'
import { addressOf, freshPrefix } from '../support/services.ts'

const soon = { timeout: 10_000, interval: 20 }

describeOn('redis', 'a bell as a job', () => {
  test('has a new id each time, with a letter first and no colon, and is tried once (BQ-001, BQ-003, BQ-004, BQ-005)', async () => {
    await using keys = freshPrefix()
    const redis = new Redis(addressOf('redis'))
    await using bell = await openBell({ kind: 'redis', url: addressOf('redis'), prefix: keys.prefix }, { log: new Told() })
    for (const id of ['12345', '12345', 'proposal:p_7Q2M']) await bell.ring('executions', id)
    const jobs = await redis.lrange(`${keys.prefix}:executions:wait`, 0, -1)
    expect(new Set(jobs).size).toBe(3)
    for (const job of jobs) {
      expect(job).toMatch(/^b-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      const stored = await redis.hgetall(`${keys.prefix}:executions:${job}`)
      expect(JSON.parse(stored.opts ?? '{}')).toMatchObject({ attempts: 1 })
    }
    redis.disconnect()
  })

  test('leaves nothing behind, answered or not (BQ-005, BQ-007, BQ-026)', async () => {
    await using keys = freshPrefix()
    const redis = new Redis(addressOf('redis'))
    const heard: string[] = []
    {
      await using bell = await openBell({ kind: 'redis', url: addressOf('redis'), prefix: keys.prefix }, { log: new Told() })
      await bell.work('executions', async (id) => {
        heard.push(id)
        if (id === 'bad') throw new Error('the row is gone')
      })
      for (const id of ['good', 'bad']) await bell.ring('executions', id)
      await expect.poll(() => heard.length, soon).toBe(2)
    }
    const left = await redis.keys(`${keys.prefix}:executions:*`)
    expect(left.filter((key) => /:(b-[^:]*|wait|active|delayed|failed|completed)$/.test(key))).toEqual([])
    redis.disconnect()
  })
})
