import type { Proposal } from '../core/proposal.ts'
import type { ProposalEvent } from '../core/proposal-event.ts'
import type { HistoryRow } from './store.ts'

/** Where events are told, and which; all where none are named. */
export interface WebhookTarget {
  readonly url: string
  readonly events?: readonly ProposalEvent[] | undefined
}

/** A move of a proposal as the history has it. `id` rises with time, but for moves of the same moment. */
export interface MovedRow {
  readonly id: number
  readonly type: ProposalEvent
  readonly row: HistoryRow
  /** As it stands when it is read. */
  readonly proposal: Proposal
}

/** One telling of one event to one address. */
export interface WebhookDelivery extends MovedRow {
  readonly url: string
  /** Tellings before this one. */
  readonly attempts: number
  readonly fence: number
}

/** What came of a telling. `gone`: the address wants nothing more. */
export type Told =
  | { readonly kind: 'told'; readonly status: number }
  | { readonly kind: 'again'; readonly status?: number; readonly inMs: number }
  | { readonly kind: 'given_up' | 'gone'; readonly status?: number }

/** How an address stands. */
export interface WebhookState {
  readonly url: string
  readonly sinceMs: number
  readonly disabledAtMs?: number
  readonly waiting: number
  readonly givenUp: number
}

/** What is told to other programs. Part of the store; derived from the history, which nothing is added to for it. */
export interface WebhookStore {
  /** Events of a tenant after one, the oldest first. */
  events(query: { readonly tenant: string; readonly after: number; readonly limit: number }): Promise<readonly MovedRow[]>
  /** Writes down what is to be told now. An address that is new hears of what happens from here on. Any number may do it at once. */
  noteWebhooks(tenant: string, targets: readonly WebhookTarget[]): Promise<void>
  /** Takes the next telling that is due at an address; of one proposal never a later one before an earlier one is over. */
  nextWebhook(url: string, leaseMs: number): Promise<WebhookDelivery | undefined>
  /** Ends a telling, or lets it be tried again, while its fence is the newest. `gone` disables the address. */
  endWebhook(delivery: WebhookDelivery, how: Told): Promise<void>
  webhooks(): Promise<readonly WebhookState[]>
  /** Tells again what was told or given up, under the same ids, and lets the address hear of more. Returns how many; undefined for an unknown address. */
  replayWebhook(url: string, what: { readonly givenUpOnly: boolean; readonly sinceMs: number }): Promise<number | undefined>
}

/** Sends one signed event. `status` of the answer; undefined where none came. Never throws. */
export interface WebhookSender {
  send(url: string, id: string, body: string): Promise<{ readonly status?: number; readonly why?: string }>
}
