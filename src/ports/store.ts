import type { Person } from '../core/authority.ts'
import type { Card } from '../core/card.ts'
import type { Conversation } from '../core/conversation.ts'
import type { DecisionRecord } from '../core/decision.ts'
import type { Inbound, InboundMessage } from '../core/inbound.ts'
import type { Moment } from '../core/moment.ts'
import type { Outgoing } from '../core/outgoing.ts'
import type { Proposal, ProposalIn, StateName } from '../core/proposal.ts'
import type { Question } from '../core/question.ts'
import type { Showing, Situation } from '../core/situation.ts'
import type { Past } from './agent.ts'
import type { ApiKeyStore } from './api-keys.ts'
import type { AskedUntil, AskingStore } from './asking.ts'
import type { Clock } from './clock.ts'
import type { ConsentReportStore } from './consent-report.ts'
import type { GrantScope, GrantStore } from './grants.ts'
import type { HookStore } from './hooks.ts'
import type { PeopleStore } from './people.ts'
import type { WebhookStore } from './webhooks.ts'
import type { WordStore } from './words.ts'

/** An event in the inbox. `id` rises with the order of arrival. */
export interface InboxRow {
  readonly id: number
  readonly event: Inbound
  readonly receivedAtMs: number
  /** Told by `keep` alone: by this event a phone went from one person to another. */
  readonly phoneMoved?: true
}

/** What an event may name: at most one of these. */
export type Naming =
  | { readonly by: 'proposal'; readonly id: string }
  | { readonly by: 'code'; readonly code: string }
  | { readonly by: 'message'; readonly messageId: string }

/** The chatter lane may be overtaken by receipts; a card never is. Outcomes keep their place behind their receipt. */
export type Lane = 'chatter' | 'card' | 'receipt' | 'outcome'

/** A message to send, written in the transaction that caused it. */
export interface OutboxDraft {
  readonly conversation: Conversation
  readonly lane: Lane
  readonly body: { readonly do: 'say'; readonly message: Outgoing } | { readonly do: 'update'; readonly card: Card }
  readonly proposalId?: string
  readonly cardRevision?: number
  /** Of a question: whom it is asked of, about which proposal (`proposalId`), and what for. */
  readonly asks?: { readonly person: string } & Pick<Question, 'asks'>
  /** At most one row with this key is ever written; a second is silently left out. */
  readonly once?: string
  /** It waits for the person to write here, not for a time. */
  readonly parked?: true
}

/** A message in the outbox, taken for sending. */
export interface OutboxRow extends OutboxDraft {
  readonly id: number
  /** Sendings begun before this one. */
  readonly attempts: number
  /** An earlier sending may have reached the provider. */
  readonly mayHaveArrived: boolean
  /** Of an update: the messages of every showing of its card in this conversation. */
  readonly shownAs?: readonly (readonly string[])[]
  /** Every id of the person of a one-to-one chat, newest first, where the channel has several for a person; empty when all were given up. */
  readonly addresses?: readonly string[]
  readonly fence: number
  /** The same at every sending of it, and no other installation's: letters and digits. */
  readonly ref: string
  /** A report on an earlier sending named it: the provider has the message, whatever became of the answer. */
  readonly reported?: { readonly messageId: string; readonly atMs: number }
  /** When somebody last wrote in this conversation; absent if never. */
  readonly lastInboundAtMs?: number
}

/** What became of a taken outbox row. */
export type Delivery =
  | {
      readonly kind: 'accepted'
      readonly messageIds: readonly string[]
      readonly moment?: Moment
      /** Ids that the answer gives for the person of the chat: linked to them, unless they are another's. */
      readonly also?: readonly string[]
      /** The next message here waits for a report on this one, at most this long (RULES 9). */
      readonly followWithinMs?: number
    }
  | { readonly kind: 'refused'; readonly code: string }
  /** Nothing may be said until the person writes again; the next message of theirs that is handled frees it. */
  | { readonly kind: 'parked'; readonly code: string }
  | { readonly kind: 'again'; readonly notBeforeMs: number; readonly mayHaveArrived: boolean; readonly code: string }

/** A provider's later word on a message that went out through an account. `ref` is the sending's, where the provider repeats it. */
export interface Report {
  readonly account: string
  readonly messageId: string
  readonly status: 'sent' | 'delivered' | 'read' | 'failed'
  readonly atMs: number
  readonly ref?: string
  readonly code?: string
  /** Of a failure: sending it again is of no use. */
  readonly final?: true
}

/** A message that the provider took, failed to deliver, and that nobody got before: it is refused from here on. */
export interface Failure {
  readonly sent: OutboxRow
  readonly code: string
  readonly final: boolean
  /** Its second sending is written: `again:<id>`. */
  readonly isSeenTo: boolean
  /** How many cards of its proposal were refused here, this one among them. */
  readonly times: number
}

/** Whose message a report is about. */
export type Reported =
  | {
      readonly kind: 'ours'
      readonly conversation: Conversation
      readonly showing?: Showing
      /** Something is still to be sent in the conversation. */
      readonly waits: boolean
      readonly failed?: Failure
    }
  | { readonly kind: 'foreign' }

/** One move of one proposal, written only if it still is as `before` says and the database's clock agrees. */
export interface Move {
  readonly before: Proposal
  readonly after: Proposal
  /** The lifecycle event's name, for the history. */
  readonly event: string
  /** Who moved it: a person, `worker`, `sweep`, `channel`, `operator:<name>`. */
  readonly by: string
  readonly decision?: DecisionRecord
  /** The move holds only strictly before this moment of the database's clock … */
  readonly beforeMs?: number
  /** … or only at or after this one. */
  readonly notBeforeMs?: number
  /** The move holds only while no halt is on for its action, its account, or everything. */
  readonly unlessHalted?: true
  /** The grant that approves it: the move holds only while that one does, and is counted there. */
  readonly under?: string
  /** A grant comes of it: a person said "always", and this is the first success. */
  readonly born?: { readonly times: number; readonly lastsMs: number; readonly decision: DecisionRecord }
  /** For the history: what a reader later needs (a phrase, a reason), never message text. */
  readonly note?: Readonly<Record<string, unknown>>
}

/** Everything that happens together, all or nothing. Every part is optional; an empty change commits. What is created may be moved in it. */
export interface Change {
  readonly moves?: readonly Move[]
  readonly create?: readonly Proposal[]
  /** What is created is created only while these hold: sums of limits were made up from what had been asked by then. */
  readonly askedUntil?: readonly AskedUntil[]
  /** What is created is created only while no other proposal than these waits for this requester (or for none) in this conversation. */
  readonly openUntil?: { readonly conversation: Conversation; readonly requester?: string; readonly waiting: readonly string[] }
  /** What is to be said nowhere (`core/conversation.ts`) is left out. */
  readonly say?: readonly OutboxDraft[]
  /** Ends every grant of this person, for this action, in this conversation. */
  readonly endGrants?: GrantScope & { readonly by: string }
  /** Marks an inbox row as handled, with the road it took. `toAgent`: it waits for a turn. */
  readonly handled?: { readonly inboxId: number; readonly road: string; readonly toAgent: boolean; readonly by: string }
  /** Has the role of this proposal's `escalate` asked too: once, while it waits, and only when it is time. */
  readonly escalate?: string
  /** A card was shown again for a bare phrase, a hint was given, or a stray phrase had the state repeated: counted per proposal. */
  readonly counts?: readonly { readonly proposalId: string; readonly what: 'shown_again' | 'hinted' | 'repeated' }[]
  /** The question with this id got its answer. */
  readonly answered?: number
  /** Ends a turn, if its fence still holds. */
  readonly turn?: { readonly id: string; readonly fence: number; readonly proposed?: true }
  /** A delivery of an agent after its turn: taken once, and not after it has proposed. */
  readonly push?: { readonly turn: string; readonly id: string; readonly proposes: boolean }
  /** Settles an outbox row, if its fence still holds. */
  readonly delivered?: { readonly id: number; readonly fence: number; readonly delivery: Delivery }
  /** Keeps an accepted showing. */
  readonly showing?: Showing
  /** A refusal that came too late to count, kept for the audit. */
  readonly note?: {
    readonly proposalId: string
    readonly event: string
    readonly by: string
    readonly about: Readonly<Record<string, unknown>>
  }
}

/** Committed; or nothing was written, because of what: a proposal moved, a fence was lost, a code is taken, more was asked for meanwhile, a grant ended or is used up, a delivery was taken. */
export type Committed =
  | { readonly kind: 'committed' }
  | { readonly kind: 'lost'; readonly what: 'proposal' | 'fence' | 'code' | 'asked' | 'grant' | 'push' }

/** A turn that was taken: messages of one person, joined, or none where the end of a proposal started it. The same turn comes again with a higher fence after a crash. */
export interface TurnRow {
  readonly id: string
  readonly fence: number
  /** Starts before this one. */
  readonly attempts: number
  readonly conversation: Conversation
  readonly person: string
  /** The person's other names (`Person`). */
  readonly formerly: readonly string[]
  readonly messages: readonly { readonly message: InboundMessage; readonly receivedAtMs: number }[]
  /** Proposals of this conversation that moved since its previous turn began, and those still open. */
  readonly proposals: readonly Proposal[]
  /** When the turn's first message was received; none where an outcome started it. */
  readonly sinceMs?: number
  /** The proposal whose end started it. */
  readonly resumed?: Proposal
  /** The database's clock when the turn was taken. */
  readonly nowMs: number
}

/** A turn as its agent may still speak of it later. `isPushed`: this delivery was taken. `hasProposed`: nothing more is. */
export interface PushedTurn extends TurnRow {
  readonly beganAtMs: number
  readonly isPushed: boolean
  readonly hasProposed: boolean
}

/** What a sweep finds: ids and conversations whose bell must ring again, or whose time has come. At most `limit` of each. */
export interface Due {
  readonly inbound: readonly Conversation[]
  readonly turns: readonly Conversation[]
  /** At most `limit` of each account: one that nobody speaks for must not hide the others. */
  readonly deliveries: readonly Conversation[]
  /** Approved and free to be claimed, or in doubt with a retry due. */
  readonly executions: readonly string[]
  /** Draft, pending or awaiting_second past their deadline. */
  readonly overdue: readonly string[]
  readonly stale: readonly string[]
  /** Shown, undecided for so long that a role is to be asked too. */
  readonly escalations: readonly string[]
  /** Executing with a lease that is over. */
  readonly leaseless: readonly string[]
}

/** How much is unfinished, in whoever's hands it is: for gauges, and for whoever waits until all is quiet. */
export interface Backlog {
  /** Events not handled. */
  readonly inbound: number
  /** Turns not ended, and conversations whose messages wait for one. */
  readonly turns: number
  /** Messages not settled with their channel, but for the parked ones. */
  readonly outgoing: number
  /** Messages that wait for somebody to write. */
  readonly parked: number
  /** Approved or executing proposals. */
  readonly executions: number
  /** Proposals in doubt. */
  readonly doubts: number
}

/** Stops everything not yet sent for one action, one account, or all. */
export interface Halt {
  readonly scope:
    | { readonly kind: 'all' }
    | { readonly kind: 'action'; readonly name: string }
    | { readonly kind: 'account'; readonly name: string }
  readonly by: string
  readonly sinceMs: number
  readonly reason?: string
}

export interface HistoryRow {
  readonly proposalId: string
  readonly revision: number
  readonly event: string
  readonly from?: StateName
  readonly to: StateName
  readonly by: string
  readonly atMs: number
  readonly note?: Readonly<Record<string, unknown>>
}

/** Open proposals that matter to a new one of the same requester. */
export interface Beside {
  readonly nowMs: number
  /** The requester's draft, pending and awaiting_second here, oldest first. */
  readonly waiting: readonly Proposal[]
  /** Same action, same requester, here: approved, executing or in doubt. */
  readonly siblings: readonly ProposalIn<'approved' | 'executing' | 'in_doubt'>[]
  /** The same fingerprint, not settled, if any. */
  readonly same?: Proposal
}

/**
 * The truth. PostgreSQL in every size; contract suite in `test/contracts/store.ts`. Methods throw only when the database cannot be
 * asked; then nothing was written, or (a lost COMMIT) the caller reads again before it answers anyone. All are safe to repeat.
 */
export interface Store
  extends Clock,
    WordStore,
    PeopleStore,
    AskingStore,
    ConsentReportStore,
    GrantStore,
    HookStore,
    ApiKeyStore,
    WebhookStore,
    AsyncDisposable {
  /**
   * Keeps events, once per (account, providerId); returns the rows that were new, in order. One transaction. Learns from them which ids are
   * one person's, and whose an id is no more: an event with a `peer` is kept in the one conversation with that person, whatever it is called.
   */
  keep(tenant: string, events: readonly Inbound[]): Promise<readonly InboxRow[]>
  /** Takes the oldest unhandled event of a conversation, if nobody holds one there, for `leaseMs`. */
  nextInbound(conversation: Conversation, owner: string, leaseMs: number): Promise<InboxRow | undefined>
  situation(query: {
    readonly conversation: Conversation
    readonly identity: string
    readonly naming?: Naming
    readonly before: Moment
    readonly inboxId: number
  }): Promise<Situation>
  /** A proposal as it stands; `halted`: a halt holds for its action, its account, or everything. */
  proposal(id: string): Promise<{ readonly proposal: Proposal; readonly nowMs: number; readonly halted: boolean } | undefined>
  beside(conversation: Conversation, requester: string | undefined, action: string, fingerprint: string): Promise<Beside>
  commit(change: Change): Promise<Committed>
  /** Commits, and then takes the next message to send as `nextOutgoing` does, in one round trip. Nothing is taken when the change is lost. */
  commitThenNext(
    change: Change,
    conversation: Conversation,
    leaseMs: number,
  ): Promise<{ readonly committed: Committed; readonly next?: OutboxRow }>

  /** Takes the conversation's turn: an unfinished one whose lease is over, else the waiting messages of the next person, joined. */
  nextTurn(conversation: Conversation, leaseMs: number, newId: string): Promise<TurnRow | undefined>
  /** A turn, running or over, for a delivery of its agent; undefined where it is not kept any more. */
  turn(id: string, pushId: string): Promise<PushedTurn | undefined>
  /** Keeps a turn while it runs; false when its fence was lost. */
  extendTurn(id: string, fence: number, leaseMs: number): Promise<boolean>
  /** What people and the agent said here before the turn: a summary, the last `keep` lines, and those that are to be summed up. */
  past(conversation: Conversation, turnId: string, keep: number): Promise<Past>
  /** Keeps a summary in place of everything said here until `untilMs`. */
  remember(conversation: Conversation, summary: string, untilMs: number): Promise<void>
  /** Erases the summary of a conversation, and has `past` pass over what was said until now. */
  forgetPast(conversation: Conversation): Promise<void>
  /** Takes the next message to send in a conversation, in order, if nobody sends there; marks that its sending begins. */
  nextOutgoing(conversation: Conversation, leaseMs: number): Promise<OutboxRow | undefined>
  /** How many cards of a proposal are still to be sent, in whatever chat. */
  cardsWaiting(proposalId: string): Promise<number>
  /** How many messages about a proposal are parked. */
  parkedOf(proposalId: string): Promise<number>
  /** Every accepted showing of a proposal, on every surface. */
  showings(proposalId: string): Promise<readonly Showing[]>
  /** Records a provider's report on a message, the first of each status. One that came before the answer to its sending is kept, and joined with it. */
  report(report: Report): Promise<Reported>
  /** The reports of failures among these messages. */
  failedOf(account: string, messageIds: readonly string[]): Promise<readonly Report[]>
  /** Is this provider message one that we sent? */
  isOurs(account: string, messageId: string): Promise<boolean>
  /** A chat got another id: conversations, showings and open proposals move along. Repeatable. */
  moveChat(account: string, fromChat: string, toChat: string): Promise<void>
  /** What a chat was called before such moves. Controls on cards shown then are bound to the old name. */
  formerChats(account: string, chat: string): Promise<readonly string[]>

  due(limit: number): Promise<Due>
  /** The conversations of one account where something is to be sent now and nobody sends, the oldest first. */
  dueDeliveries(account: string, limit: number): Promise<readonly Conversation[]>
  /**
   * Cards that wait, with the accounts where they were shown and nobody was reminded of them yet (no message `reminder:<id>:<account>` was
   * ever written): their time ends within `beforeMs`, or within what an account's window says and they have stood there for some minutes.
   */
  dueReminders(
    when: {
      readonly beforeMs: number
      /** The accounts where people may be reminded now. */
      readonly windows: readonly { readonly account: string; readonly withinMs: number }[]
    },
    limit: number,
  ): Promise<readonly { readonly id: string; readonly account: string }[]>
  /**
   * Erases what is over for longer than so many days: handled events, settled messages with their ids and reports, ended turns; at most
   * `limit` of each at a time. Nothing of a conversation with an unfinished proposal, and no proposal ever. Returns how many rows went; 0
   * when nothing is left.
   */
  prune(olderThanDays: number, limit: number): Promise<number>
  backlog(): Promise<Backlog>

  /** Who stands behind an identity; an unknown one is a person of its own without roles. */
  person(identity: string): Promise<Person>
  /** Makes people, identities, roles and role chats be as the configuration says, beside what `dale people` made and took away. */
  seedPeople(
    people: readonly {
      readonly id: string
      readonly name?: string
      readonly roles: readonly string[]
      readonly identities: readonly string[]
    }[],
    roleChats: readonly { readonly role: string; readonly conversation: Conversation }[],
  ): Promise<void>
  /** Where cards for a role are shown. */
  roleChats(role: string): Promise<readonly Conversation[]>
  peopleWith(role: string): Promise<readonly string[]>

  halts(): Promise<readonly Halt[]>
  halt(halt: Omit<Halt, 'sinceMs'>): Promise<void>
  resume(scope: Halt['scope']): Promise<boolean>

  /** Takes or renews a named lease for `owner`; undefined while another holds it. The fence rises with each new holder. */
  lease(name: string, owner: string, ttlMs: number): Promise<{ readonly fence: number } | undefined>
  releaseLease(name: string, owner: string): Promise<void>

  list(filter: {
    readonly states?: readonly StateName[]
    readonly tenant?: string
    readonly action?: string
    readonly conversation?: Conversation
    readonly limit: number
    readonly before?: string
  }): Promise<readonly Proposal[]>
  byCode(account: string | undefined, code: string): Promise<readonly Proposal[]>
  /** Chats where somebody wrote to the agent, in the order of their keys, after one of them. */
  conversations(query: { readonly limit: number; readonly after?: Conversation }): Promise<readonly Conversation[]>
  /** Did this person, under whatever name, write to the agent there? */
  hasWritten(conversation: Conversation, person: string): Promise<boolean>
  history(proposalId: string): Promise<readonly HistoryRow[]>
  /** Every decision on a proposal, oldest first: who, how and with which words. */
  decisions(proposalId: string): Promise<readonly DecisionRecord[]>
  /** Can the database be asked, and does it hold this schema? */
  isUp(): Promise<boolean>
}
