/** What to look up before an event is read: addresses whose other form may be known, polls that may be ours, messages whose secret opens an edit. */
export interface Needs {
  readonly jids: readonly string[]
  readonly polls: readonly string[]
  readonly secrets: readonly string[]
}

type Tree = Readonly<Record<string, unknown>>

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !(value instanceof Uint8Array)

const isPersons = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 128 && /@(lid|s\.whatsapp\.net|hosted|hosted\.lid|c\.us)$/.test(value)

/** The id in a message's key. */
const idIn = (key: unknown): readonly string[] => {
  const { id } = isTree(key) ? key : {}
  return typeof id === 'string' && id.length <= 128 ? [id] : []
}

/** Each object inside, wrappers included. Events are trees, of a few levels. */
function* objectsIn(value: unknown, depth = 0): Generator<Tree> {
  if (!isTree(value) || depth > 12) return
  yield value
  for (const inner of Object.values(value)) yield* objectsIn(inner, depth + 1)
}

/** Names what `normalizeBaileys` may ask its context for. Pure, never throws; names rather too much than too little. */
export function needsOf(event: unknown): Needs {
  const jids = new Set<string>()
  const polls = new Set<string>()
  const secrets = new Set<string>()
  for (const { remoteJid, participant, pollCreationMessageKey, targetMessageKey } of objectsIn(event)) {
    for (const jid of [remoteJid, participant]) if (isPersons(jid)) jids.add(jid)
    for (const id of idIn(pollCreationMessageKey)) polls.add(id)
    for (const id of idIn(targetMessageKey)) secrets.add(id)
  }
  return { jids: [...jids], polls: [...polls], secrets: [...secrets] }
}
