import type { Body, Ignored, Media, Normalized, OtherForm, Party, Reply, Sender } from '../../core/inbound.ts'
import { chatWith, contactOf, partyOf } from './parties.ts'
import {
  buttonSchema,
  type Contact,
  contextSchema,
  editSchema,
  interactiveSchema,
  type Message,
  mediaSchema,
  messageSchema,
  reactionSchema,
  textSchema,
} from './payloads.ts'
import { readdressed } from './readdressed.ts'

/** Whose number it is, and what stands beside the messages in the payload. */
export interface Around {
  readonly account: string
  /** As the payload writes it, its punctuation left out. */
  readonly ownNumber: string | undefined
  readonly contacts: readonly Contact[]
}

const ignored = (reason: string): Ignored => ({ kind: 'ignored', reason })
const other = (form: OtherForm, text?: string): Body => ({ kind: 'other', form, ...(text === undefined ? {} : { text }) })
const isSet = (flag: unknown): boolean => flag !== undefined && flag !== null && flag !== false

interface Context {
  readonly reply: Reply
  readonly isForwarded: boolean
  readonly toAccount: boolean
}

/** A context that cannot be read is one that we cannot name: as far as it is known, the message answers something, and is not new. */
function contextOf({ context }: Message, { ownNumber }: Around): Context {
  if (context === undefined || context === null) return { reply: { kind: 'none' }, isForwarded: false, toAccount: false }
  const read = contextSchema.safeParse(context)
  if (!read.success) return { reply: { kind: 'elsewhere' }, isForwarded: true, toAccount: false }
  const { id, from, forwarded, frequently_forwarded: frequently } = read.data
  const isForwarded = isSet(forwarded) || isSet(frequently)
  if (id !== undefined)
    return { reply: { kind: 'message', id }, isForwarded, toAccount: from !== undefined && from === ownNumber }
  return { reply: isForwarded ? { kind: 'none' } : { kind: 'elsewhere' }, isForwarded, toAccount: false }
}

/** The account's own name at the start of a text is addressing and not content (RULES 2): once, with one `,` or `:`. */
function addressIn(text: string, { ownNumber }: Around): { readonly isAddressed: boolean; readonly rest: string } {
  const mention = ownNumber === undefined ? undefined : new RegExp(`(?<![\\w@])@${ownNumber}(?!\\d)`, 'u')
  const at = mention?.exec(text)
  if (at === undefined || at === null) return { isAddressed: false, rest: text }
  const after = text.slice(at.index + at[0].length)
  if (text.slice(0, at.index).trim() === '') return { isAddressed: true, rest: after.replace(/^\s?[,:]?\s*/u, '') }
  return { isAddressed: true, rest: after.trim() === '' ? text.slice(0, at.index).trimEnd() : text }
}

/** What a message says, or undefined where it is none of the types that people write. */
function bodyOf(message: Message, raw: unknown): Body | Ignored | undefined {
  switch (message.type) {
    case 'text': {
      const read = textSchema.safeParse(raw)
      return read.success ? { kind: 'text', text: read.data.text.body } : ignored('malformed')
    }
    case 'image':
    case 'video':
    case 'document':
    case 'audio':
    case 'sticker':
      return withFile(message.type, raw)
    case 'location':
      return other('location')
    case 'contacts':
      return other('contact')
    case 'order':
      return other('media')
    default:
      return undefined
  }
}

/** A file, by the id that whoever holds the account's token fetches it with, and the caption that came with it. */
function withFile(kind: Media['kind'], raw: unknown): Body {
  const sent = mediaSchema.safeParse(raw).data?.[kind]
  const { id: ref, mime_type: mimeType } = sent ?? {}
  const caption = sent !== undefined && 'caption' in sent && sent.caption !== '' ? sent.caption : undefined
  const form =
    kind === 'sticker'
      ? 'sticker'
      : kind === 'audio' && sent !== undefined && 'voice' in sent && sent.voice === true
        ? 'voice'
        : 'media'
  return {
    ...(caption === undefined ? other(form) : other('caption', caption)),
    ...(ref === undefined ? {} : { media: { kind, ref, ...(mimeType === undefined ? {} : { mimeType }) } }),
  }
}

/** Types that are known and say nothing to Dale: ignored under their own name. */
const silent: Readonly<Record<string, string>> = {
  revoke: 'revoked',
  unsupported: 'unsupported',
  unknown: 'unsupported',
  request_welcome: 'request_welcome',
}

/** Reads one message of a webhook. A number or id that changed hands gives one event for each. Pure, never throws. */
export function fromMessage(raw: unknown, around: Around): readonly Normalized[] {
  const read = messageSchema.safeParse(raw)
  if (!read.success) return [ignored('malformed')]
  const message = read.data
  if (message.type === 'system') return readdressed(message, raw, around)
  const named = { userId: message.from_user_id, parentUserId: message.from_parent_user_id, phone: message.from }
  const contact = contactOf(named, around.contacts)
  const person = partyOf(named, contact)
  if (person === undefined) return [ignored('without_sender')]
  if (message.from !== undefined && message.from === around.ownNumber) return [ignored('own_message')]
  const reason = silent[message.type]
  if (reason !== undefined || isSet(message.errors)) return [ignored(reason ?? 'unsupported')]
  return [eventOf(message, raw, { person, name: contact?.profile?.name ?? '' }, around)]
}

function eventOf(
  message: Message,
  raw: unknown,
  { person, name }: { readonly person: Party; readonly name: string },
  around: Around,
): Normalized {
  const context = contextOf(message, around)
  const group = message.group_id !== undefined
  const sender: Sender = { ...person, ...(name === '' ? {} : { name }) }
  const arrival = {
    conversation: { account: around.account, chat: message.group_id ?? chatWith(person) },
    providerId: message.id,
    ...(group ? {} : { peer: person }),
    sender,
    moment: { atMs: message.timestamp * 1000 },
    group,
  } as const
  const said = (body: Body, about: { readonly messageId?: string; readonly reply?: Reply } = {}): Normalized => {
    const { isAddressed, rest } =
      group && body.text !== undefined ? addressIn(body.text, around) : { isAddressed: false, rest: body.text }
    const told = rest === undefined ? body : { ...body, text: rest }
    const secondHand = context.isForwarded && body.kind === 'text' ? other('forwarded', rest) : told
    return {
      kind: 'message',
      ...arrival,
      messageId: message.id,
      addressed: !group || isAddressed || context.toAccount,
      reply: context.reply,
      body: secondHand,
      ...about,
    }
  }
  const pressed = (payload: string, label: string): Normalized => {
    // A template without payloads of its own repeats the label, and a label is no proposal: it goes to the agent, and decides nothing.
    if (context.isForwarded || payload === label) return said(other(context.isForwarded ? 'forwarded' : 'media', label))
    const { reply } = context
    return {
      kind: 'press',
      ...arrival,
      pressId: message.id,
      payload,
      ...(reply.kind === 'message' ? { messageId: reply.id } : {}),
    }
  }
  switch (message.type) {
    case 'interactive': {
      const chosen = interactiveSchema.safeParse(raw)
      if (!chosen.success) return ignored('interactive')
      const { interactive } = chosen.data
      const { id, title } = interactive.type === 'button_reply' ? interactive.button_reply : interactive.list_reply
      return pressed(id, title)
    }
    case 'button': {
      const chosen = buttonSchema.safeParse(raw)
      return chosen.success ? pressed(chosen.data.button.payload, chosen.data.button.text) : ignored('malformed')
    }
    case 'reaction': {
      const reacted = reactionSchema.safeParse(raw)
      if (!reacted.success) return ignored('malformed')
      const { message_id: messageId, emoji } = reacted.data.reaction
      if (emoji === undefined || emoji === '') return ignored('reaction_removed')
      return said(other('reaction', emoji), { reply: { kind: 'message', id: messageId } })
    }
    case 'edit': {
      const edited = editSchema.safeParse(raw)
      if (!edited.success) return ignored('malformed')
      const { original_message_id: original, message: now } = edited.data.edit
      const text = now.text?.body ?? now.image?.caption ?? now.video?.caption ?? now.document?.caption
      return said(other('edited', text), original === undefined ? {} : { messageId: original })
    }
    default: {
      const body = bodyOf(message, raw)
      if (body === undefined) return ignored('unknown_type')
      return body.kind === 'ignored' ? body : said(body)
    }
  }
}
