import { getContentType, normalizeMessageContent, proto } from 'baileys'
import type { Seen } from './index.ts'

const { Type } = proto.Message.ProtocolMessage

/** What a person sees of a message: its text in whatever shape, and what it refers to. */
export function seenIn(
  message: proto.IMessage,
): Pick<Seen, 'text' | 'poll' | 'quotes' | 'edits' | 'deletes' | 'reacts' | 'message'> {
  const content = normalizeMessageContent(message) ?? {}
  const protocol = content.protocolMessage
  const edit = protocol?.type === Type.MESSAGE_EDIT ? protocol : undefined
  const shown = edit?.editedMessage ?? content
  const poll = shown.pollCreationMessage ?? shown.pollCreationMessageV2 ?? shown.pollCreationMessageV3
  const type = getContentType(shown)
  const part = type === undefined ? undefined : shown[type]
  const context = typeof part === 'object' && part !== null && 'contextInfo' in part ? part.contextInfo : undefined
  const reaction = content.reactionMessage
  return {
    text:
      shown.conversation ??
      shown.extendedTextMessage?.text ??
      shown.imageMessage?.caption ??
      shown.documentMessage?.caption ??
      poll?.name ??
      undefined,
    poll: poll
      ? { options: (poll.options ?? []).map(({ optionName }) => optionName ?? ''), selectable: poll.selectableOptionsCount ?? 0 }
      : undefined,
    quotes: context?.stanzaId ?? undefined,
    edits: edit?.key?.id ?? undefined,
    deletes: protocol?.type === Type.REVOKE ? (protocol.key?.id ?? undefined) : undefined,
    reacts: reaction ? { id: reaction.key?.id ?? '', emoji: reaction.text ?? '' } : undefined,
    message,
  }
}
