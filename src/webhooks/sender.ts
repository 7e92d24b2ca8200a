import { createHmac } from 'node:crypto'
import type { AllowPrivate } from '../actions/addresses.ts'
import { HttpCallError, httpCall } from '../actions/http-call.ts'
import { keyOfWebhookSecret } from '../core/webhook-secret.ts'
import type { WebhookSender } from '../ports/webhooks.ts'

/** Standard Webhooks asks for 15 to 30 seconds (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md). */
const timeoutMs = 20_000

/** An address with its secret: `whsec_` and base64 of 24 to 64 bytes; several with spaces between while one is being changed. */
export interface WebhookEndpoint {
  readonly url: string
  readonly secrets: string
  /** Hosts inside a network that may be told. None unless named. */
  readonly allowPrivate: AllowPrivate
}

/**
 * Sends events signed as Standard Webhooks 1.0 has it, by POST, to addresses on the public internet or to those that are named. Follows no
 * redirect, and reads next to nothing of an answer. Never throws.
 */
export function webhookSender(endpoints: readonly WebhookEndpoint[]): WebhookSender {
  const byUrl = new Map(endpoints.map((endpoint) => [endpoint.url, endpoint]))
  return {
    async send(url, id, body) {
      const endpoint = byUrl.get(url)
      if (endpoint === undefined) return { why: 'it is not configured' }
      try {
        const { status } = await httpCall({
          method: 'POST',
          url: new URL(url),
          headers: {
            'content-type': 'application/json',
            'user-agent': 'dale-webhooks',
            ...signed(endpoint.secrets, id, Math.floor(Date.now() / 1000), body),
          },
          body,
          signal: AbortSignal.timeout(timeoutMs),
          allowPrivate: endpoint.allowPrivate,
          maxBytes: 4 * 1024,
        })
        return { status }
      } catch (error) {
        return { why: error instanceof HttpCallError ? error.message : 'it could not be sent' }
      }
    },
  }
}

function signed(secrets: string, id: string, atSeconds: number, body: string): Readonly<Record<string, string>> {
  const signatures = secrets
    .split(' ')
    .flatMap((secret) => keyOfWebhookSecret(secret) ?? [])
    .map((key) => `v1,${createHmac('sha256', key).update(`${id}.${atSeconds}.${body}`).digest('base64')}`)
  return { 'webhook-id': id, 'webhook-timestamp': String(atSeconds), 'webhook-signature': signatures.join(' ') }
}
