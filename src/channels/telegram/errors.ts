import { GrammyError, HttpError } from 'grammy'
import { ChannelError } from '../../core/errors.ts'

/**
 * Is this Telegram's own refusal? grammY takes any JSON for one, so that of a proxy or load balancer in between comes as a refusal
 * without number and words, and proves nothing.
 */
export const isRefusal = (error: unknown): error is GrammyError =>
  error instanceof GrammyError && Number.isInteger(error.error_code) && typeof error.description === 'string'

/** These come before a connection stands: nothing has left. Any later trouble may have come after Telegram took the request. */
const neverLeft = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/** Telegram's descriptions are its only machine words beyond the number; those that matter, by what they contain. */
const refusals: readonly (readonly [contains: string, code: string])[] = [
  ['blocked by the user', 'blocked'],
  ['user is deactivated', 'deactivated'],
  ["can't initiate conversation", 'not_started'],
  ['was kicked', 'kicked'],
  ['is not a member', 'kicked'],
  ['chat not found', 'chat_not_found'],
  ['thread not found', 'thread_not_found'],
  ['message is too long', 'too_long'],
  ['not enough rights', 'not_enough_rights'],
  ['chat_write_forbidden', 'not_enough_rights'],
]

const refusalOf = (error: GrammyError): string =>
  refusals.find(([contains]) => error.description.toLowerCase().includes(contains))?.[1] ??
  (error.error_code === 403 ? 'forbidden' : 'bad_request')

function refused(method: string, error: GrammyError): ChannelError {
  const message = `${method}: ${error.error_code} ${error.description}`
  const about = (is: {
    readonly code: string
    readonly permanent: boolean
    readonly retryAfterMs?: number
    readonly mayHaveHappened?: boolean
  }) => new ChannelError(message, { channel: 'telegram', ...is })
  if (error.error_code === 429)
    return about({ code: 'rate_limited', permanent: false, retryAfterMs: (error.parameters.retry_after ?? 1) * 1000 })
  if (error.error_code >= 500) return about({ code: 'server_error', permanent: false, mayHaveHappened: true })
  if (error.error_code === 409) return about({ code: 'conflict', permanent: false })
  // The token is wrong or was revoked: an operator must act, and no message is lost to it meanwhile.
  if (error.error_code === 401 || error.error_code === 404)
    return about({ code: 'unauthorized', permanent: false, retryAfterMs: 60_000 })
  // The update that tells the new id moves the conversation; the message is then sent there.
  if (error.parameters.migrate_to_chat_id !== undefined)
    return about({ code: 'chat_migrated', permanent: false, retryAfterMs: 5_000 })
  return about({ code: refusalOf(error), permanent: true })
}

/**
 * What a failed call means to the runtime. Telegram's refusals prove that nothing was done; a lost connection, an answer that is not
 * Telegram's, a timeout or a 5xx prove nothing. The cause is left out on purpose: it carries the message's text and, in the URL, the token.
 */
export function channelErrorOf(method: string, error: unknown): ChannelError {
  if (error instanceof ChannelError) return error
  if (isRefusal(error)) return refused(method, error)
  const inner: unknown = error instanceof HttpError ? error.error : error
  const code =
    typeof inner === 'object' && inner !== null && 'code' in inner && typeof inner.code === 'string' ? inner.code : 'no answer'
  return new ChannelError(`${method}: network trouble (${code})`, {
    channel: 'telegram',
    code: 'network',
    permanent: false,
    mayHaveHappened: !neverLeft.has(code),
  })
}
