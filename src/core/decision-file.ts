import type { Weight } from './vocabulary.ts'

/** One phrase of a file. `off` entries wait to be switched on; `region` and `comment` are for people, never a filter. */
export interface Entry {
  readonly text: string
  readonly on: boolean
  /** Left out, it is the weight of the same words in the next file of the locale, else `full`. */
  readonly weight?: Weight
  readonly region?: string
  readonly comment?: string
}

/** The lists of a file, in their order. */
export const lists = ['approve', 'reject', 'always', 'edit', 'leave', 'reason'] as const
export type List = (typeof lists)[number]

/** What a locale may do without: then no card offers it. */
export const optionalLists: readonly List[] = ['reason']

/** What a card prints in a locale: labels of its controls, and the words to type. Each must be a phrase itself. */
export interface CardWords {
  readonly confirm: string
  readonly cancel: string
  readonly edit: string
  readonly approve: string
  readonly reject: string
  /** Refuses it and asks why; absent where the locale has no `reason`. */
  readonly reason?: string
}

/** A `decision.json`, read. What one file of a locale leaves out, another file of that locale gives. */
export type DecisionFile = { readonly [L in List]?: readonly Entry[] } & { readonly card?: Partial<CardWords> }

/** One file of a locale's words, and the name that its problems are reported under. */
export interface Source {
  readonly locale: string
  readonly file: string
  readonly decision: DecisionFile
  /** Where in the file things stand, `line:column` by `approve[3]` or `card.confirm`; what is not there stands at the list, or at the top. */
  readonly places?: ReadonlyMap<string, string>
}

/** Where something of a file is, for whoever has to mend it: `es/decision.json:12:5 approve[3]`. */
export function placeIn({ file, places }: Source, what: string): string {
  const at = places?.get(what) ?? places?.get(what.replace(/[.[].*$/, '')) ?? (places === undefined ? undefined : '1:1')
  return `${at === undefined ? file : `${file}:${at}`} ${what}`
}
