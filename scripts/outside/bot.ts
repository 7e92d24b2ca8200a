import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { aFolder, started } from '../../test/support/command.ts'
import { botConfig, frontDoor, payments } from '../../test/support/telegram-bot.ts'
import { until } from '../../test/support/until.ts'

/** Tries one thing and prints how it came out. */
export type Checks = (what: string, holds: () => Promise<void>) => Promise<void>

/** A call of the bot and what it was answered, as both went over the line. */
export interface Call {
  readonly method: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly status: number
  readonly result: unknown
}

/** A message of the bot as a person would see it now. */
export interface Shown {
  readonly id: number
  readonly text: string
  /** What a tap on each button sends, by its label. */
  readonly buttons: Readonly<Record<string, string>>
}

/** `dale start` as a process, on somebody's Bot API server. */
export interface Bot extends AsyncDisposable {
  readonly calls: readonly Call[]
  readonly paid: readonly { readonly amount: number }[]
  /** Where the world reaches it, and what was answered there. */
  readonly door: Awaited<ReturnType<typeof frontDoor>>
  readonly gatewayUrl: string
  /** Resolves with the message once one is shown of which this is so. */
  showing(isIt: (shown: Shown) => boolean): Promise<Shown>
  /** Resolves with the card that `asking` brings, once it may be decided. */
  cardFor(asking: Promise<unknown>, summary: string): Promise<Shown>
  until(isSo: () => boolean): Promise<void>
}

export const webhookSecret = 'a-secret_of_more_than_32_characters_0123'

/** Starts the bot of `test/support/telegram-bot.ts`. Its calls pass unchanged by us, who keep what a server tells nobody. */
export async function aBot(
  server: { readonly apiRoot: string; readonly token: string },
  mode: 'polling' | 'webhook',
): Promise<Bot> {
  await using opening = new AsyncDisposableStack()
  const line = opening.use(await overheard(server.apiRoot))
  const bank = opening.use(await payments())
  const door = opening.use(await frontDoor())
  const folder = opening.use(await aFolder({ 'dale.config.mts': botConfig({ mode, apiRoot: line.url }) }))
  const env = {
    TELEGRAM_BOT_TOKEN: server.token,
    PAYMENTS_URL: bank.url,
    ...(mode === 'webhook' ? { TELEGRAM_WEBHOOK_SECRET_TOKEN: webhookSecret, PUBLIC_URL: door.url } : {}),
  }
  const gateway = opening.use(await started(['start'], { cwd: folder.path, env }))
  door.leadsTo(gateway.url)
  const open = opening.move()
  const shows = () => shownBy(line.calls)
  const untilSo = (isSo: () => boolean) => until(async () => isSo())
  const showing = async (isIt: (shown: Shown) => boolean): Promise<Shown> => {
    await untilSo(() => shows().some(isIt))
    return shows().find(isIt) as Shown
  }
  return {
    calls: line.calls,
    paid: bank.paid,
    door,
    gatewayUrl: gateway.url,
    showing,
    async cardFor(asking, summary) {
      const logged = gateway.output().length
      await asking
      const card = await showing(({ text, buttons }) => text.startsWith(summary) && Object.keys(buttons).length > 0)
      // Its showing is committed a moment after the server has it; no person is that fast.
      await gateway.until(new RegExp(`^[\\s\\S]{${logged}}[\\s\\S]*"to":"pending"`))
      return card
    },
    until: untilSo,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

function shownBy(calls: readonly Call[]): readonly Shown[] {
  const standing = new Map<number, Shown>()
  for (const { method, payload, status, result } of calls) {
    if (status !== 200 || (method !== 'sendMessage' && method !== 'editMessageText')) continue
    const id = Number(method === 'sendMessage' ? (result as { readonly message_id?: unknown }).message_id : payload.message_id)
    standing.set(id, { id, text: String(payload.text), buttons: buttonsOf(payload.reply_markup) })
  }
  return [...standing.values()]
}

function buttonsOf(markup: unknown): Shown['buttons'] {
  const rows = (
    markup as
      | { readonly inline_keyboard?: readonly (readonly { readonly text: string; readonly callback_data: string }[])[] }
      | undefined
  )?.inline_keyboard
  return Object.fromEntries((rows ?? []).flat().map(({ text, callback_data: payload }) => [text, payload]))
}

async function overheard(apiRoot: string): Promise<AsyncDisposable & { readonly url: string; readonly calls: readonly Call[] }> {
  const calls: Call[] = []
  const server = createServer(async (request, response) => {
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    const body = Buffer.concat(await request.toArray())
    try {
      const headers = { 'content-type': request.headers['content-type'] ?? 'application/json' }
      const answer = await fetch(apiRoot + (request.url ?? ''), { method: 'POST', headers, body, signal: gone.signal })
      const text = await answer.text()
      const json: { readonly result?: unknown } = answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : {}
      calls.push({
        method: request.url?.split('/').at(-1) ?? '',
        payload: body.length === 0 ? {} : JSON.parse(body.toString()),
        status: answer.status,
        result: json.result,
      })
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' }).end(text)
    } catch (error) {
      if (!gone.signal.aborted) throw error
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
