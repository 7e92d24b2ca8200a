import type { Content } from './contents.ts'
import type { BaileysContext } from './context.ts'
import { type Identity, jidsOf } from './identity.ts'
import { fieldsOf } from './protobuf.ts'
import { unseal } from './secrets.ts'
import { contentOf } from './unwrap.ts'

/** `Message.protocolMessage`, `.editedMessage`, and the two places of a text. Source: baileys 7.0.0-rc14, `WAProto.proto`. */
const field = { protocolMessage: 12, editedMessage: 14, conversation: 1, extendedTextMessage: 6, text: 1 } as const

const within = (bytes: Uint8Array | undefined, number: number): Uint8Array | undefined =>
  bytes === undefined ? undefined : fieldsOf(bytes)?.get(number)?.at(-1)

/** What an edit says now, as far as it can be known: an encrypted one opens with the secret of the message that it is of. */
export function editedTextOf(
  edit: Extract<Content, { kind: 'edit' }>,
  author: Identity,
  { secretOf }: Pick<BaileysContext, 'secretOf'>,
): string | undefined {
  if (edit.sealed === undefined) {
    const inside = contentOf(edit.inside ?? {})
    return inside.kind === 'body' ? inside.text : undefined
  }
  const secret = secretOf?.(edit.of)
  if (secret === undefined) return undefined
  const jids = jidsOf(author)
  const opened = unseal('Message Edit', edit.sealed, secret, { messageId: edit.of, authors: jids, senders: jids })
  const edited = within(within(opened, field.protocolMessage), field.editedMessage)
  const written = within(edited, field.conversation) ?? within(within(edited, field.extendedTextMessage), field.text)
  return written === undefined ? undefined : Buffer.from(written).toString('utf8').replaceAll('\0', '')
}
