import { z } from 'zod'
import type { OtherForm } from '../../core/inbound.ts'
import { type About, aboutSchema } from './messages.ts'
import type { Sealed } from './secrets.ts'
import { bytes, id, isSet, maybe, milliseconds, oneOf, text } from './wire.ts'

/** What one message holds. `text` as a form is a text that the person wrote now, and alone can decide. */
export type Content =
  | { readonly kind: 'body'; readonly form: 'text' | OtherForm; readonly text?: string; readonly about?: About }
  | { readonly kind: 'press'; readonly payload: string; readonly about?: About }
  | { readonly kind: 'vote'; readonly pollId: string; readonly sealed: Sealed; readonly sentAtMs?: number }
  | { readonly kind: 'edit'; readonly of: string; readonly text?: string; readonly sealed?: Sealed; readonly atMs?: number }
  | { readonly kind: 'reaction'; readonly to: string; readonly emoji: string }
  | { readonly kind: 'nothing'; readonly reason: string }

/** Travels beside a content and is none itself. */
const carriers = new Set(['messageContextInfo', 'senderKeyDistributionMessage', 'fastRatchetKeySenderKeyDistributionMessage'])

/** What a content may be wrapped in, and the form that this makes of whatever is inside. */
const wrappers: Readonly<Record<string, 'same' | OtherForm>> = {
  ephemeralMessage: 'same',
  documentWithCaptionMessage: 'media',
  viewOnceMessage: 'media',
  viewOnceMessageV2: 'media',
  viewOnceMessageV2Extension: 'media',
  associatedChildMessage: 'media',
  groupMentionedMessage: 'media',
  lottieStickerMessage: 'sticker',
  botForwardedMessage: 'forwarded',
  editedMessage: 'edited',
}

const record = z.record(z.string(), z.unknown())

const context = maybe(aboutSchema)
const withContext = { contextInfo: context }
const pressed = z.string().min(1).max(256)
const nativeFlow = z.string().transform((json, { addIssue }) => {
  try {
    return z.object({ id: pressed }).parse(JSON.parse(json)).id
  } catch {
    addIssue('no id in it')
    return z.NEVER
  }
})

const nothing = (reason: string): Content => ({ kind: 'nothing', reason })

const body = (form: 'text' | OtherForm, written: string | undefined, about: About | undefined): Content => ({
  kind: 'body',
  form,
  ...(written === undefined || written === '' ? {} : { text: written }),
  ...(about === undefined ? {} : { about }),
})

const press = (payload: string, about: About | undefined): Content => ({
  kind: 'press',
  payload,
  ...(about === undefined ? {} : { about }),
})

const media = z
  .object({ caption: maybe(text), ...withContext })
  .transform(({ caption, contextInfo }) =>
    body(caption === undefined || caption === '' ? 'media' : 'caption', caption, contextInfo),
  )
const plainly = (form: OtherForm) => z.object(withContext).transform(({ contextInfo }) => body(form, undefined, contextInfo))
const poll = z.object({ name: maybe(text), ...withContext }).transform(({ name, contextInfo }) => body('poll', name, contextInfo))
const sealed = z.object({ encPayload: bytes, encIv: bytes })
const ignored = (reason: string) => z.unknown().transform(() => nothing(reason))

/** An edit tells the new content; which message it is of; and when, if the phone says so. */
const protocol = z
  .object({
    type: maybe(oneOf({ REVOKE: 0, MESSAGE_EDIT: 14 })),
    key: maybe(z.object({ id: maybe(id) })),
    editedMessage: record.nullish(),
    timestampMs: maybe(milliseconds),
  })
  .transform(({ type, key, editedMessage, timestampMs }): Content => {
    if (type === 'REVOKE') return nothing('deleted')
    if (type !== 'MESSAGE_EDIT') return nothing('protocol')
    if (key?.id === undefined) return nothing('malformed')
    const edited = contentOf(editedMessage ?? {})
    return {
      kind: 'edit',
      of: key.id,
      ...(edited.kind === 'body' && edited.text !== undefined ? { text: edited.text } : {}),
      ...(timestampMs === undefined ? {} : { atMs: timestampMs }),
    }
  })

const secretly = z
  .object({
    targetMessageKey: z.object({ id }),
    secretEncType: maybe(oneOf({ MESSAGE_EDIT: 2 })),
    encPayload: bytes,
    encIv: bytes,
  })
  .transform(
    ({ targetMessageKey, secretEncType, encPayload, encIv }): Content =>
      secretEncType === 'MESSAGE_EDIT'
        ? { kind: 'edit', of: targetMessageKey.id, sealed: { encPayload, encIv } }
        : nothing('protocol'),
  )

const vote = z
  .object({ pollCreationMessageKey: z.object({ id }), vote: sealed, senderTimestampMs: maybe(milliseconds) })
  .transform(
    ({ pollCreationMessageKey, vote: cast, senderTimestampMs: sentAtMs }): Content => ({
      kind: 'vote',
      pollId: pollCreationMessageKey.id,
      sealed: cast,
      ...(sentAtMs === undefined ? {} : { sentAtMs }),
    }),
  )

/** Every content that is read, by its name in WhatsApp's `Message`. */
const contents: Readonly<Record<string, z.ZodType<Content>>> = {
  conversation: text.transform((written) => body('text', written, undefined)),
  extendedTextMessage: z
    .object({ text: maybe(text), ...withContext })
    .transform(({ text: written, contextInfo }) => body('text', written, contextInfo)),
  imageMessage: media,
  videoMessage: media,
  documentMessage: media,
  audioMessage: z
    .object({ ptt: z.unknown(), ...withContext })
    .transform(({ ptt, contextInfo }) => body(isSet(ptt) ? 'voice' : 'media', undefined, contextInfo)),
  ptvMessage: plainly('voice'),
  stickerMessage: plainly('sticker'),
  stickerPackMessage: plainly('sticker'),
  contactMessage: plainly('contact'),
  contactsArrayMessage: plainly('contact'),
  locationMessage: plainly('location'),
  liveLocationMessage: plainly('location'),
  pollCreationMessage: poll,
  pollCreationMessageV2: poll,
  pollCreationMessageV3: poll,
  pollCreationMessageV5: poll,
  groupInviteMessage: plainly('media'),
  eventMessage: plainly('media'),
  productMessage: plainly('media'),
  orderMessage: plainly('media'),
  buttonsMessage: plainly('media'),
  listMessage: plainly('media'),
  templateMessage: plainly('media'),
  interactiveMessage: plainly('media'),
  buttonsResponseMessage: z
    .object({ selectedButtonId: pressed, ...withContext })
    .transform(({ selectedButtonId, contextInfo }) => press(selectedButtonId, contextInfo)),
  templateButtonReplyMessage: z
    .object({ selectedId: pressed, ...withContext })
    .transform(({ selectedId, contextInfo }) => press(selectedId, contextInfo)),
  listResponseMessage: z
    .object({ singleSelectReply: z.object({ selectedRowId: pressed }), ...withContext })
    .transform(({ singleSelectReply, contextInfo }) => press(singleSelectReply.selectedRowId, contextInfo)),
  interactiveResponseMessage: z
    .object({ nativeFlowResponseMessage: z.object({ paramsJson: nativeFlow }), ...withContext })
    .transform(({ nativeFlowResponseMessage, contextInfo }) => press(nativeFlowResponseMessage.paramsJson, contextInfo)),
  reactionMessage: z
    .object({ key: z.object({ id }), text: maybe(text) })
    .transform(
      ({ key, text: emoji }): Content =>
        emoji === undefined || emoji === '' ? nothing('reaction_removed') : { kind: 'reaction', to: key.id, emoji },
    ),
  encReactionMessage: ignored('encrypted_reaction'),
  pollUpdateMessage: vote,
  protocolMessage: protocol,
  secretEncryptedMessage: secretly,
  albumMessage: ignored('album'),
  keepInChatMessage: ignored('protocol'),
  pinInChatMessage: ignored('protocol'),
}

const isForwarded = (about: About): boolean =>
  [
    about.isForwarded,
    about.forwardingScore,
    about.forwardOrigin,
    about.forwardedNewsletterMessageInfo,
    about.forwardedAiBotMessageInfo,
    about.businessMessageForwardInfo,
    about.botMessageSharingInfo,
  ].some(isSet)

const namesIn = (message: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.keys(message).filter((name) => !carriers.has(name) && message[name] !== undefined && message[name] !== null)

/**
 * Reads what a message holds, its wrappers off. Pure, never throws. Only a text that stands alone, in nothing but a chat whose messages
 * disappear, and was not forwarded, is a text; only such a press is a press. What else there is beside or around one makes it something
 * else.
 */
export function contentOf(message: Readonly<Record<string, unknown>>, depth = 0): Content {
  const names = namesIn(message)
  const name = names.find((known) => Object.hasOwn(contents, known) || Object.hasOwn(wrappers, known)) ?? names[0]
  if (name === undefined) return nothing('no_content')
  const around = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined
  const read = around === undefined ? readOf(name, message[name]) : insideOf(message[name], around, depth)
  const isAlone = names.length === 1
  switch (read.kind) {
    case 'body':
      if (read.about !== undefined && isForwarded(read.about)) return { ...read, form: 'forwarded' }
      return isAlone || read.form !== 'text' ? read : { ...read, form: 'media' }
    case 'press':
      if (read.about !== undefined && isForwarded(read.about)) return nothing('forwarded')
      return isAlone ? read : nothing('mixed')
    case 'vote':
      return isAlone ? read : nothing('mixed')
    default:
      return read
  }
}

function readOf(name: string, value: unknown): Content {
  const schema = Object.hasOwn(contents, name) ? contents[name] : undefined
  if (schema === undefined) return nothing('unknown_content')
  const read = schema.safeParse(value)
  if (!read.success) return nothing('malformed')
  return read.data.kind === 'body' && read.data.form === 'text' && read.data.text === undefined
    ? nothing('no_content')
    : read.data
}

function insideOf(value: unknown, around: 'same' | OtherForm, depth: number): Content {
  const read = z.object({ message: record }).safeParse(value)
  if (!read.success || depth >= 5) return nothing('malformed')
  const inside = contentOf(read.data.message, depth + 1)
  if (around === 'same' || inside.kind === 'nothing' || inside.kind === 'edit') return inside
  if (inside.kind !== 'body') return nothing('mixed')
  return around === 'media' && inside.form !== 'text' ? inside : { ...inside, form: around }
}
