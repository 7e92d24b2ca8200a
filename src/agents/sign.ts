import { createHmac, timingSafeEqual } from 'node:crypto'
import { AgentError } from './agent-error.ts'

/**
 * The headers of a signed request as Standard Webhooks 1.0 has them: HMAC-SHA256 over `id.timestamp.body`, the body as the bytes
 * that are sent. `secrets` is `whsec_` and base64, or any text of 24 bytes or more; several with spaces between are all signed with,
 * so a secret can be changed without a gap. Throws `AgentError` for a secret that is too short.
 */
export function signedHeaders(secrets: string, id: string, atSeconds: number, body: string): Readonly<Record<string, string>> {
  const signatures = secrets.split(' ').map((secret) => {
    const key = keyOf(secret)
    if (key.length < 24)
      throw new AgentError('The secret of the agent is shorter than 24 bytes; make one with: openssl rand -base64 32', {
        again: false,
      })
    return `v1,${createHmac('sha256', key).update(`${id}.${atSeconds}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': String(atSeconds), 'webhook-signature': signatures.join(' ') }
}

const keyOf = (secret: string): Buffer =>
  secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret)

/** A request is believed for so long after it was signed, and so long before by a clock that goes fast. */
const freshForSeconds = 300

/** The id of a request that somebody who holds one of the secrets signed just now; undefined for every other. */
export function signedIdOf(
  secrets: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
  nowSeconds: number,
): string | undefined {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures } = headers
  if (id === undefined || !/^[\x21-\x7e]{1,200}$/.test(id) || at === undefined || !/^\d{1,12}$/.test(at)) return undefined
  if (signatures === undefined || Math.abs(nowSeconds - Number(at)) > freshForSeconds) return undefined
  const given = signatures.split(' ').flatMap((one) => (one.startsWith('v1,') ? [Buffer.from(one.slice(3), 'base64')] : []))
  const isRight = secrets.split(' ').some((secret) => {
    const key = keyOf(secret)
    const expected = createHmac('sha256', key).update(`${id}.${at}.`).update(body).digest()
    return key.length >= 24 && given.some((one) => one.length === expected.length && timingSafeEqual(one, expected))
  })
  return isRight ? id : undefined
}
