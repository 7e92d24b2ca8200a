import { z } from 'zod'
import type { OtherForm } from '../../core/inbound.ts'
import { type Content, contents } from './contents.ts'
import type { About } from './messages.ts'
import { isSet, object } from './wire.ts'

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

const nothing = (reason: string): Content => ({ kind: 'nothing', reason })

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

function insideOf(value: unknown, around: 'same' | OtherForm, depth: number): Content {
  const read = z.object({ message: object }).safeParse(value)
  if (!read.success || depth >= 5) return nothing('malformed')
  const inside = contentOf(read.data.message, depth + 1)
  if (around === 'same' || inside.kind === 'nothing' || inside.kind === 'edit') return inside
  if (inside.kind !== 'body') return nothing('mixed')
  return around === 'media' && inside.form !== 'text' ? inside : { ...inside, form: around }
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
