import type en from '../../locales/en/chat.json'
import type { Vocabulary } from '../core/vocabulary.ts'

/** Every text that Dale says, by its key in `locales/en/chat.json`; the other locales are complete (a test sees to it). */
export type ChatKey = keyof typeof en

/** Says a key of `locales/<locale>/chat.json` in a locale. Values are put in as they are: no mark-up, no escaping. */
export type Say = (locale: string, key: ChatKey, values?: Readonly<Record<string, string | number>>) => string

/** Texts for people and the words that decide. */
export interface Texts {
  readonly locales: readonly string[]
  readonly say: Say
  /** The active vocabulary of a conversation: its locale's words and the fallback's. Frozen; a reload makes a new one. */
  vocabulary(locale: string): Vocabulary
  /** Labels for the controls and the words that a card prints, each a phrase of the active vocabulary. */
  words(locale: string): {
    readonly confirm: string
    readonly cancel: string
    readonly edit: string
    readonly approve: string
    readonly reject: string
  }
}
