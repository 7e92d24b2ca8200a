import type { Problem } from '../core/errors.ts'
import { vocabularyOf } from '../core/vocabulary-content.ts'
import type { Log } from '../ports/log.ts'
import type { Activation, ActiveWords, VocabularyRow, WordStore, Words } from '../ports/words.ts'
import type { OpenedTexts } from './open-texts.ts'

/** What the words of a house stand on. */
export interface ActiveWordsOptions {
  readonly texts: OpenedTexts
  readonly store: Pick<WordStore, 'activeVocabularies' | 'activate'>
  /** Every account's locale. */
  readonly locales: ReadonlyMap<string, string>
  /** Who activates what the files here say: the user that this process runs as. */
  readonly by: string
  readonly log: Log
}

/** How the words are, for readiness: which accounts' rows say another thing than the files here, and what the last reload refused. */
export interface WordsHealth {
  readonly isFollowing: boolean
  readonly differs: readonly string[]
  readonly refused: readonly Problem[]
}

/** The active words, and what a process does about its files. */
export interface OpenedWords extends Words {
  /**
   * Reads the files again. Where they are right, texts are in use at once, and words that changed in them become active, with a row;
   * where anything is wrong nothing changes. Answers what was wrong.
   */
  reload(why: string): Promise<readonly Problem[]>
  health(): WordsHealth
}

/**
 * The words that decide, as the rows in the database say. A row holds the words themselves, so a process needs no file to follow another
 * one's. The first start of an account makes its files' words active; later starts follow the row, whatever the files say.
 */
export function activeWords({ texts, store, locales, by, log }: ActiveWordsOptions): OpenedWords {
  let rows = new Map<string, ActiveWords>()
  let isFollowing = false
  let refused: readonly Problem[] = []
  let reading: Promise<unknown> = Promise.resolve()

  const draftOf = (account: string, locale: string, reason: string): Activation => ({
    account,
    locale,
    content: texts.wordsOf(account).content,
    by,
    reason,
    forced: false,
  })
  const take = (active: readonly VocabularyRow[]): void => {
    const next = new Map<string, ActiveWords>()
    for (const row of active) {
      const known = rows.get(row.account)
      next.set(row.account, known?.row === row.id ? known : wordsOf(row))
      if (known !== undefined && known.row !== row.id && locales.has(row.account))
        log.info({ account: row.account, version: row.version, by: row.by }, 'words_active')
    }
    rows = next
    isFollowing = true
  }
  const follow = async (): Promise<void> => {
    const active = await store.activeVocabularies()
    const has = new Set(active.map(({ account, locale }) => JSON.stringify([account, locale])))
    const without = [...locales].filter(([account, locale]) => !has.has(JSON.stringify([account, locale])))
    if (without.length === 0) return take(active)
    take(
      await store.activate(
        without.map(([account, locale]) => draftOf(account, locale, 'first start')),
        { first: true },
      ),
    )
  }
  const reload = async (why: string): Promise<readonly Problem[]> => {
    const before = new Map([...locales.keys()].map((account) => [account, texts.wordsOf(account).vocabulary.version]))
    const reloaded = await texts.reload()
    refused = reloaded.ok ? [] : reloaded.problems
    if (!reloaded.ok) return refused
    await follow()
    const changed = [...locales].filter(
      ([account]) => why !== 'files changed' || texts.wordsOf(account).vocabulary.version !== before.get(account),
    )
    if (changed.length > 0) take(await store.activate(changed.map(([account, locale]) => draftOf(account, locale, why))))
    return []
  }
  return {
    of: (account) => rows.get(account) ?? fromFiles(texts, account),
    follow,
    reload: (why) => {
      const mine = reading.then(() => reload(why))
      // Whoever asked gets the error; the next one in line does not.
      reading = mine.catch(() => undefined)
      return mine
    },
    health: () => ({
      isFollowing,
      differs: [...locales.keys()].filter((account) => {
        const active = rows.get(account)
        return active !== undefined && active.vocabulary.version !== texts.wordsOf(account).vocabulary.version
      }),
      refused,
    }),
  }
}

const wordsOf = (row: VocabularyRow): ActiveWords => ({
  row: row.id,
  vocabulary: vocabularyOf(row.content),
  card: row.content.card,
  activeSinceMs: row.activeSinceMs,
})

/** Before any row was read; nothing is decided by these. */
function fromFiles(texts: OpenedTexts, account: string): ActiveWords {
  const { vocabulary, card } = texts.wordsOf(account)
  return { row: undefined, vocabulary, card, activeSinceMs: {} }
}
