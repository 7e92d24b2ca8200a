import { sql } from 'kysely'
import type { HookedEvent } from '../ports/hooks.ts'
import type { Store } from '../ports/store.ts'
import { answerRequest, claimRequest, countRequest, keys, keyThatHolds, makeKey, revokeKey } from './api-keys.ts'
import { askingPast } from './asking.ts'
import { backlog } from './backlog.ts'
import { formerChats, moveChat } from './chats.ts'
import { commit, commitThenNext } from './commit.ts'
import { consentSince } from './consent-report.ts'
import { conversations, hasWritten } from './conversations.ts'
import { answerWithinMs, asking, connect, type Footing, nowMs, oneRow } from './database.ts'
import { due, dueDeliveries, dueReminders } from './due.ts'
import { grant, grantFor, grants, grantUses, revokeGrant } from './grants.ts'
import { halt, halts, resume } from './halts.ts'
import { endHookCall, hookCallsWait, nextHookCall } from './hooks.ts'
import { keep, nextInbound } from './inbox.ts'
import { lease, releaseLease } from './leases.ts'
import { changePeople, people, peopleChanges } from './manage-people.ts'
import { forgetPast, past, remember } from './memory.ts'
import { checkSchema } from './migrate.ts'
import { dropNearMisses, forgetNearMisses, keepNearMiss, nearMisses, wordDecisions } from './near-misses.ts'
import { cardsWaiting, nextOutgoing, parkedOf } from './outbox.ts'
import { peopleWith, person, roleChats, seedPeople } from './people.ts'
import { beside, byCode, decisions, history, list, proposal, showings } from './proposals.ts'
import { prune } from './prune.ts'
import { failedOf, isOurs, report } from './reports.ts'
import { situation } from './situation.ts'
import { extendTurn, nextTurn, turn } from './turns.ts'
import { activate, activeVocabularies, vocabularyHistory } from './vocabularies.ts'
import { endWebhook, events, nextWebhook, noteWebhooks, replayWebhook, webhooks } from './webhooks.ts'

export interface StoreOptions {
  /** Hears of idle connections that broke; the pool replaces them. */
  readonly onError?: (error: Error) => void
  /** Refuse with `ConfigError` a database whose schema `dale` is missing or of another version. */
  readonly check?: boolean
  /** What hooks are to be told of: noted with every change. None unless told. */
  readonly hooks?: readonly HookedEvent[]
}

/**
 * Opens the store on a footing; does not migrate. Disposing closes its connections, but leaves a PGlite to its owner. Throws
 * `ConfigError` where `check` finds another schema.
 */
export async function openStore(
  footing: Footing,
  { onError = () => {}, check = false, hooks = [] }: StoreOptions = {},
): Promise<Store> {
  const connection = connect(
    footing,
    onError,
    footing.kind === 'postgres' ? (footing.answerWithinMs ?? answerWithinMs) : undefined,
  )
  const { db } = connection
  if (check) {
    try {
      await asking('checking the schema', () => checkSchema(db))
    } catch (error) {
      await connection[Symbol.asyncDispose]()
      throw error
    }
  }
  return {
    now: () =>
      asking('reading the clock', async () => {
        const row = await oneRow(db, sql<{ readonly now: number }>`select ${nowMs} as now`)
        return row.now
      }),
    keep: (tenant, events) => keep(db, tenant, events),
    nextInbound: (conversation, owner, leaseMs) => nextInbound(db, conversation, owner, leaseMs),
    situation: (query) => situation(db, query),
    proposal: (id) => proposal(db, id),
    beside: (conversation, requester, action, fingerprint) => beside(db, conversation, requester, action, fingerprint),
    commit: (change) => commit(db, change, hooks),
    commitThenNext: (change, conversation, leaseMs) => commitThenNext(db, change, hooks, conversation, leaseMs),
    nextHookCall: (leaseMs) => nextHookCall(db, leaseMs),
    endHookCall: (call, how) => endHookCall(db, call, how),
    hookCallsWait: () => hookCallsWait(db),
    turn: (id, pushId) => turn(db, id, pushId),
    nextTurn: (conversation, leaseMs, newId) => nextTurn(db, conversation, leaseMs, newId),
    past: (conversation, turnId, keep) => past(db, conversation, turnId, keep),
    remember: (conversation, summary, untilMs) => remember(db, conversation, summary, untilMs),
    forgetPast: (conversation) => forgetPast(db, conversation),
    extendTurn: (id, fence, leaseMs) => extendTurn(db, id, fence, leaseMs),
    nextOutgoing: (conversation, leaseMs) => nextOutgoing(db, conversation, leaseMs),
    cardsWaiting: (proposalId) => cardsWaiting(db, proposalId),
    parkedOf: (proposalId) => parkedOf(db, proposalId),
    showings: (proposalId) => showings(db, proposalId),
    report: (given) => report(db, given),
    failedOf: (account, messageIds) => failedOf(db, account, messageIds),
    isOurs: (account, messageId) => isOurs(db, account, messageId),
    moveChat: (account, fromChat, toChat) => moveChat(db, account, fromChat, toChat),
    formerChats: (account, chat) => formerChats(db, account, chat),
    due: (limit) => due(db, limit),
    dueDeliveries: (account, limit) => dueDeliveries(db, account, limit),
    dueReminders: (when, limit) => dueReminders(db, when, limit),
    prune: (olderThanDays, limit) => prune(db, olderThanDays, limit),
    backlog: () => backlog(db),
    person: (identity) => person(db, identity),
    seedPeople: (configured, chats) => seedPeople(db, configured, chats),
    roleChats: (role) => roleChats(db, role),
    peopleWith: (role) => peopleWith(db, role),
    people: () => people(db),
    changePeople: (change) => changePeople(db, change),
    peopleChanges: (id) => peopleChanges(db, id),
    askingPast: (query) => askingPast(db, query),
    consentSince: (sinceMs) => consentSince(db, sinceMs),
    grantFor: (scope) => grantFor(db, scope),
    grant: (id) => grant(db, id),
    grants: (filter) => grants(db, filter),
    grantUses: (id) => grantUses(db, id),
    revokeGrant: (id, by) => revokeGrant(db, id, by),
    halts: () => halts(db),
    halt: (stop) => halt(db, stop),
    resume: (scope) => resume(db, scope),
    lease: (name, owner, ttlMs) => lease(db, name, owner, ttlMs),
    releaseLease: (name, owner) => releaseLease(db, name, owner),
    list: (filter) => list(db, filter),
    conversations: (query) => conversations(db, query),
    hasWritten: (conversation, who) => hasWritten(db, conversation, who),
    byCode: (account, code) => byCode(db, account, code),
    history: (proposalId) => history(db, proposalId),
    decisions: (proposalId) => decisions(db, proposalId),
    makeKey: (key) => makeKey(db, key),
    keys: (tenant) => keys(db, tenant),
    keyThatHolds: (id) => keyThatHolds(db, id),
    countRequest: (id, windowMs) => countRequest(db, id, windowMs),
    revokeKey: (tenant, id, by) => revokeKey(db, tenant, id, by),
    claimRequest: (request) => claimRequest(db, request),
    answerRequest: (key, name, answer) => answerRequest(db, key, name, answer),
    events: (query) => events(db, query),
    noteWebhooks: (tenant, targets) => noteWebhooks(db, tenant, targets),
    nextWebhook: (url, ms) => nextWebhook(db, url, ms),
    endWebhook: (delivery, how) => endWebhook(db, delivery, how),
    webhooks: () => webhooks(db),
    replayWebhook: (url, what) => replayWebhook(db, url, what),
    activeVocabularies: () => activeVocabularies(db),
    activate: (drafts, { first = false } = {}) => activate(db, drafts, first),
    vocabularyHistory: (limit) => vocabularyHistory(db, limit),
    keepNearMiss: (miss) => keepNearMiss(db, miss),
    nearMisses: (sinceMs) => nearMisses(db, sinceMs),
    wordDecisions: (sinceMs) => wordDecisions(db, sinceMs),
    forgetNearMisses: (who) => forgetNearMisses(db, who),
    dropNearMisses: (days) => dropNearMisses(db, days),
    isUp: async () => {
      try {
        await sql`select version from dale.laws`.execute(db)
        return true
      } catch (error) {
        onError(error instanceof Error ? error : new Error(String(error)))
        return false
      }
    },
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  }
}
