import type { Normalized } from '../../core/inbound.ts'
import { isSameSecret } from '../../core/same-secret.ts'
import type { Receive, WebhookAnswer, WebhookRequest } from '../../ports/channel.ts'
import type { Log } from '../../ports/log.ts'
import { takeBody } from '../connection/webhook.ts'

/** Where the gateway's server takes a Telegram account's webhook requests, under `PUBLIC_URL`. The path is no secret. */
export const webhookPathOf = (account: string): string => `/webhooks/telegram/${encodeURIComponent(account)}`

const maxBodyBytes = 1024 * 1024

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
  if (!isSameSecret(request.headers['x-telegram-bot-api-secret-token'] ?? '', account.secret)) return { status: 401 }
  if (request.method !== 'POST') return { status: 405, headers: { allow: 'POST' } }
  if (request.body.byteLength > maxBodyBytes) return { status: 413 }
  return takeBody(request.body, account, 'telegram_update_not_stored')
}
