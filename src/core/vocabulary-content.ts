import { createHash } from 'node:crypto'
import type { CardWords } from './decision-file.ts'
import { fold } from './fold.ts'
import type { Phrase, Verdict, Vocabulary } from './vocabulary.ts'

/** A vocabulary with what its cards print, as it is kept: plain JSON, in one order, so that the same words are the same text. */
export interface VocabularyContent {
  /** The conversation's locale, then the fallback where it is another. */
  readonly locales: readonly string[]
  readonly approve: readonly Phrase[]
  readonly reject: readonly Phrase[]
  readonly always: readonly string[]
  readonly edit: readonly string[]
  readonly leave: readonly string[]
  /** Absent in what was kept before there was such a list. */
  readonly reason?: readonly string[]
  readonly off: readonly { readonly folded: string; readonly verdict: Verdict }[]
  readonly card: CardWords
}

type Lists = Omit<Vocabulary, 'version'>

const byKey = <T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] =>
  [...map].sort(([one], [other]) => (one < other ? -1 : 1))

/** The content of compiled lists. Pure: what order the files had leaves no trace in it. */
export function contentOf(lists: Lists, card: CardWords, locales: readonly string[]): VocabularyContent {
  const phrases = (map: ReadonlyMap<string, Phrase>): readonly Phrase[] =>
    byKey(map).map(([, { text, weight, locale }]) => ({ text, weight, locale }))
  return {
    locales: [...new Set(locales)],
    approve: phrases(lists.approve),
    reject: phrases(lists.reject),
    always: [...lists.always].sort(),
    edit: [...lists.edit].sort(),
    leave: [...lists.leave].sort(),
    ...(lists.reason === undefined ? {} : { reason: [...lists.reason].sort() }),
    off: byKey(lists.off).map(([folded, verdict]) => ({ folded, verdict })),
    card: {
      confirm: card.confirm,
      cancel: card.cancel,
      edit: card.edit,
      approve: card.approve,
      reject: card.reject,
      ...(card.reason === undefined ? {} : { reason: card.reason }),
    },
  }
}

/** The name of a content: its hash. */
export const versionOf = (content: VocabularyContent): string =>
  createHash('sha256').update(JSON.stringify(content)).digest('hex')

/** The vocabulary of a content, frozen. A content that was kept comes out as the vocabulary that it was made from. */
export function vocabularyOf(content: VocabularyContent): Vocabulary {
  const phrases = (list: readonly Phrase[]) => new Map(list.map((phrase) => [fold(phrase.text), Object.freeze({ ...phrase })]))
  return Object.freeze({
    version: versionOf(content),
    approve: phrases(content.approve),
    reject: phrases(content.reject),
    always: new Set(content.always),
    edit: new Set(content.edit),
    leave: new Set(content.leave),
    ...(content.reason === undefined ? {} : { reason: new Set(content.reason) }),
    off: new Map(content.off.map(({ folded, verdict }) => [folded, verdict])),
  })
}
