import { sql } from 'kysely'
import type { ActionConsent } from '../ports/consent-report.ts'
import { asking, type Database } from './database.ts'

interface Stored extends Omit<ActionConsent, 'medianSeconds' | 'p90Seconds'> {
  readonly medianSeconds: number | null
  readonly p90Seconds: number | null
}

/** How people answered what was proposed since then, action by action. One statement; it goes by `proposal_created`. */
export function consentSince(db: Database, sinceMs: number): Promise<readonly ActionConsent[]> {
  return asking('reading how people answered', async () => {
    const { rows } = await sql<Stored>`
      with made as (
        select p.id, p.action, p.state,
          (select min(s.accepted_at) from dale.showing s where s.proposal = p.id) as shown_at,
          coalesce((select t.times from dale.tally t where t.proposal = p.id and t.what = 'shown_again'), 0) as again,
          exists (select from dale.decision d where d.proposal = p.id and d.verdict = 'reject') as refused,
          f.verdict, f.at as decided_at, f.record ->> 'via' as via
        from dale.proposal p left join dale.decision f on f.proposal = p.id and f.final
        -- What a grant stood for asked nobody, and says nothing about how cards are read.
        where p.created_at >= ${sinceMs}::bigint and f.record ->> 'via' is distinct from 'grant'),
      ways as (select action, json_object_agg(via, times order by via) as via from (
        select action, via, count(*)::int as times from made where via is not null group by action, via) w group by action)
      select m.action, count(*)::int as requested,
        (count(*) filter (where m.verdict = 'approve'))::int as approved,
        (count(*) filter (where m.refused))::int as rejected,
        (count(*) filter (where m.state = 'edited'))::int as edited,
        (count(*) filter (where m.state = 'expired'))::int as expired,
        (count(*) filter (where m.state = 'superseded'))::int as superseded,
        (count(*) filter (where m.state = 'changed'))::int as changed,
        (count(*) filter (where m.again > 0))::int as "shownAgain",
        sum(m.again)::int as "showingsAgain",
        (percentile_cont(0.5) within group (order by m.decided_at - m.shown_at) / 1000)::float8 as "medianSeconds",
        (percentile_cont(0.9) within group (order by m.decided_at - m.shown_at) / 1000)::float8 as "p90Seconds",
        coalesce((select w.via from ways w where w.action = m.action), '{}'::json) as via
      from made m group by m.action order by m.action`.execute(db)
    return rows.map(({ medianSeconds, p90Seconds, ...row }) => ({
      ...row,
      ...(medianSeconds === null ? {} : { medianSeconds }),
      ...(p90Seconds === null ? {} : { p90Seconds }),
    }))
  })
}
