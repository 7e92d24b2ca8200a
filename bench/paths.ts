import { randomBytes } from 'node:crypto'
import { Agent as Connections, request } from 'node:http'
import { Api } from 'grammy'
import { Hono } from 'hono'
import { z } from 'zod'
import { defineAction } from '../src/actions/define-action.ts'
import { scriptedAgent } from '../src/agents/scripted.ts'
import { compose } from '../src/compose.ts'
import { checkConfig } from '../src/config/check-config.ts'
import { gatewayApp } from '../src/console/app.ts'
import { listen } from '../src/console/server.ts'
import { conversationKeyOf } from '../src/core/conversation.ts'
import { pressPayloadOf } from '../src/core/press.ts'
import type { Proposal } from '../src/core/proposal.ts'
import type { Footing as QueueFooting } from '../src/queue/bullmq.ts'
import { openBell } from '../src/queue/bullmq.ts'
import type { Footing as StoreFooting } from '../src/store/database.ts'
import { aProposal } from '../test/support/proposals.ts'
import type { FarSide } from './far-side.ts'

/** What a path stands on: the database, and where the queue is if it is not there. */
export interface Ground {
  readonly store: StoreFooting
  readonly queue: QueueFooting
  readonly variables: Readonly<Record<string, string>>
}

/** A path from the webhook to the outcome at the provider, one decision a call. */
export interface Path extends AsyncDisposable {
  /** Makes proposals that wait, so that the measured time holds only the decision and what follows. */
  prepare(count: number): Promise<void>
  /** One tap comes in by webhook; resolves when the provider has the outcome. */
  decide(): Promise<void>
}

const silent = { info: () => {}, warn: () => {}, error: (about: object, event: string) => console.error(event, about) }
const secret = 'b'.repeat(40)
const account = 'bench'

/** The whole house in this process, its webhook behind the gateway's own server, its bot talking to the far side. */
export async function openWalk({ store, variables }: Ground, far: FarSide): Promise<Path> {
  const effect = defineAction({
    name: 'open_payment_plan',
    version: '1',
    description: 'Does nothing, as fast as can be.',
    input: z.object({ n: z.int() }),
    reversibility: 'reversible',
    idempotency: 'key',
    preview: () => ({ summary: 'Plan', fields: [] }),
    execute: async () => ({ message: 'ok' }),
  })
  const { config, environment } = checkConfig(
    {
      locales: { default: 'en' },
      accounts: { [account]: { channel: 'telegram', mode: 'webhook', locale: 'en', apiRoot: far.apiRoot } },
      agent: scriptedAgent([], { otherwise: 'ok' }),
      actions: [effect],
      limits: { minReviewPressMs: 0 },
    },
    {
      ...variables,
      DALE_SECRET_KEY: randomBytes(32).toString('hex'),
      TELEGRAM_BOT_TOKEN: '1:bench',
      TELEGRAM_WEBHOOK_SECRET_TOKEN: secret,
      PUBLIC_URL: 'https://bench.example',
    },
    process.cwd(),
  )
  const composition = await compose(config, environment, { log: silent, count: () => {}, footing: store })
  await composition.start({ gateway: true, workers: true })
  const { house } = composition
  const metrics = { up: () => {}, answered: () => {}, text: async () => '', contentType: 'text/plain' }
  const server = await listen(
    gatewayApp({
      log: silent,
      readiness: composition.readiness,
      webhook: (name, asked) => composition.webhook(name, asked),
      metrics,
    }),
    { host: '127.0.0.1', port: 0 },
  )
  const post = poster(`${server.url}/webhooks/${account}`)
  const ready: Proposal[] = []
  let chats = 0
  return {
    async prepare(count) {
      for (let n = 0; n < count; n += 1) ready.push(await waitingProposal(house, ++chats))
    },
    async decide() {
      const proposal = ready.pop()
      if (proposal === undefined) throw new Error('prepare more proposals')
      const chat = Number(proposal.conversation.chat)
      const payload = pressPayloadOf(
        { proposalId: proposal.id, cardRevision: 1, verdict: 'approve' },
        { account, conversationKey: conversationKeyOf(proposal.conversation) },
        house.pressKeys[0],
      )
      const told = far.outcomeIn(chat)
      await post(tapOf(chat, payload))
      await told
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await composition[Symbol.asyncDispose]()
    },
  }
}

/** The same requests in and out over the same queue, with constants where the walk asks the database. */
export async function openNullPath({ queue }: Ground, far: FarSide): Promise<Path> {
  const bell = await openBell(queue, { log: silent })
  const api = new Api('1:bench', { apiRoot: far.apiRoot })
  await bell.work('executions', async (id) => {
    await bell.ring('deliveries', id)
  })
  await bell.work('deliveries', async (id) => {
    const chat = Number(id.slice(1))
    await api.sendMessage(chat, 'Got it')
    await api.editMessageText(chat, 1, 'Confirmed')
    await api.editMessageText(chat, 1, 'All done')
    await api.sendMessage(chat, 'Done: plan')
  })
  const app = new Hono()
  app.post('/webhooks/:account', async (c) => {
    const update = (await c.req.json()) as { callback_query: { id: string; from: { id: number } } }
    void api.answerCallbackQuery(update.callback_query.id)
    void bell.ring('executions', `c${update.callback_query.from.id}`)
    return c.body(null, 200)
  })
  const server = await listen(app, { host: '127.0.0.1', port: 0 })
  const post = poster(`${server.url}/webhooks/${account}`)
  let chats = 0
  return {
    prepare: async () => {},
    async decide() {
      const chat = ++chats
      const told = far.outcomeIn(chat)
      await post(tapOf(chat, 'x'.repeat(52)))
      await told
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await bell[Symbol.asyncDispose]()
    },
  }
}

async function waitingProposal({ store }: Awaited<ReturnType<typeof compose>>['house'], chat: number): Promise<Proposal> {
  const conversation = { account, chat: String(chat) }
  const nowMs = await store.now()
  const canonicalArgs = JSON.stringify({ n: chat })
  const { fingerprintOf } = await import('../src/core/fingerprint.ts')
  const draft = {
    action: 'open_payment_plan',
    actionVersion: '1',
    canonicalArgs,
    tenant: 'default',
    conversation,
    requester: `tg:${chat}`,
    createdAtMs: nowMs,
    idempotency: 'key',
    reversibility: 'reversible',
    approvers: { kind: 'requester' },
  } as const
  const proposal: Proposal = {
    ...aProposal({ ...draft, fingerprint: fingerprintOf(draft), state: { name: 'draft', refusals: 0 } }),
    revision: 1,
    cardRevision: 1,
  }
  await store.commit({ create: [proposal] })
  const shown: Proposal = {
    ...proposal,
    revision: 2,
    state: { name: 'pending', shownAtMs: nowMs, expiresAtMs: nowMs + 1_800_000, refusals: 0 },
  }
  const showing = {
    proposalId: proposal.id,
    cardRevision: 1,
    conversation,
    messageIds: ['1'],
    acceptedAtMs: nowMs - 60_000,
    moment: { atMs: nowMs - 60_000, order: 1 },
  }
  await store.commit({ moves: [{ before: proposal, after: shown, event: 'show', by: 'bench' }], showing })
  return shown
}

let updates = 0

const tapOf = (chat: number, payload: string): string =>
  JSON.stringify({
    update_id: ++updates,
    callback_query: {
      id: `${updates}`,
      from: { id: chat, is_bot: false, first_name: 'x' },
      message: { message_id: 1, date: 1, chat: { id: chat, type: 'private', first_name: 'x' }, text: 'card' },
      chat_instance: '1',
      data: payload,
    },
  })

function poster(url: string): (body: string) => Promise<void> {
  const agent = new Connections({ keepAlive: true })
  return (body) =>
    new Promise((resolve, reject) => {
      const sent = request(
        url,
        { method: 'POST', agent, headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret } },
        (response) => {
          response.resume()
          response.on('end', () =>
            response.statusCode === 200 ? resolve() : reject(new Error(`webhook answered ${response.statusCode}`)),
          )
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
}
