import { createHmac } from 'node:crypto'
import { isSameSecret } from '../core/same-secret.ts'
import type { Pushed, PushRequest } from '../ports/agent.ts'
import { AgentError } from './agent-error.ts'
import { agentAnswerOf } from './agent-events.ts'
import { signedIdOf } from './sign.ts'

/** Of a delivery in all. */
const maxBytes = 1024 * 1024

/** What an address that a turn is answered at ends with: the turn, and a proof that it was Dale who gave it out. */
export const tokenOf = (turnId: string, secrets: string): string => `${turnId}.${proofOf(turnId, secrets.split(' ')[0] ?? '')}`

const proofOf = (turnId: string, secret: string): string =>
  createHmac('sha256', secret).update(`dale turn ${turnId}`).digest('base64url').slice(0, 22)

/** Reads a delivery to such an address: the address first, then the signature over the raw bytes, then what it says. */
export function readPush(
  token: string,
  { headers, body }: PushRequest,
  secrets: string,
): Pushed | { readonly refused: 400 | 401 | 404 | 413; readonly why: string } {
  const [turn = '', proof = ''] = token.split('.')
  if (!secrets.split(' ').some((secret) => isSameSecret(proof, proofOf(turn, secret))))
    return { refused: 404, why: 'This address was given out for no turn.' }
  if (body.byteLength > maxBytes) return { refused: 413, why: `A delivery is at most ${maxBytes} bytes.` }
  const id = signedIdOf(secrets, headers, body, Date.now() / 1000)
  if (id === undefined)
    return {
      refused: 401,
      why: 'Sign the bytes that you send, with the secret and the time of now: webhook-id, webhook-timestamp, webhook-signature.',
    }
  try {
    return {
      turn,
      id,
      events: agentAnswerOf(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))) as Pushed['events'],
    }
  } catch (error) {
    return { refused: 400, why: error instanceof AgentError ? error.message : 'The body is not JSON.' }
  }
}
