import { z } from 'zod'
import type { Media } from '../../core/inbound.ts'
import type { Message } from './updates.ts'

const file = z.object({
  file_id: z.string().regex(/^[\x21-\x7e]{1,256}$/),
  mime_type: z
    .string()
    .regex(/^[\x20-\x7e]{1,128}$/)
    .optional()
    .catch(undefined),
  file_size: z.int().nonnegative().optional().catch(undefined),
})

const kinds = [
  ['photo', 'image'],
  ['video', 'video'],
  ['animation', 'video'],
  ['video_note', 'video'],
  ['voice', 'audio'],
  ['audio', 'audio'],
  ['document', 'document'],
  ['sticker', 'sticker'],
] as const satisfies readonly (readonly [keyof Message, Media['kind']])[]

/**
 * The file that came with a message, by its `file_id`: who holds the bot's token fetches it with getFile. Of a photo the largest size. A
 * file that cannot be read is none: the message is what it was.
 */
export function mediaOf(message: Message): Media | undefined {
  for (const [field, kind] of kinds) {
    const sent: unknown = message[field]
    const read = file.safeParse(Array.isArray(sent) ? sent.at(-1) : sent)
    if (!read.success) continue
    const { file_id: ref, mime_type: mimeType, file_size: size } = read.data
    return { kind, ref, ...(mimeType === undefined ? {} : { mimeType }), ...(size === undefined ? {} : { size }) }
  }
  return undefined
}
