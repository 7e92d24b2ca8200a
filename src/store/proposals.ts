import { sql } from 'kysely'
import { type Conversation, conversationKeyOf } from '../core/conversation.ts'
import type { DecisionRecord } from '../core/decision.ts'
import { isUnderWay, isWaiting, type Proposal } from '../core/proposal.ts'
import type { Showing } from '../core/situation.ts'
import type { Beside, HistoryRow, Store } from '../ports/store.ts'
import { asking, type Database, oneRow } from './database.ts'
import { proposalJson, showingJson } from './routines/json.ts'
import { proposalOf, type StoredProposal, type StoredShowing, showingOf } from './rows.ts'

const stored = sql<StoredProposal>`${sql.raw(proposalJson('p'))}`.as('stored')

/** One proposal and the database's clock at that read. */
export function proposal(
  db: Database,
  id: string,
): Promise<{ readonly proposal: Proposal; readonly nowMs: number; readonly halted: boolean } | undefined> {
  return asking(`reading proposal ${id}`, async () => {
    const row = await db
      .selectFrom('dale.proposal as p')
      .where('p.id', '=', id)
      .select([stored, sql<number>`dale.now_ms()`.as('nowMs'), sql<boolean>`dale.is_halted(p.action, p.account)`.as('halted')])
      .executeTakeFirst()
    return row === undefined ? undefined : { proposal: proposalOf(row.stored), nowMs: row.nowMs, halted: row.halted }
  })
}

/** What matters to a new proposal of this requester in this conversation. */
export function beside(
  db: Database,
  conversation: Conversation,
  requester: string | undefined,
  action: string,
  fingerprint: string,
): Promise<Beside> {
  return asking('reading open proposals', async () => {
    const { nowMs, open } = await oneRow(
      db,
      sql<{ readonly nowMs: number; readonly open: readonly StoredProposal[] }>`
      select dale.now_ms() as "nowMs", coalesce((select json_agg(${sql.raw(proposalJson('p'))} order by p.id) from dale.proposal p
        where p.conversation = ${conversationKeyOf(conversation)} and p.ended_at is null and p.requester ${requester === undefined ? sql`is null` : sql`= any (dale.names_of(${requester}))`}), '[]'::json) as open`,
    )
    const proposals = open.map(proposalOf)
    const same = proposals.find((one) => one.fingerprint === fingerprint)
    return {
      nowMs,
      waiting: proposals.filter(isWaiting),
      siblings: proposals.filter((one) => one.action === action).filter(isUnderWay),
      ...(same === undefined ? {} : { same }),
    }
  })
}

/** Every accepted showing of a proposal, on every surface, oldest first. */
export function showings(db: Database, proposalId: string): Promise<readonly Showing[]> {
  return asking(`reading the showings of ${proposalId}`, async () => {
    const rows = await db
      .selectFrom('dale.showing as s')
      .where('s.proposal', '=', proposalId)
      .orderBy('s.id')
      .select(sql<StoredShowing>`${sql.raw(showingJson('s'))}`.as('stored'))
      .execute()
    return rows.map(({ stored }) => showingOf(stored))
  })
}

/** Proposals, newest first. `before` is the id where the page before this one ended. */
export function list(
  db: Database,
  { states, tenant, action, conversation, limit, before }: Parameters<Store['list']>[0],
): Promise<readonly Proposal[]> {
  if (states?.length === 0) return Promise.resolve([])
  return asking('listing proposals', async () => {
    const rows = await db
      .selectFrom('dale.proposal as p')
      .$if(states !== undefined, (query) => query.where('p.state', 'in', states ?? []))
      .$if(tenant !== undefined, (query) => query.where(sql`p.frozen ->> 'tenant'`, '=', tenant ?? ''))
      .$if(action !== undefined, (query) => query.where('p.action', '=', action ?? ''))
      .$if(conversation !== undefined, (query) =>
        query.where('p.conversation', '=', conversation === undefined ? '' : conversationKeyOf(conversation)),
      )
      .$if(before !== undefined, (query) => query.where('p.id', '<', before ?? ''))
      .orderBy('p.id', 'desc')
      .limit(limit)
      .select(stored)
      .execute()
    return rows.map(({ stored }) => proposalOf(stored))
  })
}

const byCodeAtMost = 20

/** The proposals that carry a code, open ones first, then the newest. */
export function byCode(db: Database, account: string | undefined, code: string): Promise<readonly Proposal[]> {
  return asking('reading proposals by their code', async () => {
    const rows = await db
      .selectFrom('dale.proposal as p')
      .where('p.code', '=', code)
      .$if(account !== undefined, (query) => query.where('p.account', '=', account ?? ''))
      .orderBy(sql`p.ended_at is null`, 'desc')
      .orderBy('p.id', 'desc')
      .limit(byCodeAtMost)
      .select(stored)
      .execute()
    return rows.map(({ stored }) => proposalOf(stored))
  })
}

/** Everything that happened to a proposal, oldest first. */
export function history(db: Database, proposalId: string): Promise<readonly HistoryRow[]> {
  return asking(`reading the history of ${proposalId}`, async () => {
    const rows = await db
      .selectFrom('dale.history')
      .where('proposal', '=', proposalId)
      .orderBy('id')
      .select([
        'proposal',
        'revision',
        'event',
        'from_state',
        'to_state',
        'made_by',
        'at',
        sql<HistoryRow['note'] | null>`note`.as('note'),
      ])
      .execute()
    return rows.map((row) => ({
      proposalId: row.proposal,
      revision: row.revision,
      event: row.event,
      ...(row.from_state === null ? {} : { from: row.from_state }),
      to: row.to_state,
      by: row.made_by,
      atMs: row.at,
      ...(row.note === null || row.note === undefined ? {} : { note: row.note }),
    }))
  })
}

/** Every decision on a proposal, oldest first. */
export function decisions(db: Database, proposalId: string): Promise<readonly DecisionRecord[]> {
  return asking(`reading the decisions on ${proposalId}`, async () => {
    const rows = await db
      .selectFrom('dale.decision')
      .where('proposal', '=', proposalId)
      .orderBy('id')
      .select(sql<DecisionRecord>`record`.as('record'))
      .execute()
    return rows.map(({ record }) => record)
  })
}
