import type { Generated } from 'kysely'
import type { StateName } from '../core/proposal.ts'

/** `frozen` is the draft without what has a column of its own; it never changes, and a trigger sees to it. */
interface ProposalTable {
  readonly id: string
  readonly code: string
  readonly account: string
  readonly conversation: string
  readonly requester: string | null
  readonly action: string
  readonly canonical_args: string
  readonly fingerprint: string
  readonly frozen: string
  readonly created_at: number
  readonly state: StateName
  readonly state_body: string
  readonly revision: number
  readonly card_revision: number
  readonly fence: number | null
  readonly sent: boolean
  readonly lease_until: number | null
  readonly expires_at: number | null
  readonly execute_by: number | null
  /** When an approved one may be claimed, or a doubted one tried again. */
  readonly ready_at: number | null
  readonly moved_at: number
  /** When it was approved or ended, whichever was last. */
  readonly closed_at: number | null
  readonly ended_at: number | null
}

interface HistoryTable {
  readonly id: Generated<number>
  readonly proposal: string
  readonly revision: number
  readonly event: string
  readonly from_state: StateName | null
  readonly to_state: StateName
  readonly made_by: string
  readonly at: number
  readonly note: string | null
  readonly moved: boolean
}

interface ShowingTable {
  readonly id: Generated<number>
  readonly proposal: string
  readonly card_revision: number
  readonly account: string
  readonly conversation: string
  readonly message_ids: readonly string[]
  readonly accepted_at: number
  readonly moment_at: number | null
  readonly moment_order: number | null
  /** Shown outside the proposal's own conversation, and the proposal still waits. */
  readonly waits: boolean
}

interface HaltTable {
  readonly scope: 'all' | 'action' | 'account'
  readonly name: string
  readonly made_by: string
  readonly since: number
  readonly reason: string | null
}

/** The tables of schema `dale` that the query builder asks. The others belong to the routines alone (migrations/0001-first.ts). */
export interface Tables {
  readonly 'dale.proposal': ProposalTable
  readonly 'dale.history': HistoryTable
  readonly 'dale.decision': { readonly id: Generated<number>; readonly proposal: string; readonly record: string }
  readonly 'dale.showing': ShowingTable
  readonly 'dale.sent_message': { readonly account: string; readonly message_id: string }
  readonly 'dale.halt': HaltTable
  readonly 'dale.lease': { readonly name: string; readonly owner: string; readonly until: number; readonly fence: number }
  readonly 'dale.secret': {
    readonly account: string
    readonly kind: string
    readonly id: string
    readonly value: string
    readonly key_id: string
  }
  readonly 'dale.person': { readonly id: string; readonly name: string | null; readonly source: string }
  readonly 'dale.identity': { readonly identity: string; readonly person: string; readonly scheme: string }
  readonly 'dale.person_role': { readonly person: string; readonly role: string }
  readonly 'dale.role_chat': { readonly role: string; readonly conversation: string; readonly place: number }
}
