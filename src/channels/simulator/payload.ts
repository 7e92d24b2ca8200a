import { z } from 'zod'

const id = z.string().min(1)

/** Where a person has several ids: whole ones, with their channel's prefix; what the provider calls them by comes first. */
const ids = z.tuple([id], id).optional()

const base = {
  /** Unique per account; the same on every delivery. */
  update: id,
  /** When it happened, in milliseconds since 1970. */
  at: z.int(),
  /** `ids` are those of the person of a one-to-one chat. */
  chat: z.object({ id, group: z.boolean(), topic: id.optional(), ids }),
}

const hand = { ...base, from: z.object({ id, name: z.string().optional(), ids, bot: z.literal(true).optional() }) }

const reply = z.union([z.object({ message: id }), z.object({ elsewhere: z.literal(true) })]).optional()

const numbered = { message: id, order: z.int().nonnegative() }

/** What the simulator's provider delivers: one thing that happened in a chat. */
export const updateSchema = z.discriminatedUnion('kind', [
  z.object({ ...hand, ...numbered, kind: z.literal('text'), text: z.string(), reply }),
  z.object({
    ...hand,
    ...numbered,
    kind: z.literal('other'),
    form: z.enum(['caption', 'voice', 'sticker', 'media', 'forwarded', 'contact', 'location', 'poll']),
    text: z.string().optional(),
    reply,
  }),
  /** `message` is the edited one; an edit has a time but no place of its own in the chat's order. */
  z.object({ ...hand, kind: z.literal('edit'), message: id, text: z.string() }),
  z.object({ ...hand, kind: z.literal('reaction'), message: id, emoji: z.string() }),
  /** `timed`: the provider tells when it was made. `poll`: it is a vote. `withdrawn`: a vote was taken back, and the payload is the Cancel of its card. */
  z.object({
    ...hand,
    kind: z.literal('press'),
    press: id,
    message: id,
    payload: z.string(),
    timed: z.literal(true).optional(),
    poll: z.literal(true).optional(),
    withdrawn: z.literal(true).optional(),
  }),
  /** Said through the account, but not by Dale. */
  z.object({ ...base, ...numbered, kind: z.literal('said'), by: z.enum(['owner', 'tool']), text: z.string() }),
  /** What became of a message that went out through the account, whoever sent it. */
  z.object({
    ...base,
    kind: z.literal('report'),
    message: id,
    status: z.enum(['sent', 'delivered', 'read', 'failed']),
    ref: z.string().optional(),
    code: z.string().optional(),
    final: z.literal(true).optional(),
  }),
])

export type Update = z.infer<typeof updateSchema>
