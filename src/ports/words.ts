import type { ActiveSince } from '../core/active-since.ts'
import type { CardWords } from '../core/decision-file.ts'
import type { Nearness } from '../core/near-miss.ts'
import type { KeptMiss, WordDecision } from '../core/replay-words.ts'
import type { Vocabulary } from '../core/vocabulary.ts'
import type { VocabularyContent } from '../core/vocabulary-content.ts'

/** What decides in the conversations of one account. */
export interface ActiveWords {
  /** The number of its row; undefined until a row was read, and then nothing may be decided by it. */
  readonly row: number | undefined
  readonly vocabulary: Vocabulary
  /** Labels for the controls and the words that a card prints, each a phrase of the vocabulary. */
  readonly card: CardWords
  readonly activeSinceMs: ActiveSince
}

/** The words that decide, account by account, as the rows in the database say: the same in every process. */
export interface Words {
  of(account: string): ActiveWords
  /**
   * Takes up whatever row is active now; an account without one gets the words of the files here, as its first. Throws when the
   * database cannot be asked. Repeatable.
   */
  follow(): Promise<void>
}

/** Words to be made active for an account. */
export interface Activation {
  readonly account: string
  readonly locale: string
  readonly content: VocabularyContent
  /** Who: a user of the operating system, with its machine. */
  readonly by: string
  readonly reason?: string
  /** Against what was found wrong with them. */
  readonly forced: boolean
}

/** A vocabulary that was made active: for an account, the row with the highest id is. */
export interface VocabularyRow extends Activation {
  readonly id: number
  /** The hash of the content. */
  readonly version: string
  readonly activeSinceMs: ActiveSince
  readonly atMs: number
}

/** A short message that decided nothing while a card waited for its person. */
export interface NearMissDraft {
  readonly inboxId: number
  readonly account: string
  readonly conversation: string
  readonly locale: string
  readonly folded: string
  readonly kind: Nearness
  readonly person: string
  /** The card that waited. */
  readonly proposalId: string
}

/** What is kept about words. Part of the store; all of it is safe to repeat. */
export interface WordStore {
  /** The active row of every account that has one. */
  activeVocabularies(): Promise<readonly VocabularyRow[]>
  /**
   * Makes words active, all or nothing; one process at a time. Where an account's active row says the same already nothing is written,
   * nor, with `first`, where there is any row of that locale. Answers the rows that are active then.
   */
  activate(drafts: readonly Activation[], options?: { readonly first?: boolean }): Promise<readonly VocabularyRow[]>
  /** What was active, the newest first, at most `limit`. */
  vocabularyHistory(limit: number): Promise<readonly VocabularyRow[]>
  /** Keeps a near miss, once per message. */
  keepNearMiss(miss: NearMissDraft): Promise<void>
  /** Near misses since then, oldest first, with what came next. */
  nearMisses(sinceMs: number): Promise<readonly KeptMiss[]>
  /** Decisions in words since then, oldest first. */
  wordDecisions(sinceMs: number): Promise<readonly WordDecision[]>
  /** Erases a person's near misses, by the person or one of their identities; answers how many there were. */
  forgetNearMisses(person: string): Promise<number>
  /** Erases what is older than so many days. */
  dropNearMisses(olderThanDays: number): Promise<number>
}
