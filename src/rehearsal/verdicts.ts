import type { Store } from '../ports/store.ts'
import type { Effect } from './ledger.ts'
import type { Script } from './script.ts'
import type { Stage } from './stage.ts'

/** What was judged and done, without a word of how a channel writes it: the same on every channel. */
export interface Verdicts {
  /** The road that each message and press took, in order. */
  readonly roads: readonly string[]
  readonly proposals: readonly {
    readonly code: string
    readonly state: string
    readonly decisions: readonly { readonly person: string; readonly verdict: string; readonly via: string }[]
  }[]
  readonly effects: readonly Effect[]
}

/** Reads them at the end of a talk. People are called as the file calls them. */
export async function verdictsOf(
  script: Script,
  store: Store,
  stage: Stage,
  judged: Pick<Verdicts, 'roads' | 'effects'>,
): Promise<Verdicts> {
  const names = new Map(script.people.map(({ name }) => [stage.identityOf(name), name]))
  const proposals = [...(await store.list({ limit: 200 }))].sort((a, b) => (a.id < b.id ? -1 : 1))
  const told = proposals.map(async ({ id, code, state }) => ({
    code,
    state: state.name,
    decisions: (await store.decisions(id)).map(({ person, verdict, via }) => ({
      person: names.get(person) ?? person,
      verdict,
      via,
    })),
  }))
  return { ...judged, proposals: await Promise.all(told) }
}
