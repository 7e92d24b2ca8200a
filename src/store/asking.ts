import { sql } from 'kysely'
import type { Person } from '../core/authority.ts'
import { conversationOf } from '../core/conversation.ts'
import type { AskedBefore, AskingPast, AskingQuery } from '../ports/asking.ts'
import { asking, type Database, oneRow } from './database.ts'
import { askedNames } from './routines/contacts.ts'

/** As many earlier calls as tell what is usual. */
const historyLength = 100
/** Longer than any turn: a proposal that comes between the reading and the commit was made after this. */
const racingMs = 24 * 60 * 60_000

interface Stored {
  readonly now: number
  readonly roles: readonly string[]
  readonly formerly: readonly string[]
  readonly times: number
  readonly counted: readonly (Omit<AskedBefore, 'conversation' | 'replacementKey' | 'doneAtMs'> & {
    readonly conversation: string
    readonly replacementKey: string | null
    readonly doneAtMs: number | null
  })[]
  readonly done: readonly string[]
}

/** What a person has asked for before, under every name they had. */
export function askingPast(db: Database, { requester, actions, withinMs, historyOf }: AskingQuery): Promise<AskingPast> {
  return asking('reading what somebody asked for before', async () => {
    const stored = await oneRow(
      db,
      sql<Stored>`
      with who as (select ${sql.raw(askedNames('asker.id'))} as names from (values (${requester}::text)) asker (id))
      select dale.now_ms() as now,
        coalesce((select json_agg(role order by role) from dale.person_role where person = ${requester}), '[]'::json) as roles,
        (select to_json(array_remove(names, ${requester})) from who) as formerly,
        (select count(*)::int from dale.proposal p, who where p.requester = any (who.names) and p.action = any (${[...actions]}::text[])
          and p.created_at >= dale.now_ms() - ${racingMs}::bigint) as times,
        coalesce((select json_agg(json_build_object('id', p.id, 'conversation', p.conversation, 'action', p.action, 'canonicalArgs', p.canonical_args,
            'fingerprint', p.fingerprint, 'replacementKey', p.frozen ->> 'replacementKey', 'waits', p.state in ('draft', 'pending', 'awaiting_second'),
            'doneAtMs', p.ended_at) order by p.id)
          from dale.proposal p, who where p.requester = any (who.names) and p.action = any (${[...actions]}::text[])
            and (p.ended_at is null or (p.state = 'succeeded' and p.ended_at >= dale.now_ms() - ${withinMs}::bigint))), '[]'::json) as counted,
        coalesce((select json_agg(d.args order by d.ended_at desc, d.id desc) from (
          select p.canonical_args as args, p.ended_at, p.id from dale.proposal p, who
          where p.requester = any (who.names) and p.action = ${historyOf ?? null}::text and p.state = 'succeeded'
          order by p.ended_at desc, p.id desc limit ${historyLength}) d), '[]'::json) as done`,
    )
    return pastOf(stored, requester, actions)
  })
}

function pastOf(
  { now, roles, formerly, times, counted, done }: Stored,
  requester: string,
  actions: readonly string[],
): AskingPast {
  const person: Person = { id: requester, roles, formerly }
  return {
    nowMs: now,
    person,
    counted: counted.map(({ conversation, replacementKey, doneAtMs, ...one }) => ({
      ...one,
      conversation: conversationOf(conversation),
      ...(replacementKey === null ? {} : { replacementKey }),
      ...(doneAtMs === null ? {} : { doneAtMs }),
    })),
    done,
    ...(actions.length === 0 ? {} : { until: { requester, actions, sinceMs: now - racingMs, times } }),
  }
}
