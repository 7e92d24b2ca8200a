import { sql } from 'kysely'
import { type Conversation, conversationKeyOf, isNowhere } from '../core/conversation.ts'
import { BrokenInvariantError } from '../core/errors.ts'
import { isSaid } from '../core/outgoing.ts'
import { isDecidable, isSettled, isWaiting, type Proposal } from '../core/proposal.ts'
import type { Showing } from '../core/situation.ts'
import { startsTurn } from '../core/starts-turn.ts'
import type { HookedEvent } from '../ports/hooks.ts'
import type { Change, Committed, Delivery, Move, OutboxDraft, OutboxRow } from '../ports/store.ts'
import { asking, type Database } from './database.ts'
import { outboxRowOf, type StoredOutgoing } from './outbox.ts'
import { aliasRows } from './people.ts'
import { readableJson } from './readable-json.ts'
import { frozenOf, stateColumnsOf, whole } from './rows.ts'
import { changeLost, constraintOf, sqlStateOf } from './sql-state.ts'

type Lost = Extract<Committed, { kind: 'lost' }>['what']

/** Writes everything of a change or nothing, in one statement; what it does is in routines/commit.ts. */
export function commit(db: Database, change: Change, hooks: readonly HookedEvent[]): Promise<Committed> {
  const written = JSON.stringify(writtenOf(change, hooks))
  return committing(change, async () => {
    const { rows } = await sql<{ readonly lost: Lost | null }>`select dale.commit(${written}::json) as lost`.execute(db)
    return committedOf(rows[0]?.lost)
  })
}

/** The same, and the next message to send of a conversation with it. */
export async function commitThenNext(
  db: Database,
  change: Change,
  hooks: readonly HookedEvent[],
  conversation: Conversation,
  leaseMs: number,
): Promise<{ readonly committed: Committed; readonly next?: OutboxRow }> {
  const written = JSON.stringify(writtenOf(change, hooks))
  let next: OutboxRow | undefined
  const committed = await committing(change, async () => {
    const { rows } = await sql<{ readonly done: { readonly lost?: Lost; readonly taken?: StoredOutgoing | null } }>`
      select dale.commit_then_next(${written}::json, ${conversationKeyOf(conversation)}, ${leaseMs}) as done`.execute(db)
    const { lost, taken } = rows[0]?.done ?? {}
    if (taken) next = outboxRowOf(taken)
    return committedOf(lost)
  })
  return { committed, ...(next === undefined ? {} : { next }) }
}

const committedOf = (lost: Lost | null | undefined): Committed => (lost ? { kind: 'lost', what: lost } : { kind: 'committed' })

function committing(change: Change, work: () => Promise<Committed>): Promise<Committed> {
  return asking(`committing ${namesIn(change)}`, async () => {
    try {
      return await work()
    } catch (error) {
      if (sqlStateOf(error) === changeLost && error instanceof Error) return { kind: 'lost', what: error.message as Lost }
      if (constraintOf(error) === 'proposal_code_open') return { kind: 'lost', what: 'code' }
      throw error
    }
  })
}

/** A change as routines/commit.ts reads it. */
function writtenOf(change: Change, hooks: readonly HookedEvent[]): object {
  const moves = (change.moves ?? []).toSorted((a, b) => (a.before.id < b.before.id ? -1 : 1))
  if (new Set(moves.map(({ before }) => before.id)).size !== moves.length)
    throw new BrokenInvariantError('A change moves one proposal twice')
  return {
    moves: moves.map(moveRow),
    create: change.create?.map(proposalRow),
    askedUntil: change.askedUntil,
    openUntil: change.openUntil && {
      conversation: conversationKeyOf(change.openUntil.conversation),
      requester: change.openUntil.requester,
      waiting: change.openUntil.waiting,
    },
    say: change.say?.filter(({ conversation }) => !isNowhere(conversation)).map(messageRow),
    handled: change.handled && {
      id: change.handled.inboxId,
      road: change.handled.road,
      toAgent: change.handled.toAgent,
      madeBy: change.handled.by,
    },
    endGrants: change.endGrants && {
      conversation: conversationKeyOf(change.endGrants.conversation),
      person: change.endGrants.person,
      action: change.endGrants.action,
      madeBy: change.endGrants.by,
    },
    escalate: change.escalate,
    hooks: hookRows(change, hooks),
    counts: change.counts,
    answered: change.answered,
    turn: change.turn,
    push: change.push,
    delivered: change.delivered && {
      id: change.delivered.id,
      fence: change.delivered.fence,
      ...deliveryRow(change.delivered.delivery),
    },
    showing: change.showing && showingRow(change.showing),
    note: change.note && {
      proposalId: change.note.proposalId,
      event: change.note.event,
      madeBy: change.note.by,
      about: readableJson(change.note.about),
    },
  }
}

/** What hooks are told of this change. */
const hookRows = ({ create = [], moves = [] }: Change, hooks: readonly HookedEvent[]) =>
  [
    ...create.map(({ id }) => ({ proposal: id, event: 'proposed' as const })),
    ...moves.flatMap(({ after }) => (isSettled(after.state) ? [{ proposal: after.id, event: 'settled' as const }] : [])),
  ].filter(({ event }) => hooks.includes(event))

const namesIn = ({ moves = [], create = [], ...rest }: Change): string =>
  [
    ...moves.map(({ event, before }) => `${event} of ${before.id}`),
    ...create.map(({ id }) => `proposal ${id}`),
    ...Object.keys(rest),
  ].join(', ')

function moveRow({ before, after, event, by, decision, beforeMs, notBeforeMs, unlessHalted, under, born, note }: Move) {
  const isAttempt =
    after.state.name === 'executing' && !(before.state.name === 'executing' && before.state.fence === after.state.fence)
  return {
    id: before.id,
    was: before.state.name,
    wasRevision: before.revision,
    state: after.state.name,
    body: readableJson(after.state),
    revision: after.revision,
    cardRevision: after.cardRevision,
    ...stateColumnsOf(after),
    closes: isSettled(after.state) || (after.state.name === 'approved' && isWaiting(before)),
    beforeMs: whole(beforeMs),
    notBeforeMs: whole(notBeforeMs),
    unlessHalted,
    event,
    madeBy: by,
    note: note && readableJson(note),
    decision: decision && readableJson(decision),
    person: decision?.person,
    verdict: decision?.verdict,
    final: isDecision(before, after),
    attempt: isAttempt,
    under,
    times: born?.times,
    lastsMs: whole(born?.lastsMs),
    yes: born && readableJson(born.decision),
    version: born && before.actionVersion,
    weight: born && before.reversibility,
    waitIsOver: isWaiting(before) && !isWaiting(after),
    startsTurn: startsTurn(after),
  }
}

/** Is it this move that settles whether it is done: an answer to a card, or a grant in place of one? */
const isDecision = (before: Proposal, after: Proposal): boolean =>
  isDecidable(before) ? !isDecidable(after) : before.state.name === 'draft' && after.state.name === 'approved'

const proposalRow = (proposal: Proposal) => ({
  id: proposal.id,
  code: proposal.code,
  account: proposal.conversation.account,
  conversation: conversationKeyOf(proposal.conversation),
  requester: proposal.requester,
  action: proposal.action,
  args: proposal.canonicalArgs,
  fingerprint: proposal.fingerprint,
  frozen: readableJson(frozenOf(proposal)),
  note: proposal.origin && readableJson({ origin: proposal.origin }),
  createdAt: whole(proposal.createdAtMs),
  state: proposal.state.name,
  body: readableJson(proposal.state),
  revision: proposal.revision,
  cardRevision: proposal.cardRevision,
  expiresAt: stateColumnsOf(proposal).expiresAt,
  escalateLeft: proposal.escalate && whole(proposal.ttlMs - proposal.escalate.afterMs),
})

const messageRow = ({ conversation, lane, body, proposalId, cardRevision, asks, once, parked }: OutboxDraft, place: number) => ({
  place,
  account: conversation.account,
  conversation: conversationKeyOf(conversation),
  lane,
  kind: body.do === 'update' ? 'update' : body.message.kind,
  said: body.do === 'say' && isSaid(body.message),
  // A text column cannot hold NUL; this copy is only read for its question marks.
  saidText:
    body.do === 'say' && body.message.kind === 'text' ? body.message.text.replaceAll('\0', '\uFFFD').toWellFormed() : undefined,
  body: JSON.stringify(body),
  proposal: proposalId,
  cardRevision,
  askedOf: asks?.person,
  question: asks && readableJson(asks.asks),
  once,
  parked,
})

function deliveryRow(delivery: Delivery) {
  switch (delivery.kind) {
    case 'accepted':
      return {
        kind: delivery.kind,
        messageIds: delivery.messageIds,
        momentAt: whole(delivery.moment?.atMs),
        momentOrder: delivery.moment?.order,
        also: delivery.also && aliasRows(delivery.also),
        followWithin: whole(delivery.followWithinMs),
      }
    case 'refused':
    case 'parked':
      return { kind: delivery.kind, code: delivery.code }
    case 'again':
      return {
        kind: delivery.kind,
        code: delivery.code,
        notBefore: whole(delivery.notBeforeMs),
        mayHaveArrived: delivery.mayHaveArrived,
      }
  }
}

const showingRow = ({ proposalId, cardRevision, conversation, messageIds, acceptedAtMs, moment }: Showing) => ({
  proposal: proposalId,
  cardRevision,
  account: conversation.account,
  conversation: conversationKeyOf(conversation),
  messageIds,
  acceptedAt: whole(acceptedAtMs),
  momentAt: whole(moment?.atMs),
  momentOrder: moment?.order,
})
