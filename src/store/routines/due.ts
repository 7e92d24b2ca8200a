import { routine } from './routine.ts'

const conversations = (from: string): string =>
  `coalesce((select json_agg(conversation order by oldest) from (${from} order by oldest limit p_limit) found), '[]'::json)`

const ids = (where: string): string =>
  `coalesce((select json_agg(id order by id) from (select id from dale.proposal where ended_at is null and ${where} order by id limit p_limit) found), '[]'::json)`

/** Of unsettled messages, by conversation: where one may be sent now, and nobody sends. */
export const toBeSent = (now: string): string =>
  `having bool_or(sending or (not_before <= ${now} and not parked)) and coalesce(max(taken_until) filter (where sending), 0) <= ${now}
    and not exists (select from dale.outbox before where before.conversation = outbox.conversation and before.follow_at > ${now})`

/** What waits without anybody at it, and whose time has come: at most `p_limit` of each (of deliveries, of each account), oldest first. A sweep asks every second. */
export const due = routine(
  'due(p_limit int)',
  'json',
  `declare now bigint := dale.now_ms();
  begin
    return json_build_object(
      'inbound', ${conversations(`
        select conversation, min(id) as oldest from dale.inbox where handled_at is null group by conversation having coalesce(max(taken_until), 0) <= now`)},
      'turns', ${conversations(`
        select conversation, min(oldest) as oldest from (
          select conversation, min(id) as oldest from dale.inbox where to_agent and turn is null group by conversation
          union all select conversation, 0 from dale.turn where ended_at is null
          union all select p.conversation, 0 from dale.resume r join dale.proposal p on p.id = r.proposal where r.turn is null
        ) wanted where not exists (select from dale.turn t where t.conversation = wanted.conversation and t.ended_at is null and t.taken_until > now) group by conversation`)},
      'deliveries', coalesce((select json_agg(conversation order by oldest) from (
        select conversation, min(id) as oldest, row_number() over (partition by account order by min(id)) as place
        from dale.outbox where settled_at is null group by account, conversation ${toBeSent('now')}
      ) found where place <= p_limit), '[]'::json),
      'executions', ${ids("((state = 'approved' and execute_by > now and ready_at <= now) or (state = 'in_doubt' and ready_at <= now))")},
      'overdue', ${ids("state in ('draft', 'pending', 'awaiting_second') and expires_at <= now")},
      'escalations', ${ids("escalate_left is not null and escalated_at is null and state in ('pending', 'awaiting_second') and expires_at - escalate_left <= now and expires_at > now")},
      'stale', ${ids("state = 'approved' and execute_by <= now")},
      'leaseless', ${ids("state = 'executing' and lease_until <= now")});
  end`,
)
