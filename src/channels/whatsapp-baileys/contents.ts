import { z } from 'zod'
import type { OtherForm } from '../../core/inbound.ts'
import { type About, aboutSchema } from './messages.ts'
import type { Sealed } from './secrets.ts'
import { bytes, id, isSet, maybe, object, oneOf, present, text } from './wire.ts'

/** What one message holds. `text` as a form is a text that the person wrote now, and alone can decide. */
export type Content =
  | { readonly kind: 'body'; readonly form: 'text' | OtherForm; readonly text?: string; readonly about?: About }
  | { readonly kind: 'press'; readonly payload: string; readonly about?: About }
  | { readonly kind: 'vote'; readonly pollId: string; readonly sealed: Sealed }
  /** An edit of an earlier message: the new content, open or sealed. */
  | {
      readonly kind: 'edit'
      readonly of: string
      readonly inside?: Readonly<Record<string, unknown>>
      readonly sealed?: Sealed
    }
  | { readonly kind: 'reaction'; readonly to: string; readonly emoji: string }
  | { readonly kind: 'nothing'; readonly reason: string }

const context = maybe(aboutSchema)
const withContext = { contextInfo: context }
/** What Dale makes as a payload fits; half a character, or a NUL that no database takes, does not. */
const pressed = z.string().regex(/^[\x20-\x7e]{1,256}$/)
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

const protocol = z
  .object({
    type: maybe(oneOf({ REVOKE: 0, MESSAGE_EDIT: 14 })),
    key: maybe(z.object({ id: maybe(id) })),
    editedMessage: object.nullish(),
  })
  .transform(({ type, key, editedMessage }): Content => {
    if (type === 'REVOKE') return nothing('deleted')
    if (type !== 'MESSAGE_EDIT') return nothing('protocol')
    return key?.id === undefined ? nothing('malformed') : { kind: 'edit', of: key.id, inside: editedMessage ?? {} }
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
  .object({ pollCreationMessageKey: z.object({ id }), vote: sealed })
  .transform(
    ({ pollCreationMessageKey, vote: cast }): Content => ({ kind: 'vote', pollId: pollCreationMessageKey.id, sealed: cast }),
  )

/** Every content that is read, by its name in WhatsApp's `Message`. */
export const contents: Readonly<Record<string, z.ZodType<Content>>> = {
  conversation: text.transform((written) => body('text', written, undefined)),
  extendedTextMessage: z
    .object({ text: maybe(text), ...withContext })
    .transform(({ text: written, contextInfo }) => body('text', written, contextInfo)),
  imageMessage: media,
  videoMessage: media,
  documentMessage: media,
  audioMessage: z
    .object({ ptt: present, ...withContext })
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
