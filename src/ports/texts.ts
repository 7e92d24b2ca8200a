import type en from '../../locales/en/chat.json'

/** Every text that Dale says, by its key in `locales/en/chat.json`; the other locales are complete (a test sees to it). */
export type ChatKey = keyof typeof en

/** Says a key of `locales/<locale>/chat.json` in a locale. Values are put in as they are: no mark-up, no escaping. */
export type Say = (locale: string, key: ChatKey, values?: Readonly<Record<string, string | number>>) => string

/** Texts for people. */
export interface Texts {
  readonly locales: readonly string[]
  readonly say: Say
}
