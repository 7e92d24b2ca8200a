import type { Colleague } from '../core/whom.ts'

/** Where something of a person comes from: the configuration, which it follows at each start, or `dale people`, which it stays by. */
export type Source = 'configuration' | 'managed'

/** A role or an identity of a person. */
export interface Held {
  readonly value: string
  readonly source: Source
  /** Taken away by `dale people` although the configuration gives it: it counts for nothing. */
  readonly taken?: { readonly by: string; readonly atMs: number }
}

/** Somebody whom the house knows. */
export interface KnownPerson {
  readonly id: string
  readonly name?: string
  readonly source: Source
  readonly roles: readonly Held[]
  readonly identities: readonly Held[]
}

/** Somebody with the roles that hold now. */
export const colleagueOf = ({ id, name, roles }: KnownPerson): Colleague => ({
  id,
  ...(name === undefined ? {} : { name }),
  roles: roles.filter(({ taken }) => taken === undefined).map(({ value }) => value),
})

/** A change of who is who and who may what. `by` is who makes it, and is kept. */
export type PeopleChange = { readonly id: string; readonly by: string } & (
  | { readonly what: 'add'; readonly name?: string; readonly identities: readonly string[]; readonly roles: readonly string[] }
  | { readonly what: 'link' | 'unlink'; readonly identity: string }
  | { readonly what: 'give' | 'take'; readonly role: string }
  | { readonly what: 'forget' }
)

/** What came of it. */
export type PeopleChanged =
  | { readonly kind: 'changed'; readonly person?: KnownPerson }
  | { readonly kind: 'refused'; readonly because: 'exists' | 'unknown' | 'not_theirs' | 'theirs_already' }
  /** The identity is another person's. */
  | { readonly kind: 'refused'; readonly because: 'taken'; readonly identity: string; readonly person: string }

/** A change that was made. */
export interface PeopleChangeRow {
  readonly person: string
  readonly what: PeopleChange['what']
  readonly value?: string
  readonly by: string
  readonly atMs: number
}

/** Who is who and who may what, beside what the configuration says. Part of the store. */
export interface PeopleStore {
  /** Everybody, by id. */
  people(): Promise<readonly KnownPerson[]>
  /**
   * Makes one change, in one transaction; it holds for every decision and claim from then on. A second time it is refused as
   * `theirs_already`, `not_theirs`, `exists` or `unknown`.
   */
  changePeople(change: PeopleChange): Promise<PeopleChanged>
  /** What was changed of a person, the latest first. */
  peopleChanges(id: string): Promise<readonly PeopleChangeRow[]>
}
