import { createHmac } from 'node:crypto'
import { AgentError } from './agent-error.ts'

/**
 * The headers of a signed request as Standard Webhooks 1.0 has them: HMAC-SHA256 over `id.timestamp.body`, the body as the bytes
 * that are sent. `secrets` is `whsec_` and base64, or any text of 24 bytes or more; several with spaces between are all signed with,
 * so a secret can be changed without a gap. Throws `AgentError` for a secret that is too short.
 */
export function signedHeaders(secrets: string, id: string, atSeconds: number, body: string): Readonly<Record<string, string>> {
  const signatures = secrets.split(' ').map((secret) => {
    const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret)
    if (key.length < 24)
      throw new AgentError('The secret of the agent is shorter than 24 bytes; make one with: openssl rand -base64 32', {
        again: false,
      })
    return `v1,${createHmac('sha256', key).update(`${id}.${atSeconds}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': String(atSeconds), 'webhook-signature': signatures.join(' ') }
}
