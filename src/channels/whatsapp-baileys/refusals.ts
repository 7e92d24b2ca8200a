import { ChannelError } from '../../core/errors.ts'

const channel = 'whatsapp-baileys'

/** There is no connection now, and nothing has left. */
export const notConnected = (detail: string): ChannelError =>
  new ChannelError(`WhatsApp is not connected (${detail})`, {
    channel,
    code: 'not_connected',
    permanent: false,
    retryAfterMs: 1000,
  })

/** It left, and nobody knows what became of it. */
export const unanswered = (why: 'no_ack' | 'connection_lost'): ChannelError =>
  new ChannelError('WhatsApp did not acknowledge a message', { channel, code: why, permanent: false, mayHaveHappened: true })

/**
 * What the server's refusal of a message means. 463: the account may not begin chats for now, and each attempt makes it worse. 479: not in
 * this form. Source: baileys 7.0.0-rc14, `lib/Socket/messages-recv.js` (`handleBadAck`).
 */
export function refusalOf(code: string): ChannelError {
  const is = (word: string, permanent: boolean, retryAfterMs?: number) =>
    new ChannelError(`WhatsApp refused a message (${code})`, {
      channel,
      code: word,
      permanent,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    })
  switch (code) {
    case '463':
      return is('restricted', true)
    case '479':
      return is('refused', true)
    case '429':
      return is('rate_limited', false, 60_000)
    default:
      return is(`refused_${code.replaceAll(/\D/g, '').slice(0, 6)}`, false, 5000)
  }
}

/** What Baileys threw while it was preparing or writing a message. */
export function troubleOf(error: unknown): ChannelError {
  if (error instanceof ChannelError) return error
  const { output } = (error ?? {}) as { readonly output?: { readonly statusCode?: unknown } }
  switch (output?.statusCode) {
    case 428:
      return notConnected('connection_closed')
    case 429:
      return refusalOf('429')
    case 408:
      return unanswered('no_ack')
    default:
      return new ChannelError(
        'Baileys could not send a message',
        { channel, code: 'not_sent', permanent: false, retryAfterMs: 5000 },
        { cause: error },
      )
  }
}

/** What stands already would stand twice if the whole were sent anew, but for the ids that it has. */
export function afterOthers(error: ChannelError): ChannelError {
  const { code, permanent, retryAfterMs } = error
  return new ChannelError(
    error.message,
    { channel, code, permanent, mayHaveHappened: true, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
    { cause: error },
  )
}

export const cannotStand = (kind: string, why: string): ChannelError =>
  new ChannelError(`a ${kind} cannot stand on WhatsApp`, { channel, code: why, permanent: true })
