import { createHash, timingSafeEqual } from 'node:crypto'
import type { Normalized } from '../../core/inbound.ts'
import type { Receive, WebhookAnswer, WebhookRequest } from '../../ports/channel.ts'
import type { Log } from '../../ports/log.ts'
import { nameOf } from '../connection/wait.ts'

/** Where the gateway's server takes a Telegram account's webhook requests, under `PUBLIC_URL`. The path is no secret. */
export const webhookPathOf = (account: string): string => `/webhooks/telegram/${encodeURIComponent(account)}`

const maxBodyBytes = 1024 * 1024

/** Digests are of one length, so neither a byte nor the length of the secret shows in the time this takes. */
const isSame = (a: string, b: string): boolean =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest())

/** `undefined` when the bytes are not JSON. */
function jsonOf(body: Uint8Array): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) }
  } catch {
    return undefined
  }
}

/**
 * Answers one request of Telegram: 401 without the account's secret, before anything else is looked at; 200 only once what it holds
 * is stored; 503 when it could not be, whereupon Telegram delivers it again. An update that is not for Dale is stored as nothing: 200.
 */
export async function answerWebhook(
  request: WebhookRequest,
  account: {
    readonly name: string
    readonly secret: string
    readonly normalize: (update: unknown) => readonly Normalized[]
    readonly receive: Receive
    readonly log: Log
  },
): Promise<WebhookAnswer> {
  if (!isSame(request.headers['x-telegram-bot-api-secret-token'] ?? '', account.secret)) return { status: 401 }
  if (request.method !== 'POST') return { status: 405, headers: { allow: 'POST' } }
  if (request.body.byteLength > maxBodyBytes) return { status: 413 }
  const json = jsonOf(request.body)
  if (json === undefined) return { status: 400 }
  try {
    await account.receive(account.normalize(json.value))
    return { status: 200 }
  } catch (error) {
    account.log.warn({ account: account.name, error: nameOf(error) }, 'telegram_update_not_stored')
    return { status: 503, headers: { 'retry-after': '1' } }
  }
}
