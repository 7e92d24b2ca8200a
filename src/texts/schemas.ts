import { z } from 'zod'
import type { DecisionFile } from '../core/decision-file.ts'

const words = z.string().min(1, 'is empty: write the words')

const entry = z.strictObject({
  text: words,
  on: z.boolean().default(true),
  region: z.string().exactOptional(),
  comment: z.string().exactOptional(),
})

// Only words that decide have a weight.
const weighed = entry.extend({ weight: z.enum(['full', 'ack']).exactOptional() })

/** `decision.json`: every list and label may be left to another file of the same locale. */
export const decisionSchema: z.ZodType<DecisionFile> = z.strictObject({
  approve: z.array(weighed).exactOptional(),
  reject: z.array(weighed).exactOptional(),
  always: z.array(entry).exactOptional(),
  edit: z.array(entry).exactOptional(),
  leave: z.array(entry).exactOptional(),
  reason: z.array(entry).exactOptional(),
  card: z
    .strictObject({
      confirm: words.exactOptional(),
      cancel: words.exactOptional(),
      edit: words.exactOptional(),
      approve: words.exactOptional(),
      reject: words.exactOptional(),
      reason: words.exactOptional(),
    })
    .exactOptional(),
})

/** `chat.json`: flat, a text a key. */
export const chatSchema: z.ZodType<Readonly<Record<string, string>>> = z.record(z.string(), words)
