import type { Limits } from '../core/limits.ts'
import type { PolicySet } from '../core/policy.ts'
import type { PressKey } from '../core/press.ts'
import type { QuietHours } from '../core/quiet-hours.ts'
import type { Action } from '../ports/action.ts'
import type { Agent } from '../ports/agent.ts'
import type { Bell } from '../ports/bell.ts'
import type { Channel } from '../ports/channel.ts'
import type { Hooks } from '../ports/hooks.ts'
import type { Log } from '../ports/log.ts'
import type { Store } from '../ports/store.ts'
import type { Texts } from '../ports/texts.ts'
import type { Words } from '../ports/words.ts'
import type { ReportWatch } from './report-watch.ts'

/** Fresh values that core must not make itself. */
export interface Mint {
  ulid(): string
  code(): string
}

/** Everything a message meets on its walk: the ports, and the configuration as plain values. Made by `compose.ts` alone. */
export interface House {
  readonly tenant: string
  readonly store: Store
  readonly bell: Bell
  readonly texts: Texts
  readonly words: Words
  readonly agent: Agent
  readonly log: Log
  /** The accounts that this process can speak through. */
  readonly channels: ReadonlyMap<string, Channel>
  readonly actions: ReadonlyMap<string, Action>
  /** The configuration's own code that hears of proposals; most have none. */
  readonly hooks: Hooks
  readonly policies: PolicySet
  /** Every account, with when nobody is to be reminded there. */
  readonly quietHours: ReadonlyMap<string, QuietHours | undefined>
  /** Roles whose cards have a chat, in the configuration's order. */
  readonly rolesWithChats: readonly string[]
  /** The rules of consent as the configuration reads them. */
  readonly limits: Limits
  readonly pressKeys: readonly [PressKey, ...PressKey[]]
  readonly mint: Mint
  /** Wakes who waits for a provider's report. */
  readonly reports: ReportWatch
  /** This process's name for leases. */
  readonly owner: string
  localeOf(account: string): string
  /** Starts work that nobody waits for: its failure is logged, and stopping the house waits for it. */
  spawn(work: () => Promise<void>): void
  /** What ran into trouble, what was decided, what was ignored: counted for `/metrics`. */
  count(what: string, labels?: Readonly<Record<string, string>>): void
  /** How long a person took, from the first accepted showing of a card to their decision. */
  tookToDecide(action: string, via: string, seconds: number): void
}
