import type { Conversation } from '../core/conversation.ts'
import type { Grant } from '../core/grant.ts'
import type { StateName } from '../core/proposal.ts'

/** What was done, or is to be, under a grant. */
export interface GrantUse {
  readonly proposalId: string
  readonly code: string
  readonly state: StateName
  readonly atMs: number
}

/** Whose grants, where, and for what. `person` is meant under every name they had. */
export interface GrantScope {
  readonly conversation: Conversation
  readonly person: string
  readonly action: string
}

/**
 * Standing yeses. Part of the store. They are born, counted and ended by `commit` (`Move.born`, `Move.under`, `Change.endGrants`), together
 * with what made them so.
 */
export interface GrantStore {
  /** The grant that holds now, the newest of them; undefined where there is none. */
  grantFor(scope: GrantScope): Promise<Grant | undefined>
  grant(id: string): Promise<Grant | undefined>
  /** The newest first, at most `limit`; with `holding`, only those that hold now. */
  grants(filter: { readonly holding: boolean; readonly limit: number }): Promise<readonly Grant[]>
  grantUses(id: string): Promise<readonly GrantUse[]>
  /** Ends a grant; false where there is none, or it ended before. What was approved under it and not begun is not done. */
  revokeGrant(id: string, by: string): Promise<boolean>
}
