import conformance from '../fixtures/conformance/rows.json' with { type: 'json' }
import waiting from '../fixtures/conformance/waiting.json' with { type: 'json' }

/** Where a row is shown: a test by its title as it is written, and of a table the row there; or a transcript by its rule. */
export interface Shown {
  readonly file: string
  readonly title: string
  readonly of?: string
}

/** One promise of a described system: what was given, what it promised, and whether that holds here. */
export interface Row<Given = unknown, Promised = unknown> {
  readonly id: string
  readonly system: string
  readonly kind: string
  readonly given: Given
  readonly promised: Promised
  readonly holds: 'as it is' | 'under a policy' | 'overridden' | 'waits'
  /** The setting under which it holds. */
  readonly policy?: string
  /** What is true here where that is something else. */
  readonly here?: Promised
  /** The section of docs/consent.md that says otherwise. */
  readonly rule?: string
  /** The feature that it waits for. */
  readonly feature?: string
  readonly shown?: readonly Shown[]
}

/** Features that rows wait for: what each is, and by what in which folder it is known to be there. */
export const waitedFor: Readonly<Record<string, { readonly what: string; readonly in: string; readonly sign: string }>> = waiting

/** Every row, in the order of the file. */
export const rows = conformance.rows as readonly Row[]

/** The words that a text was read with, by name. */
export const wordLists: Readonly<
  Record<string, { readonly approve: readonly string[]; readonly reject: readonly string[]; readonly always: readonly string[] }>
> = conformance.words

/** The rows that say they are shown by a table of tests: its title, and the end of its file's path. */
export function rowsShownBy<Given, Promised>(file: string, title: string): readonly Row<Given, Promised>[] {
  const found = rows.filter(({ shown = [] }) => shown.some((one) => file.endsWith(one.file) && one.title === title))
  if (found.length === 0) throw new Error(`No row is shown by ${title} of ${file}`)
  return found as readonly Row<Given, Promised>[]
}

/** What is true here: what was promised, unless a rule says otherwise. */
export const hereOf = <Given, Promised>({ holds, promised, here }: Row<Given, Promised>): Promised =>
  holds === 'overridden' && here !== undefined ? here : promised
