import { join } from 'node:path'
import type { Source } from '../core/decision-file.ts'
import type { Problem } from '../core/errors.ts'
import { checkChat } from './check-chat.ts'
import { localeFaultOf } from './list-locales.ts'
import { readJson } from './read-json.ts'
import type { Chat } from './say.ts'
import { chatSchema, decisionSchema } from './schemas.ts'

/** One locale as its files say. `missing` are texts that the fallback says in its stead. */
export interface Loaded {
  readonly locale: string
  readonly chat: Chat
  readonly sources: readonly Source[]
  readonly missing: readonly Problem[]
  readonly problems: readonly Problem[]
}

/**
 * Reads a locale from folders, the first of which stands over the later ones, text by text and phrase by phrase.
 * Never throws; a locale with problems is not to be used.
 */
export async function loadLocale(locale: string, folders: readonly string[], reference: Chat): Promise<Loaded> {
  const fault = localeFaultOf(locale)
  if (fault !== undefined)
    return {
      locale,
      chat: {},
      sources: [],
      missing: [],
      problems: [{ path: join(folders.at(-1) ?? '', locale), message: fault }],
    }
  const problems: Problem[] = []
  const chats: { readonly file: string; readonly chat: Chat }[] = []
  const sources: Source[] = []
  for (const folder of folders) {
    const [chatFile, decisionFile] = [join(folder, locale, 'chat.json'), join(folder, locale, 'decision.json')]
    const [chat, decision] = await Promise.all([readJson(chatFile, chatSchema), readJson(decisionFile, decisionSchema)])
    if (chat.kind === 'read') chats.push({ file: chatFile, chat: chat.value })
    if (decision.kind === 'read') sources.push({ locale, file: decisionFile, decision: decision.value, places: decision.places })
    for (const read of [chat, decision]) if (read.kind === 'wrong') problems.push(...read.problems)
  }
  const folder = join(folders.at(-1) ?? '', locale)
  // A file that is there but wrong has been told already.
  const absent =
    problems.length > 0 ? [] : [...(chats.length === 0 ? ['chat.json'] : []), ...(sources.length === 0 ? ['decision.json'] : [])]
  for (const name of absent) problems.push({ path: join(folder, name), message: 'is not there: a locale needs both its files' })
  for (const { file, chat } of chats) problems.push(...checkChat(file, chat, reference))
  const chat: Chat = Object.assign({}, ...chats.toReversed().map((one) => one.chat))
  const missing = Object.keys(reference)
    .filter((key) => !Object.hasOwn(chat, key))
    .map((key) => ({ path: `${chats.at(-1)?.file ?? folder} ${key}`, message: 'is missing: the fallback says it instead' }))
  return { locale, chat, sources, missing, problems }
}

/**
 * Reads words alone, from folders that stand over a locale's own: `<folder>/<locale>/decision.json`. What is not there changes nothing.
 * Never throws.
 */
export async function loadWords(
  locale: string,
  folders: readonly string[],
): Promise<{ readonly sources: readonly Source[]; readonly problems: readonly Problem[] }> {
  const sources: Source[] = []
  const problems: Problem[] = []
  for (const folder of folders) {
    const file = join(folder, locale, 'decision.json')
    const read = await readJson(file, decisionSchema)
    if (read.kind === 'read') sources.push({ locale, file, decision: read.value, places: read.places })
    if (read.kind === 'wrong') problems.push(...read.problems)
  }
  return { sources, problems }
}
