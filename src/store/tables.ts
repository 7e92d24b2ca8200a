import type { Generated } from 'kysely'
import type { StateName } from '../core/proposal.ts'
import type { Lane } from '../ports/store.ts'

/*
 * The tables of schema `dale`. Every moment (`…_at`, `…_until`, `…_by_ms`) is a whole number of milliseconds since 1970 by `dale.clock()`.
 * Bodies are `json`, never `jsonb`: `json` keeps the text as it came, so a NUL or half a surrogate pair in something that a person
 * or an action said is stored and read back, where `jsonb` would refuse the row for ever.
 */

/** What an adapter handed in, once per (account, provider_id). */
export interface InboxTable {
  readonly id: Generated<number>
  readonly tenant: string
  readonly account: string
  readonly provider_id: string
  readonly conversation: string
  readonly kind: string
  /** The sender's, where there is one; `person` is who stood behind it when the event was handled. */
  readonly identity: string | null
  readonly event: string
  readonly moment_at: number | null
  readonly moment_order: number | null
  readonly received_at: number
  readonly taken_by: string | null
  readonly taken_until: number | null
  readonly handled_at: number | null
  readonly handled_by: string | null
  readonly road: string | null
  readonly to_agent: boolean
  readonly person: string | null
  readonly turn: string | null
}

/** `frozen` is the draft without what has a column of its own; it never changes, and a trigger sees to it. */
export interface ProposalTable {
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

export interface HistoryTable {
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

export interface DecisionTable {
  readonly id: Generated<number>
  readonly proposal: string
  readonly revision: number
  readonly person: string
  readonly verdict: 'approve' | 'reject'
  readonly final: boolean
  readonly at: number
  readonly record: string
}

export interface OutboxTable {
  readonly id: Generated<number>
  readonly account: string
  readonly conversation: string
  readonly lane: Lane
  readonly kind: string
  readonly said: boolean
  readonly said_text: string | null
  readonly body: string
  readonly proposal: string | null
  readonly card_revision: number | null
  readonly once: string | null
  readonly written_at: number
  readonly not_before: number
  readonly sending: boolean
  readonly taken_until: number | null
  readonly fence: number
  readonly attempts: number
  readonly may_have_arrived: boolean
  readonly begun_at: number | null
  readonly settled_at: number | null
  readonly outcome: 'accepted' | 'refused' | null
  readonly refusal: string | null
  readonly moment_at: number | null
  readonly moment_order: number | null
}

export interface ShowingTable {
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

export interface TurnTable {
  readonly id: string
  readonly conversation: string
  readonly person: string
  readonly fence: number
  readonly attempts: number
  readonly taken_until: number
  readonly began_at: number
  readonly since: number
  readonly ended_at: number | null
}

export interface HaltTable {
  readonly scope: 'all' | 'action' | 'account'
  readonly name: string
  readonly made_by: string
  readonly since: number
  readonly reason: string | null
}

/** Schema `dale` as Kysely sees it. */
export interface Tables {
  readonly 'dale.inbox': InboxTable
  readonly 'dale.proposal': ProposalTable
  readonly 'dale.history': HistoryTable
  readonly 'dale.decision': DecisionTable
  readonly 'dale.attempt': { readonly proposal: string; readonly fence: number; readonly at: number }
  readonly 'dale.outbox': OutboxTable
  readonly 'dale.showing': ShowingTable
  readonly 'dale.sent_message': { readonly account: string; readonly conversation: string; readonly message_id: string; readonly proposal: string | null }
  readonly 'dale.report': { readonly account: string; readonly message_id: string; readonly status: string; readonly at: number }
  readonly 'dale.tally': { readonly proposal: string; readonly what: string; readonly times: number }
  readonly 'dale.turn': TurnTable
  readonly 'dale.halt': HaltTable
  readonly 'dale.chat_move': { readonly account: string; readonly from_chat: string; readonly to_chat: string }
  readonly 'dale.lease': { readonly name: string; readonly owner: string; readonly until: number; readonly fence: number }
  readonly 'dale.person': { readonly id: string }
  readonly 'dale.identity': { readonly identity: string; readonly person: string }
  readonly 'dale.person_role': { readonly person: string; readonly role: string }
  readonly 'dale.role_chat': { readonly role: string; readonly conversation: string; readonly place: number }
}
