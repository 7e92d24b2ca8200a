import { hash } from 'node:crypto'

/** One part of one sending. `ref` is `Sending.ref`; `part` counts from 0. */
export interface SentPart {
  readonly account: string
  readonly ref: string
  readonly part: number
}

/** WhatsApp's own web client makes `3EB0` and eighteen hex digits. Of those the last six say that the twelve before them are ours. */
const shape = /^3EB0([0-9A-F]{12})([0-9A-F]{6})$/

const hexOf = (words: readonly unknown[], length: number): string =>
  hash('sha256', JSON.stringify(words), 'hex').slice(0, length).toUpperCase()

const sealOf = (body: string, account: string): string => hexOf(['dale/message-seal/1', account, body], 6)

/**
 * The id of one part of a message, as WhatsApp's own clients look. The same part always gets the same id, so a second sending after a
 * crash is the same message to the server and to the phone, and not another one beside it.
 */
export function messageIdOf({ account, ref, part }: SentPart): string {
  const body = hexOf(['dale/message-id/1', account, ref, part], 12)
  return `3EB0${body}${sealOf(body, account)}`
}

/** Did Dale make this id for this account? Needs no memory; of ids that others make one in sixteen million looks so by chance. */
export function isOwnMessageId(id: string, account: string): boolean {
  const [, body, seal] = shape.exec(id) ?? []
  return body !== undefined && seal === sealOf(body, account)
}
