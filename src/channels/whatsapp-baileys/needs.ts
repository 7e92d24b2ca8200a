import { z } from 'zod'
import { id } from './wire.ts'

/** What to look up before an event is read: addresses whose other form may be known, polls that may be ours, messages whose secret opens an edit. */
export interface Needs {
  readonly jids: readonly string[]
  readonly polls: readonly string[]
  readonly secrets: readonly string[]
}

const jid = z.string().regex(/@(lid|s\.whatsapp\.net|hosted|hosted\.lid|c\.us)$/)
const target = z.object({ id })
const vote = z.object({ pollCreationMessageKey: target })
const edit = z.object({ targetMessageKey: target })

/** Each object inside, wrappers included. Events are trees, of a few levels. */
function* objectsIn(value: unknown, depth = 0): Generator<object> {
  if (typeof value !== 'object' || value === null || depth > 12 || value instanceof Uint8Array) return
  yield value
  for (const inner of Object.values(value)) yield* objectsIn(inner, depth + 1)
}

/** Names what `normalizeBaileys` may ask its context for. Pure, never throws; names rather too much than too little. */
export function needsOf(event: unknown): Needs {
  const found = { jids: new Set<string>(), polls: new Set<string>(), secrets: new Set<string>() }
  for (const object of objectsIn(event)) {
    const key = z.object({ remoteJid: z.unknown(), participant: z.unknown() }).partial().safeParse(object)
    for (const value of [key.data?.remoteJid, key.data?.participant]) {
      const read = jid.safeParse(value)
      if (read.success) found.jids.add(read.data)
    }
    const cast = vote.safeParse(object)
    if (cast.success) found.polls.add(cast.data.pollCreationMessageKey.id)
    const edited = edit.safeParse(object)
    if (edited.success) found.secrets.add(edited.data.targetMessageKey.id)
  }
  return { jids: [...found.jids], polls: [...found.polls], secrets: [...found.secrets] }
}
