import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { tellWebhooks } from '../../src/gateway/tell-webhooks.ts'
import { webhookSender } from '../../src/webhooks/sender.ts'
import { anApi, forAna } from '../support/api.ts'
import { aDatabase, type TestDatabase } from '../support/database.ts'
import { describeOn } from '../support/describe-on.ts'
import { aHouse, postgresStage } from '../support/house.ts'
import { aPhonesHouse } from '../support/house-phones.ts'
import { startWebhookServer } from '../support/webhook-server.ts'

describeOn('postgres', 'several processes on one database', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await aDatabase()
  }, 60_000)
  afterAll(async () => await database[Symbol.asyncDispose]())

  it('a program that waits at one gateway learns what a person decided at another; each event is told once by two that tell at once', async () => {
    const secret = `whsec_${randomBytes(32).toString('base64')}`
    const server = await startWebhookServer(secret)
    onTestFinished(() => server[Symbol.asyncDispose]())
    const stage = await postgresStage(database)
    await using test = await aPhonesHouse({ stage })
    await using other = await aHouse({
      stage: { ...stage, [Symbol.asyncDispose]: async () => {} },
      start: { gateway: true, workers: false },
    })
    const sender = webhookSender([{ url: server.url, secrets: secret, allowPrivate: ['127.0.0.1'] }])
    const tell = ({ house }: typeof other) => tellWebhooks(house, [{ url: server.url }], sender, new AbortController().signal)
    await tell(other)

    const program = await anApi(other).program()
    const same = await Promise.all(
      [anApi(test), anApi(other)].map(async (api) => await (await api.program()).post('/v1/proposals', forAna)),
    )
    const ids = new Set(same.map(({ body }) => body.proposalId))
    expect([ids.size, same.map(({ status }) => status).toSorted((a, b) => a - b)]).toEqual([1, [200, 201]])
    const [id] = ids
    await test.quiet()
    await test.read()
    const waiting = program.get(`/v1/proposals/${id}/outcome?wait=20`)
    await test.phone('ana').says(`dale #${same[0]?.body.code}`)
    expect(await waiting).toMatchObject({ status: 200, body: { state: 'succeeded', executed: true } })

    await Promise.all([tell(test), tell(other), tell(test), tell(other)])
    await tell(other)
    expect(server.arrived.map(({ event }) => event?.type)).toEqual([
      'proposal.created',
      'proposal.shown',
      'proposal.approved',
      'proposal.settled',
    ])
  })
})
