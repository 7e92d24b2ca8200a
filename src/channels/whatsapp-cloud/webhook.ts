import { createHmac } from 'node:crypto'
import type { Normalized } from '../../core/inbound.ts'
import { isSameSecret } from '../../core/same-secret.ts'
import type { Receive, WebhookAnswer, WebhookRequest } from '../../ports/channel.ts'
import type { Log } from '../../ports/log.ts'
import { takeBody } from '../connection/webhook.ts'

/** The largest body that WhatsApp sends: https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/overview/ */
export const maxBodyBytes = 3 * 1024 * 1024

/**
 * Is this the signature of these bytes under one of the secrets? The header is `sha256=` and 64 small hexadecimal digits, and has one
 * spelling. Every secret is tried, so the time does not tell which.
 */
export function isSigned(body: Uint8Array, signature: string, secrets: readonly string[]): boolean {
  return secrets
    .map(
      (secret) => secret !== '' && isSameSecret(signature, `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`),
    )
    .includes(true)
}

const isChallenge = (challenge: string | undefined): challenge is string =>
  challenge !== undefined && /^[\w.-]{1,256}$/.test(challenge)

/** Meta asks once, when the address is set up, whether it is ours: it gets its challenge back for our word. */
function verified({ query }: WebhookRequest, verifyToken: string): WebhookAnswer {
  const challenge = query['hub.challenge']
  const isOurs = query['hub.mode'] === 'subscribe' && isSameSecret(query['hub.verify_token'] ?? '', verifyToken)
  if (!isOurs || !isChallenge(challenge)) return { status: 403 }
  return { status: 200, body: challenge, headers: { 'content-type': 'text/plain', 'x-content-type-options': 'nosniff' } }
}

/**
 * Answers one request of Meta's. GET: the challenge, or 403. POST: 413 when it is larger than any of theirs, 401 without a signature of
 * one of the app's secrets over the raw bytes, before anything in them is looked at; 200 only once what they hold is stored, and 503
 * when it could not be, whereupon Meta delivers them again, for up to seven days. What is not for Dale is stored as nothing: 200.
 */
export async function answerWebhook(
  request: WebhookRequest,
  account: {
    readonly name: string
    readonly appSecrets: readonly string[]
    readonly verifyToken: string
    readonly normalize: (payload: unknown) => readonly Normalized[]
    readonly receive: Receive
    readonly log: Log
  },
): Promise<WebhookAnswer> {
  if (request.method === 'GET') return verified(request, account.verifyToken)
  if (request.method !== 'POST') return { status: 405, headers: { allow: 'GET, POST' } }
  if (request.body.byteLength > maxBodyBytes) return { status: 413 }
  if (!isSigned(request.body, request.headers['x-hub-signature-256'] ?? '', account.appSecrets)) return { status: 401 }
  return takeBody(request.body, account, 'whatsapp_webhook_not_stored')
}
