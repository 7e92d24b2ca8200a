import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Leases } from '../../../src/channels/connection/lease.ts'
import { telegramChannel } from '../../../src/channels/telegram/channel.ts'
import type { TelegramSettings } from '../../../src/channels/telegram/settings.ts'
import type { Channel, Receive } from '../../../src/ports/channel.ts'
import type { Log } from '../../../src/ports/log.ts'
import type { FarSide } from '../../contracts/channel.ts'
import { type BotApiServer, botApiServer, type Fault } from '../../support/bot-api-server.ts'

export const quiet: Log = { info: () => undefined, warn: () => undefined, error: () => undefined }

export const webhookSecret = 'a-secret_of_more_than_32_characters_0123'

/** A bot on a Bot API server of its own, quick to try again. */
export const aBot = (server: BotApiServer, about: Partial<TelegramSettings> = {}): Channel =>
  telegramChannel({
    account: 'demo',
    token: server.token,
    apiRoot: server.url,
    mode: 'polling',
    log: quiet,
    backoffMs: 5,
    pollSeconds: 5,
    ...about,
  })

/** Serves a webhook account's requests as the gateway's server does. */
export async function serveWebhook(
  receive: Receive,
): Promise<AsyncDisposable & { readonly url: string; mount: (channel: Channel) => void }> {
  let channel: Channel | undefined
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const answer = await channel?.webhook?.(
      { method: request.method ?? '', headers, query: {}, body: Buffer.concat(chunks) },
      receive,
    )
    response.writeHead(answer?.status ?? 404).end(answer?.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mount: (mounted) => {
      channel = mounted
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

const faults: Readonly<Record<'rate_limited' | 'blocked' | 'lost_answer', Fault>> = {
  rate_limited: { refuse: 429, description: 'Too Many Requests: retry after 34', parameters: { retry_after: 34 } },
  blocked: { refuse: 403, description: 'Forbidden: bot was blocked by the user' },
  lost_answer: { reset: 'after' },
}

/** One bot with Ana in front of it, for the contract suite. */
export async function openFarSide(mode: 'polling' | 'webhook', receive: Receive): Promise<FarSide> {
  const server = await botApiServer()
  const web = await serveWebhook(receive)
  const channel = aBot(server, { mode, webhookSecret, publicUrl: web.url })
  web.mount(channel)
  const ana = server.person('Ana')
  ana.begins()
  const chat = ana.user.id
  return {
    channel,
    conversation: { account: 'demo', chat: String(chat) },
    person: `tg:${chat}`,
    says: async (text, { replyTo } = {}) => String(ana.says(text, replyTo === undefined ? {} : { replyTo: Number(replyTo) })),
    sees: () =>
      server.shown(chat).map(({ message_id: id, text = '', reply_markup: keyboard }) => ({
        id: String(id),
        text,
        controls: keyboard?.inline_keyboard.flat().map((button) => button.text) ?? [],
      })),
    taps: async (messageId, label) => void ana.taps(Number(messageId), label),
    redelivers: async () => server.updates.again(),
    deletes: async (messageId) => server.deletes(chat, Number(messageId)),
    faults: (fault) => server.fail('sendMessage', faults[fault]),
    async [Symbol.asyncDispose]() {
      await web[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** A table of leases in memory, as the store keeps them: one owner at a time, and only until its time is over. */
export interface LeaseTable extends Leases {
  /** Takes a lease away from whoever holds it. */
  drop(name: string): void
  /** How often a lease was asked for. */
  asked(): number
  /** Resolves when `isSo`, looked at whenever a lease is asked for. */
  until(isSo: () => boolean): Promise<void>
}

export function leaseTable(): LeaseTable {
  const held = new Map<string, { readonly owner: string; readonly until: number; readonly fence: number }>()
  let asked = 0
  let wake = () => {}
  return {
    async lease(name, owner, ttlMs) {
      asked += 1
      wake()
      const holder = held.get(name)
      if (holder !== undefined && holder.owner !== owner && holder.until > performance.now()) return undefined
      const fence = holder?.owner === owner ? holder.fence : (holder?.fence ?? 0) + 1
      held.set(name, { owner, until: performance.now() + ttlMs, fence })
      return { fence }
    },
    async releaseLease(name, owner) {
      if (held.get(name)?.owner === owner) held.delete(name)
    },
    drop: (name) => void held.delete(name),
    asked: () => asked,
    async until(isSo) {
      while (!isSo()) await new Promise<void>((resolve) => (wake = resolve))
    },
  }
}
