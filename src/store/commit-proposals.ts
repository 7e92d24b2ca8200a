import { type RawBuilder, sql } from 'kysely'
import { conversationKeyOf } from '../core/conversation.ts'
import { isDecidable, isSettled, type Proposal } from '../core/proposal.ts'
import type { Move } from '../ports/store.ts'
import { maybe, type Part } from './commit-part.ts'
import { nowMs } from './database.ts'
import { frozenOf, stateColumnsOf } from './rows.ts'

/** A code of an ended proposal is not given again for this long: people still type it. */
export const codeRestMs = 7 * 24 * 60 * 60_000

const waitsForPeople = (proposal: Proposal): boolean => proposal.state.name === 'draft' || isDecidable(proposal)

/** The compare-and-set of one move; it returns a row if the proposal was as `before` says and the clock agreed. */
export function moveOf({ before, after, beforeMs, notBeforeMs }: Move): RawBuilder<unknown> {
  const columns = stateColumnsOf(after)
  const closes = isSettled(after.state) || (after.state.name === 'approved' && isDecidable(before))
  return sql`
    update dale.proposal set state = ${after.state.name}, state_body = ${JSON.stringify(after.state)}::json, revision = ${after.revision}, card_revision = ${after.cardRevision},
      fence = ${maybe(columns.fence, 'int')}, sent = ${columns.sent}, lease_until = ${maybe(columns.leaseUntil, 'bigint')}, expires_at = ${maybe(columns.expiresAt, 'bigint')},
      execute_by = ${maybe(columns.executeBy, 'bigint')}, ready_at = ${maybe(columns.readyAt, 'bigint')},
      moved_at = ${nowMs}, closed_at = ${closes ? nowMs : sql`closed_at`}, ended_at = ${columns.ended ? nowMs : sql`null`}
    where id = ${before.id} and state = ${before.state.name} and revision = ${before.revision}
      ${beforeMs === undefined ? sql`` : sql`and ${nowMs} < ${beforeMs}`} ${notBeforeMs === undefined ? sql`` : sql`and ${nowMs} >= ${notBeforeMs}`}
    returning id`
}

/** What a move leaves behind: history, the decision, the attempt, and showings elsewhere that no longer wait. */
export function recordParts({ before, after, event, by, decision, note }: Move): readonly Part[] {
  const { id, revision } = after
  const parts: Part[] = [
    {
      name: `history of ${id}`,
      body: sql`insert into dale.history (proposal, revision, event, from_state, to_state, made_by, at, note, moved)
        select ${id}, ${revision}::int, ${event}, ${before.state.name}, ${after.state.name}, ${by}, ${nowMs}, ${maybe(note && JSON.stringify(note), 'json')}, true from won`,
    },
  ]
  if (decision !== undefined)
    parts.push({
      name: `decision on ${id}`,
      body: sql`insert into dale.decision (proposal, revision, person, verdict, final, at, record)
        select ${id}, ${revision}::int, ${decision.person}, ${decision.verdict}, ${isDecidable(before) && !isDecidable(after)}::boolean, ${nowMs}, ${JSON.stringify(decision)}::json from won`,
    })
  if (after.state.name === 'executing' && !(before.state.name === 'executing' && before.state.fence === after.state.fence))
    parts.push({ name: `attempt at ${id}`, body: sql`insert into dale.attempt (proposal, fence, at) select ${id}, ${after.state.fence}::int, ${nowMs} from won` })
  if (waitsForPeople(before) && !waitsForPeople(after))
    parts.push({ name: `showings of ${id}`, body: sql`update dale.showing set waits = false from won where proposal = ${id} and waits` })
  return parts
}

/** Stores a new proposal, unless its code is in use or resting. A code that another is just taking meets the unique index. */
export function createParts(proposal: Proposal): readonly Part[] {
  const { id, code, conversation, state } = proposal
  const columns = stateColumnsOf(proposal)
  return [
    {
      name: `proposal ${id}`,
      lost: 'code',
      body: sql`insert into dale.proposal (id, code, account, conversation, requester, action, canonical_args, fingerprint, frozen, created_at, state, state_body, revision, card_revision, expires_at, moved_at)
        select ${id}, ${code}, ${conversation.account}, ${conversationKeyOf(conversation)}, ${maybe(proposal.requester, 'text')}, ${proposal.action}, ${proposal.canonicalArgs}, ${proposal.fingerprint},
          ${JSON.stringify(frozenOf(proposal))}::json, ${proposal.createdAtMs}::bigint, ${state.name}, ${JSON.stringify(state)}::json, ${proposal.revision}::int, ${proposal.cardRevision}::int, ${maybe(columns.expiresAt, 'bigint')}, ${nowMs}
        from won where not exists (
          select from dale.proposal c where c.account = ${conversation.account} and c.code = ${code} and (c.ended_at is null or c.ended_at > ${nowMs} - ${codeRestMs}::bigint))
        returning id`,
    },
    {
      name: `beginning of ${id}`,
      body: sql`insert into dale.history (proposal, revision, event, from_state, to_state, made_by, at, moved)
        select ${id}, ${proposal.revision}::int, 'propose', null, ${state.name}, ${proposal.requester ?? 'api'}, ${nowMs}, true from won`,
    },
  ]
}
