import type { Action } from './action.ts'
import type { Log } from './log.ts'

/** What a source is opened with. `onChange`: its actions are others now; asked for them after that, it gives the new ones. */
export interface Around {
  readonly log: Log
  onChange(): void
}

/** A source at work. Disposing it ends its connections and the processes that it started. */
export interface OpenSource extends AsyncDisposable {
  /** What it offers now. An action whose definition changed has another version. */
  actions(): readonly Action[]
  /** Does it stand? One that does not is connected anew when it is used. */
  isUp(): boolean
}

/**
 * Actions that are known only once something outside was asked, such as the tools of an MCP server. Stands in a configuration beside
 * actions; `compose` opens it.
 */
export interface ActionSource {
  /** Its name in the configuration. */
  readonly source: string
  /** Names of environment variables without which it cannot work: checked at start. */
  readonly needs: readonly string[]
  /** No action of it takes longer. */
  readonly longestTimeoutMs: number
  /** Could it have an action of this name? Nobody knows more before it is opened. */
  mayHave(action: string): boolean
  /** Opens it. Throws `ConfigError` with every problem when it cannot be reached or offers what cannot be used. */
  open(around: Around): Promise<OpenSource>
}
