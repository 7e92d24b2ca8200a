import { sql } from 'kysely'
import { toldMoves } from '../core/proposal-event.ts'
import type { MovedRow, Told, WebhookDelivery, WebhookState, WebhookStore, WebhookTarget } from '../ports/webhooks.ts'
import { asking, type Database, nowMs } from './database.ts'
import { proposalJson } from './routines/json.ts'
import { proposalOf, type StoredProposal } from './rows.ts'

/** Longer than any statement runs: what is older than this has its place in the history, and no smaller id comes after it. */
const settlingMs = 120_000

const told = sql.raw(
  `(values ${toldMoves.map(({ from, to, type }) => `(${from === undefined ? 'null::text' : `'${from}'`}, '${to}', '${type}')`).join(', ')}) t (was, is_now, type)`,
)
const isMove = sql.raw('h.moved and t.was is not distinct from h.from_state and t.is_now = h.to_state')
const movedColumns = sql.raw(
  `h.id, t.type, h.revision, h.event, h.from_state as "from", h.to_state as "to", h.made_by as "by", h.at, ${proposalJson('p')} as proposal`,
)

interface Stored {
  readonly id: number
  readonly type: MovedRow['type']
  readonly revision: number
  readonly event: string
  readonly from: MovedRow['row']['from'] | null
  readonly to: MovedRow['row']['to']
  readonly by: string
  readonly at: number
  readonly proposal: StoredProposal
}

function movedOf({ id, type, revision, event, from, to, by, at, proposal: stored }: Stored): MovedRow {
  const proposal = proposalOf(stored)
  const row = {
    proposalId: proposal.id,
    revision,
    event,
    ...(from === null || from === undefined ? {} : { from }),
    to,
    by,
    atMs: at,
  }
  return { id, type, row, proposal }
}

/** Longer than the server lets a statement of ours run (`answerWithinMs`). */
const lateMs = 15_000

/**
 * What happened to a tenant's proposals after an event, the oldest first. While anybody is writing, what is younger than any statement may
 * run is left out: a smaller id could still come, and a reader that has passed it would never see it.
 */
export const events = (
  db: Database,
  { tenant, after, limit }: Parameters<WebhookStore['events']>[0],
): Promise<readonly MovedRow[]> =>
  asking('reading events', async () => {
    const { rows } = await sql<Stored>`
      select ${movedColumns} from dale.history h join ${told} on ${isMove} join dale.proposal p on p.id = h.proposal
      where h.id > ${after} and p.frozen ->> 'tenant' = ${tenant}
        and (h.at < ${nowMs} - ${lateMs}::bigint or pg_snapshot_xmin(pg_current_snapshot()) = pg_snapshot_xmax(pg_current_snapshot()))
      order by h.id limit ${limit}`.execute(db)
    return rows.map(movedOf)
  })

/**
 * Writes down what is to be told. Ids are given before a transaction ends, so a smaller one may appear after a larger one: the last two
 * minutes are looked through each time, and only what is older is passed over.
 */
export const noteWebhooks = (db: Database, tenant: string, targets: readonly WebhookTarget[]): Promise<void> =>
  asking('noting what is to be told', async () => {
    const given = sql`json_to_recordset(${JSON.stringify(targets)}::json) as x (url text, events json)`
    await sql`
      insert into dale.webhook (url, since, seen) select x.url, ${nowMs}, coalesce((select max(id) from dale.history), 0) from ${given}
      where not exists (select from dale.webhook w where w.url = x.url) on conflict do nothing`.execute(db)
    await sql`
      insert into dale.webhook_delivery (history, url, proposal, type, written_at)
      select h.id, w.url, h.proposal, t.type, ${nowMs} from ${given} join dale.webhook w on w.url = x.url and w.disabled_at is null
      join dale.history h on h.id > w.seen join ${told} on ${isMove} join dale.proposal p on p.id = h.proposal
      where p.frozen ->> 'tenant' = ${tenant} and (x.events is null or t.type in (select json_array_elements_text(x.events)))
        and not exists (select from dale.webhook_delivery d where d.history = h.id and d.url = w.url)
      order by h.id on conflict do nothing`.execute(db)
    await sql`
      update dale.webhook w set seen = past.id from (
        select w.url, max(h.id) as id from dale.webhook w join dale.history h on h.id > w.seen and h.at < ${nowMs} - ${settlingMs}::bigint
        where w.disabled_at is null group by w.url) past
      where past.url = w.url and past.id > w.seen and exists (select from ${given} where x.url = w.url)`.execute(db)
  })

/** Takes the next telling that is due at an address. */
export const nextWebhook = (db: Database, url: string, leaseMs: number): Promise<WebhookDelivery | undefined> =>
  asking('taking what is to be told', async () => {
    const { rows } = await sql<Stored & Pick<WebhookDelivery, 'attempts' | 'fence'>>`
      with next as (
        select d.history from dale.webhook_delivery d join dale.webhook w on w.url = d.url and w.disabled_at is null
        where d.url = ${url} and d.done_at is null and d.not_before <= ${nowMs} and coalesce(d.taken_until, 0) <= ${nowMs}
          and not exists (select from dale.webhook_delivery e where e.url = d.url and e.proposal = d.proposal and e.history < d.history and e.done_at is null)
        order by d.history limit 1 for update of d skip locked),
      taken as (
        update dale.webhook_delivery d set taken_until = ${nowMs} + ${leaseMs}::bigint, fence = d.fence + 1, attempts = d.attempts + 1
        from next where d.history = next.history and d.url = ${url} returning d.history, d.attempts - 1 as attempts, d.fence)
      select ${movedColumns}, taken.attempts, taken.fence from taken join dale.history h on h.id = taken.history
      join ${told} on ${isMove} join dale.proposal p on p.id = h.proposal`.execute(db)
    const [row] = rows
    return row === undefined ? undefined : { ...movedOf(row), url, attempts: row.attempts, fence: row.fence }
  })

/** Ends a telling, or lets it be tried again. */
export const endWebhook = (db: Database, { id, url, fence }: WebhookDelivery, how: Told): Promise<void> =>
  asking('ending a telling', async () => {
    await sql`
      update dale.webhook_delivery set taken_until = null, status = ${how.status ?? null}::int, given_up = ${how.kind === 'given_up'},
        done_at = case when ${how.kind === 'told' || how.kind === 'given_up'} then ${nowMs} end,
        not_before = ${nowMs} + ${how.kind === 'again' ? how.inMs : 0}::bigint
      where history = ${id} and url = ${url} and fence = ${fence} and done_at is null`.execute(db)
    if (how.kind === 'gone')
      await sql`update dale.webhook set disabled_at = coalesce(disabled_at, ${nowMs}) where url = ${url}`.execute(db)
  })

/** How each address stands. */
export const webhooks = (db: Database): Promise<readonly WebhookState[]> =>
  asking('listing webhooks', async () => {
    const { rows } = await sql<Omit<WebhookState, 'disabledAtMs'> & { readonly disabledAt: number | null }>`
      select w.url, w.since as "sinceMs", w.disabled_at as "disabledAt",
        (select count(*)::int from dale.webhook_delivery d where d.url = w.url and d.done_at is null) as waiting,
        (select count(*)::int from dale.webhook_delivery d where d.url = w.url and d.given_up) as "givenUp"
      from dale.webhook w order by w.url`.execute(db)
    return rows.map(({ disabledAt, ...state }) => ({ ...state, ...(disabledAt === null ? {} : { disabledAtMs: disabledAt }) }))
  })

/** Tells again what was over, under the same ids. */
export const replayWebhook = (
  db: Database,
  url: string,
  { givenUpOnly, sinceMs }: Parameters<WebhookStore['replayWebhook']>[1],
): Promise<number | undefined> =>
  asking('telling again', () =>
    db.transaction().execute(async (tx) => {
      const { rows: there } = await sql`update dale.webhook set disabled_at = null where url = ${url} returning url`.execute(tx)
      if (there.length === 0) return undefined
      const { rows } = await sql`
        update dale.webhook_delivery set done_at = null, given_up = false, attempts = 0, not_before = 0, taken_until = null
        where url = ${url} and written_at >= ${sinceMs} and (given_up or (${!givenUpOnly} and done_at is not null)) returning history`.execute(
        tx,
      )
      return rows.length
    }),
  )
