import { type RawBuilder, sql } from 'kysely'
import { conversationKeyOf } from '../core/conversation.ts'
import type { Moment } from '../core/moment.ts'
import { secondOf } from '../core/moment.ts'
import type { Naming, Said, Shown, Situation, Store } from '../ports/store.ts'
import { asking, type Database } from './database.ts'
import { momentOf, proposalJson, proposalOf, showingJson, showingOf, type StoredProposal, type StoredShowing } from './rows.ts'

interface StoredShown {
  readonly proposal: StoredProposal
  readonly showings: readonly StoredShowing[]
}

interface StoredSaid {
  readonly kind: string
  readonly text: string | null
  readonly proposal: string | null
  readonly cardRevision: number | null
  readonly begunAt: number
  readonly momentAt: number | null
  readonly momentOrder: number | null
}

interface Read {
  readonly now: number
  readonly person: string
  readonly roles: readonly string[]
  readonly operators: boolean
  readonly open: readonly StoredShown[]
  readonly named: StoredShown | null
  readonly said: readonly StoredSaid[]
  readonly spoke: { readonly momentAt: number; readonly momentOrder: number | null; readonly receivedAt: number } | null
  readonly last: { readonly proposal: StoredProposal; readonly at: number; readonly quiet: boolean } | null
  readonly tallies: readonly { readonly proposal: string; readonly what: string; readonly times: number }[]
}

const saidAtMost = 50

/** Reads everything that judging one event needs: one statement, one moment of the database's clock. */
export function situation(db: Database, query: Parameters<Store['situation']>[0]): Promise<Situation> {
  const key = conversationKeyOf(query.conversation)
  const shown = (where: RawBuilder<unknown>): RawBuilder<StoredShown> => sql`
    select json_build_object('proposal', ${proposalJson('p')}, 'showings',
      coalesce((select json_agg(${showingJson('s')} order by s.id) from dale.showing s where s.proposal = p.id and s.conversation = q.key), '[]'::json)) as shown, p.id, p.code
    from dale.proposal p where ${where}`
  return asking('reading a situation', async () => {
    const { rows } = await sql<{ readonly read: Read }>`
      with q as (select ${key}::text as key, dale.now_ms() as now, coalesce((select person from dale.identity where identity = ${query.identity}), ${query.identity}) as person),
      candidates as (
        select p.id from q, dale.proposal p where p.conversation = ${key} and p.ended_at is null and p.state in ('pending', 'awaiting_second')
          and exists (select from dale.showing s where s.proposal = p.id and s.conversation = ${key})
        union
        select s.proposal from dale.showing s where s.conversation = ${key} and s.waits
      ),
      said as (
        (select o.kind, o.said_text as text, o.proposal, o.card_revision, o.begun_at, o.moment_at, o.moment_order, o.id
          from dale.outbox o where o.conversation = ${key} and o.said and o.begun_at is not null and o.outcome is distinct from 'refused'
          order by o.begun_at desc, o.id desc limit ${saidAtMost})
        union all
        (select 'outside', null, null, null, i.received_at, i.moment_at, i.moment_order, i.id
          from dale.inbox i where i.conversation = ${key} and i.kind = 'said' order by i.received_at desc, i.id desc limit ${saidAtMost})
        order by begun_at desc, id desc limit ${saidAtMost}
      ),
      last as (select p.* from dale.proposal p where p.conversation = ${key} and p.closed_at is not null order by p.closed_at desc, p.id desc limit 1)
      select json_build_object(
        'now', q.now,
        'person', q.person,
        'roles', coalesce((select json_agg(role order by role) from dale.person_role where person = q.person), '[]'::json),
        'operators', exists (select from dale.role_chat where conversation = q.key),
        'open', coalesce((select json_agg(shown order by id) from (${shown(sql`p.id in (select id from candidates) and p.state in ('pending', 'awaiting_second')`)}) open), '[]'::json),
        'named', (select shown from (${shown(namedBy(query.naming, query.conversation.account))}) named limit 1),
        'said', coalesce((select json_agg(json_build_object('kind', kind, 'text', text, 'proposal', proposal, 'cardRevision', card_revision,
          'begunAt', begun_at, 'momentAt', moment_at, 'momentOrder', moment_order) order by begun_at desc, id desc) from said), '[]'::json),
        'spoke', (select json_build_object('momentAt', i.moment_at, 'momentOrder', i.moment_order, 'receivedAt', i.received_at)
          from dale.inbox i where i.conversation = q.key and i.to_agent and i.person = q.person and i.id <> ${query.inboxId} and ${notAfter(query.before)}
          order by i.moment_at desc, i.moment_order desc nulls last, i.id desc limit 1),
        'last', (select json_build_object('proposal', ${proposalJson('last')}, 'at', last.closed_at, 'quiet',
            not exists (select from said where said.begun_at >= last.closed_at)
            and not exists (select from dale.inbox i where i.conversation = q.key and i.to_agent and i.received_at >= last.closed_at and i.id <> ${query.inboxId}))
          from last),
        'tallies', coalesce((select json_agg(json_build_object('proposal', t.proposal, 'what', t.what, 'times', t.times)) from dale.tally t where t.proposal in (select id from candidates)), '[]'::json)
      ) as read from q`.execute(db)
    return situationOf(rows[0]!.read)
  })
}

/** A code names the open proposal that carries it, else the latest that did. */
function namedBy(naming: Naming | undefined, account: string): RawBuilder<unknown> {
  switch (naming?.by) {
    case undefined:
      return sql`false`
    case 'proposal':
      return sql`p.id = ${naming.id}`
    case 'code':
      return sql`p.id = (select c.id from dale.proposal c where c.account = ${account} and c.code = ${naming.code} order by (c.ended_at is null) desc, c.id desc limit 1)`
    case 'message':
      return sql`p.id = (select m.proposal from dale.sent_message m where m.account = ${account} and m.message_id = ${naming.messageId} and m.conversation = q.key)`
  }
}

/** The same order as `isAfter` in core/moment.ts: by number where both have one, else by whole seconds. */
const notAfter = (before: Moment): RawBuilder<boolean> =>
  before.order === undefined
    ? sql`i.moment_at / 1000 <= ${secondOf(before)}`
    : sql`case when i.moment_order is null then i.moment_at / 1000 <= ${secondOf(before)} else i.moment_order <= ${before.order} end`

const shownOf = ({ proposal, showings }: StoredShown): Shown => ({ proposal: proposalOf(proposal), showings: showings.map(showingOf) })

function saidOf({ kind, text, proposal, cardRevision, begunAt, momentAt, momentOrder }: StoredSaid): Said {
  const moment = momentOf(momentAt, momentOrder)
  return { what: whatOf(kind, text, proposal, cardRevision), begunAtMs: begunAt, ...(moment === undefined ? {} : { moment }) }
}

function whatOf(kind: string, text: string | null, proposal: string | null, cardRevision: number | null): Said['what'] {
  switch (kind) {
    case 'card':
      // A card without a proposal has nothing to decide: it is read like any text.
      return proposal === null || cardRevision === null ? { kind: 'text', text: '' } : { kind: 'card', proposalId: proposal, cardRevision }
    case 'question':
    case 'list':
    case 'outside':
      return { kind }
    default:
      return { kind: 'text', text: text ?? '' }
  }
}

function situationOf(read: Read): Situation {
  const spoke = read.spoke === null ? undefined : momentOf(read.spoke.momentAt, read.spoke.momentOrder)
  return {
    nowMs: read.now,
    person: { id: read.person, roles: read.roles },
    operators: read.operators,
    open: read.open.map(shownOf),
    ...(read.named === null ? {} : { named: shownOf(read.named) }),
    said: read.said.map(saidOf),
    ...(read.spoke === null || spoke === undefined ? {} : { spoke: { moment: spoke, receivedAtMs: read.spoke.receivedAt } }),
    ...(read.last === null ? {} : { lastEnded: { proposal: proposalOf(read.last.proposal), atMs: read.last.at, quietSince: read.last.quiet } }),
    shownAgain: Object.fromEntries(read.tallies.filter(({ what }) => what === 'shown_again').map(({ proposal, times }) => [proposal, times])),
    hinted: read.tallies.filter(({ what }) => what === 'hinted').map(({ proposal }) => proposal),
  }
}
