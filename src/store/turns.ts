import { sql } from 'kysely'
import { type Conversation, conversationKeyOf, conversationOf } from '../core/conversation.ts'
import type { InboundMessage } from '../core/inbound.ts'
import type { TurnRow } from '../ports/store.ts'
import { asking, type Database, nowMs, sqlStateOf } from './database.ts'
import { changeLost } from './laws.ts'
import { proposalJson, proposalOf, type StoredProposal } from './rows.ts'

interface StoredTurn {
  readonly id: string
  readonly fence: number
  readonly attempts: number
  readonly conversation: string
  readonly person: string
  readonly since: number
}

interface StoredContext {
  readonly now: number
  readonly messages: readonly { readonly event: InboundMessage; readonly receivedAt: number }[]
  readonly proposals: readonly StoredProposal[]
}

const proposalsAtMost = 50

/** Takes the conversation's turn: an unfinished one whose lease is over, else the waiting messages of the next person, joined. */
export async function nextTurn(db: Database, conversation: Conversation, leaseMs: number, newId: string): Promise<TurnRow | undefined> {
  const turn = await asking('taking the next turn', () => takeTurn(db, conversationKeyOf(conversation), leaseMs, newId))
  if (turn === undefined) return undefined
  const { now, messages, proposals } = await asking(`reading turn ${turn.id}`, () => contextOf(db, turn))
  const here = conversationOf(turn.conversation)
  return {
    id: turn.id,
    fence: turn.fence,
    attempts: turn.attempts,
    conversation: here,
    person: turn.person,
    messages: messages.map(({ event, receivedAt }) => ({ message: { ...event, conversation: here }, receivedAtMs: receivedAt })),
    proposals: proposals.map(proposalOf),
    sinceMs: turn.since,
    nowMs: now,
  }
}

async function takeTurn(db: Database, key: string, leaseMs: number, newId: string): Promise<StoredTurn | undefined> {
  try {
    // The unique index on open turns lets one of two takers through; a taker that looked before the other's turn ended finds its
    // messages answered, and gives its empty turn back.
    const { rows } = await sql<StoredTurn>`
      with resumed as (
        update dale.turn set fence = fence + 1, attempts = attempts + 1, taken_until = ${nowMs} + ${leaseMs}::bigint
        where conversation = ${key} and ended_at is null and taken_until <= ${nowMs} returning *
      ),
      waiting as (select id, person, received_at from dale.inbox where conversation = ${key} and to_agent and turn is null),
      first as (select person from waiting order by id limit 1),
      joined as (
        select w.id, w.received_at from waiting w, first
        where w.person = first.person and w.id < coalesce((select min(id) from waiting, first f where waiting.person <> f.person), 9223372036854775807)
      ),
      made as (
        insert into dale.turn (id, conversation, person, fence, attempts, taken_until, began_at, since)
        select ${newId}, ${key}, first.person, 1, 0, ${nowMs} + ${leaseMs}::bigint, ${nowMs}, (select min(received_at) from joined)
        from first where not exists (select from dale.turn where conversation = ${key} and ended_at is null)
        on conflict (conversation) where ended_at is null do nothing returning *
      ),
      joining as (update dale.inbox i set turn = made.id from made, joined where i.id = joined.id and i.turn is null returning i.id)
      select t.id, t.fence, t.attempts, t.conversation, t.person, t.since,
        case when exists (select from made) and not exists (select from joining) then dale.lost('turn') end as lost
      from (select * from resumed union all select * from made) t`.execute(db)
    return rows[0]
  } catch (error) {
    if (sqlStateOf(error) === changeLost) return undefined
    throw error
  }
}

async function contextOf(db: Database, turn: StoredTurn): Promise<StoredContext> {
  const { rows } = await sql<StoredContext>`
    with previous as (select coalesce(max(began_at), 0) as began_at from dale.turn where conversation = ${turn.conversation} and id <> ${turn.id}),
    moved as (
      (select p.* from dale.proposal p where p.conversation = ${turn.conversation} and p.ended_at is null order by p.id desc limit ${proposalsAtMost})
      union all
      (select p.* from dale.proposal p, previous where p.conversation = ${turn.conversation} and p.ended_at is not null and p.closed_at >= previous.began_at
        order by p.closed_at desc limit ${proposalsAtMost})
    )
    select dale.now_ms() as now,
      coalesce((select json_agg(json_build_object('event', event, 'receivedAt', received_at) order by id) from dale.inbox where turn = ${turn.id}), '[]'::json) as messages,
      coalesce((select json_agg(${proposalJson('moved')} order by moved.id) from moved), '[]'::json) as proposals`.execute(db)
  return rows[0]!
}

/** Keeps a turn while it runs; false when its fence was lost. */
export function extendTurn(db: Database, id: string, fence: number, leaseMs: number): Promise<boolean> {
  return asking(`extending turn ${id}`, async () => {
    const { rows } = await sql`
      update dale.turn set taken_until = ${nowMs} + ${leaseMs}::bigint where id = ${id} and fence = ${fence} and ended_at is null returning id`.execute(db)
    return rows.length > 0
  })
}
