import { randomBytes } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkWebhooks } from '../../src/config/check-webhooks.ts'
import type { WebhookInput } from '../../src/config/config.ts'
import { tellWebhooks } from '../../src/gateway/tell-webhooks.ts'
import { webhookSender } from '../../src/webhooks/sender.ts'
import { anApi, forAna } from '../support/api.ts'
import { aPhonesHouse } from '../support/house-phones.ts'
import { until } from '../support/until.ts'
import { startWebhookServer } from '../support/webhook-server.ts'

const secret = `whsec_${randomBytes(32).toString('base64')}`

/** A house whose events are told to a server here. */
async function aToldHouse(differs: Partial<WebhookInput> = {}) {
  const server = await startWebhookServer(secret)
  onTestFinished(() => server[Symbol.asyncDispose]())
  const target = { url: server.url, secretEnv: 'HOOK_SECRET', allowPrivate: ['127.0.0.1'], ...differs }
  const test = await aPhonesHouse({ webhooks: [target], variables: { HOOK_SECRET: secret } })
  onTestFinished(() => test[Symbol.asyncDispose]())
  // Who is told hears of what comes after that.
  await test.house.store.noteWebhooks(test.house.tenant, [{ url: target.url }])
  return { server, test, program: await anApi(test).program() }
}

const told = (server: { readonly arrived: readonly { readonly event?: { readonly type: string; readonly data: object } }[] }) =>
  server.arrived.map(({ event }) => event?.type)

describe('an address of the configuration', () => {
  it('is told what happens to a proposal in its order, signed, each event under an id of its own', async () => {
    const { server, test, program } = await aToldHouse()
    const { body } = await program.post('/v1/proposals', forAna)
    await test.quiet()
    await test.read()
    await test.phone('ana').says('dale')
    await until(() => server.arrived.length === 4)
    expect(told(server)).toEqual(['proposal.created', 'proposal.shown', 'proposal.approved', 'proposal.settled'])
    expect(server.arrived.at(-1)?.event).toMatchObject({
      id: server.arrived.at(-1)?.id,
      type: 'proposal.settled',
      data: {
        proposalId: body.proposalId,
        code: body.code,
        action: 'registrar',
        args: { cajas: 3 },
        origin: 'api',
        requester: 'sim:ana',
        state: 'succeeded',
        final: true,
        executed: true,
      },
    })
    expect(server.arrived[2]?.event.data).toMatchObject({ state: 'approved', by: 'sim:ana', executed: false, final: false })
    expect(new Set(server.arrived.map(({ id }) => id)).size).toBe(4)
    const listed = await program.get('/v1/events')
    expect(listed.body.data).toEqual(server.arrived.map(({ event }) => event))
    const [first] = listed.body.data
    expect((await program.get(`/v1/events?after=${first.id}`)).body.data).toEqual(listed.body.data.slice(1))
  })

  it('is told again later, the same under the same id, and nothing of that proposal before', async () => {
    const { server, test, program } = await aToldHouse()
    server.next(500, 302)
    await program.post('/v1/proposals', forAna)
    await test.quiet()
    for (const times of [1, 2, 4]) {
      await until(() => server.arrived.length === times)
      // When it is due again counts from when its answer was written down.
      await until(
        async () => (await test.stage.run('select from dale.webhook_delivery where taken_until is not null')).length === 0,
      )
      await test.later(60_000)
    }
    expect(told(server)).toEqual(['proposal.created', 'proposal.created', 'proposal.created', 'proposal.shown'])
    expect(new Set(server.arrived.slice(0, 3).map(({ id, raw }) => `${id} ${raw}`)).size).toBe(1)
  })

  it('is told nothing more once it says that it is gone, until it is told again on purpose', async () => {
    const { server, test, program } = await aToldHouse({ events: ['proposal.created'] })
    server.next(410)
    await program.post('/v1/proposals', forAna)
    await until(async () => (await test.house.store.webhooks())[0]?.disabledAtMs !== undefined)
    await program.post('/v1/proposals', { ...forAna, args: { cajas: 4 } })
    await test.quiet()
    expect(told(server)).toEqual(['proposal.created'])
    expect(await test.house.store.replayWebhook(server.url, { givenUpOnly: true, sinceMs: 0 })).toBe(0)
    await until(() => server.arrived.length === 3)
    expect(server.arrived.map(({ event }) => event.data.args.cajas)).toEqual([3, 3, 4])
    expect(await test.house.store.replayWebhook(server.url, { givenUpOnly: false, sinceMs: 0 })).toBe(2)
    await until(() => server.arrived.length === 5)
    expect(new Set(server.arrived.map(({ id }) => id)).size).toBe(2)
    expect(await test.house.store.replayWebhook('https://example.com/', { givenUpOnly: true, sinceMs: 0 })).toBe(undefined)
  })

  it('is given up after three days of trouble', async () => {
    const server = await startWebhookServer(secret)
    onTestFinished(() => server[Symbol.asyncDispose]())
    await using test = await aPhonesHouse()
    const target = { url: server.url, events: ['proposal.created'] as const }
    const sender = webhookSender([{ url: server.url, secrets: secret, allowPrivate: ['127.0.0.1'] }])
    const tell = () => tellWebhooks(test.house, [target], sender, new AbortController().signal)
    await tell()
    server.next(...Array.from({ length: 12 }, () => 503))
    await (await anApi(test).program()).post('/v1/proposals', forAna)
    for (let times = 1; times <= 13; times += 1) {
      await tell()
      await test.later(25 * 3_600_000)
    }
    expect(server.arrived).toHaveLength(12)
    expect(await test.house.store.webhooks()).toMatchObject([{ url: server.url, waiting: 0, givenUp: 1 }])
  })

  it('inside a network is called only where its host is named', async () => {
    const server = await startWebhookServer(secret)
    onTestFinished(() => server[Symbol.asyncDispose]())
    const sender = webhookSender([{ url: server.url, secrets: secret, allowPrivate: [] }])
    expect(await sender.send(server.url, 'evt_1', '{}')).toEqual({ why: expect.stringContaining('not on the public internet') })
    expect(server.arrived).toEqual([])
  })
})

describe('a configuration of webhooks', () => {
  it('is refused with plain http into the world, a password, a twin, or a secret that is none', () => {
    const [url, secretEnv] = ['https://example.com/dale', 'HOOK_SECRET']
    const fields = (webhooks: readonly WebhookInput[], value: string) =>
      checkWebhooks({ webhooks }, { HOOK_SECRET: value }).map(({ path }) => path)
    expect(fields([{ url, secretEnv }], secret)).toEqual([])
    expect(fields([{ url: 'http://example.com', secretEnv }], secret)).toEqual(['webhooks.0.url'])
    expect(fields([{ url: 'https://a:b@example.com', secretEnv }], secret)).toEqual(['webhooks.0.url'])
    expect(
      fields(
        [
          { url, secretEnv },
          { url, secretEnv },
        ],
        secret,
      ),
    ).toEqual(['webhooks.1.url'])
    for (const value of ['', 'short', 'whsec_short', secret.slice(6), `whsec_${randomBytes(66).toString('base64')}`])
      expect(fields([{ url, secretEnv }], value)).toEqual(['webhooks.0.secretEnv'])
  })
})
