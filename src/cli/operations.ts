import { isCode } from '../core/code.ts'
import type { Conversation } from '../core/conversation.ts'
import type { DecisionRecord } from '../core/decision.ts'
import type { Grant } from '../core/grant.ts'
import type { Proposal, StateName } from '../core/proposal.ts'
import type { KeptMiss, WordDecision } from '../core/replay-words.ts'
import type { Showing } from '../core/situation.ts'
import { type Attested, attest, type Evidence } from '../gateway/attest.ts'
import type { House } from '../gateway/house.ts'
import { type Desk, deskOf } from '../mcp/desk.ts'
import type { ApiKey } from '../ports/api-keys.ts'
import type { AskingPast, AskingQuery } from '../ports/asking.ts'
import type { ActionConsent } from '../ports/consent-report.ts'
import type { GrantUse } from '../ports/grants.ts'
import type { KnownPerson, PeopleChange, PeopleChanged, PeopleChangeRow } from '../ports/people.ts'
import type { Halt, HistoryRow, Store } from '../ports/store.ts'
import type { WebhookState } from '../ports/webhooks.ts'
import type { Activation, VocabularyRow } from '../ports/words.ts'

/** Everything that is kept about one proposal, and the database's clock. */
export interface Dossier {
  readonly proposal: Proposal
  readonly history: readonly HistoryRow[]
  readonly decisions: readonly DecisionRecord[]
  readonly showings: readonly Showing[]
  /** Messages about it that wait until somebody writes. */
  readonly parked: number
  readonly nowMs: number
}

/**
 * What a shell may do: look, stop and let go on, and settle what nobody knows. It never decides. All values are plain JSON, so the same
 * can be done in this process or, where only one process may open the database, by asking that one.
 */
export interface Operations {
  list(filter: { readonly states?: readonly StateName[]; readonly limit: number }): Promise<readonly Proposal[]>
  /** Those that an id or a code stands for; a code may be an older card's too. */
  find(idOrCode: string): Promise<readonly Proposal[]>
  show(id: string): Promise<Dossier | undefined>
  settle(id: string, evidence: Evidence): Promise<Attested>
  halts(): Promise<readonly Halt[]>
  halt(halt: Omit<Halt, 'sinceMs'>): Promise<void>
  /** False where it was not halted. */
  resume(scope: Halt['scope']): Promise<boolean>
  activeVocabularies(): Promise<readonly VocabularyRow[]>
  vocabularyHistory(limit: number): Promise<readonly VocabularyRow[]>
  /** Makes words active; answers what is active then. */
  activate(drafts: readonly Activation[]): Promise<readonly VocabularyRow[]>
  /** Near misses of so many ms, by the database's clock. */
  nearMisses(ofMs: number): Promise<readonly KeptMiss[]>
  /** Decisions in words of so many ms. */
  wordDecisions(ofMs: number): Promise<readonly WordDecision[]>
  /** Erases the near misses of a person; answers how many there were. */
  forgetNearMisses(person: string): Promise<number>
  /** Has the agent forget what was said in a conversation. */
  forgetPast(conversation: Conversation): Promise<void>
  people(): Promise<readonly KnownPerson[]>
  changePeople(change: PeopleChange): Promise<PeopleChanged>
  peopleChanges(id: string): Promise<readonly PeopleChangeRow[]>
  /** Who stands behind an identity, by id. */
  personOf(identity: string): Promise<string>
  askingPast(query: AskingQuery): Promise<AskingPast>
  /** Standing yeses, the newest first. */
  grants(filter: { readonly holding: boolean; readonly limit: number }): Promise<readonly Grant[]>
  grantUses(id: string): Promise<readonly GrantUse[]>
  /** False where it had ended before. */
  revokeGrant(id: string, by: string): Promise<boolean>
  makeKey(key: Parameters<Store['makeKey']>[0]): Promise<ApiKey>
  keys(tenant: string): Promise<readonly ApiKey[]>
  /** False where there is none, or it was revoked before. */
  revokeKey(tenant: string, id: string, by: string): Promise<boolean>
  webhooks(): Promise<readonly WebhookState[]>
  /** How many are told again; undefined for an address that was never told. */
  replayWebhook(url: string, givenUpOnly: boolean, ofMs: number): Promise<number | undefined>
  /** How people answered what was proposed in so many ms, by the database's clock. */
  consentOf(ofMs: number): Promise<readonly ActionConsent[]>
  /** What a program does through MCP: it asks and looks. */
  readonly deskActions: Desk['actions']
  readonly deskPropose: Desk['propose']
  readonly deskWithdraw: Desk['withdraw']
  readonly deskOutcome: Desk['outcome']
}

/** The operations on a store; the house, which settling needs, is asked for only then. */
export function operationsOn(store: Store, house: () => Promise<House>): Operations {
  return {
    list: (filter) => store.list(filter),
    async find(idOrCode) {
      const code = idOrCode.replace(/^#/, '').toUpperCase()
      if (isCode(code)) return await store.byCode(undefined, code)
      const read = await store.proposal(idOrCode)
      return read === undefined ? [] : [read.proposal]
    },
    async show(id) {
      const read = await store.proposal(id)
      if (read === undefined) return undefined
      const [history, decisions, showings, parked] = await Promise.all([
        store.history(id),
        store.decisions(id),
        store.showings(id),
        store.parkedOf(id),
      ])
      return { ...read, history, decisions, showings, parked }
    },
    settle: async (id, evidence) => await attest(await house(), id, evidence),
    halts: () => store.halts(),
    halt: (halt) => store.halt(halt),
    resume: (scope) => store.resume(scope),
    activeVocabularies: () => store.activeVocabularies(),
    vocabularyHistory: (limit) => store.vocabularyHistory(limit),
    activate: (drafts) => store.activate(drafts),
    nearMisses: async (ofMs) => await store.nearMisses((await store.now()) - ofMs),
    wordDecisions: async (ofMs) => await store.wordDecisions((await store.now()) - ofMs),
    forgetNearMisses: (person) => store.forgetNearMisses(person),
    forgetPast: (conversation) => store.forgetPast(conversation),
    people: () => store.people(),
    changePeople: (change) => store.changePeople(change),
    peopleChanges: (id) => store.peopleChanges(id),
    personOf: async (identity) => (await store.person(identity)).id,
    askingPast: (query) => store.askingPast(query),
    grants: (filter) => store.grants(filter),
    grantUses: (id) => store.grantUses(id),
    revokeGrant: (id, by) => store.revokeGrant(id, by),
    makeKey: (key) => store.makeKey(key),
    keys: (tenant) => store.keys(tenant),
    revokeKey: (tenant, id, by) => store.revokeKey(tenant, id, by),
    webhooks: () => store.webhooks(),
    replayWebhook: async (url, givenUpOnly, ofMs) =>
      await store.replayWebhook(url, { givenUpOnly, sinceMs: (await store.now()) - ofMs }),
    consentOf: async (ofMs) => await store.consentSince((await store.now()) - ofMs),
    deskActions: async () => await deskOf(await house()).actions(),
    deskPropose: async (by, wish) => await deskOf(await house()).propose(by, wish),
    deskWithdraw: async (by, proposalId) => await deskOf(await house()).withdraw(by, proposalId),
    deskOutcome: async (proposalId, waitSeconds) => await deskOf(await house()).outcome(proposalId, waitSeconds),
  }
}
