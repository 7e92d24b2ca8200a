import { personSql, whereNow } from './contacts.ts'
import { proposalJson, showingJson } from './json.ts'
import { routine } from './routine.ts'

const shown = `json_build_object('proposal', ${proposalJson('p')}, 'showings',
  coalesce((select json_agg(${showingJson('s')} order by s.id) from dale.showing s where s.proposal = p.id and s.conversation = p_conversation), '[]'::json))`

/** A code names the open proposal that carries it, else the latest that did. */
const named = `case p_naming
  when 'proposal' then p_named
  when 'code' then (select c.id from dale.proposal c where c.account = p_account and c.code = p_named order by (c.ended_at is null) desc, c.id desc limit 1)
  when 'message' then (select m.proposal from dale.sent_message m where m.account = p_account and m.message_id = p_named and m.conversation = p_conversation)
end`

/** The same order as `isAfter` in core/moment.ts: by number where both have one, else by whole seconds. */
const notAfter = `case when p_before_order is null or i.moment_order is null then i.moment_at / 1000 <= p_before_second else i.moment_order <= p_before_order end`

/** The look-up on the way of every message: what waits for a person in a conversation and was shown there. It goes by the partial index. */
export const openHere = `select p.id from dale.proposal p where p.conversation = p_conversation and p.ended_at is null and p.state in ('pending', 'awaiting_second')
  and exists (select from dale.showing s where s.proposal = p.id and s.conversation = p_conversation)`

/** Everything that judging one event needs, at one moment of the clock and in one snapshot. */
export const situation = routine(
  'situation(p_account text, p_conversation text, p_identity text, p_naming text, p_named text, p_before_second bigint, p_before_order bigint, p_inbox_id bigint)',
  'json',
  `declare found json; person_id text := ${personSql('p_identity')}; names text[] := array[person_id];
  begin
    if exists (select from dale.alias where identity = p_identity) then
      names := dale.names_of(person_id);
      p_conversation := ${whereNow('p_conversation')};
    end if;
    with candidates as (
      ${openHere}
      union
      select s.proposal from dale.showing s where s.conversation = p_conversation and s.waits
    ),
    said as (
      (select o.kind, o.said_text as text, o.proposal, o.card_revision, o.begun_at,
          coalesce(o.moment_at, case when o.outcome = 'accepted' then o.settled_at end) as moment_at, o.moment_order, o.id,
          case when o.question is not null and not o.question_over then json_build_object('id', o.id, 'person', o.asked_of, 'proposalId', o.proposal, 'asks', o.question,
            'messageIds', coalesce((select json_agg(m.message_id) from dale.sent_message m where m.outbox = o.id), '[]'::json)) end as asked
        from dale.outbox o where o.conversation = p_conversation and o.said and o.begun_at is not null and o.outcome is distinct from 'refused'
        order by o.begun_at desc, o.id desc limit 50)
      union all
      (select 'outside', null, null, null, i.received_at, i.moment_at, i.moment_order, i.id, null
        from dale.inbox i where i.conversation = p_conversation and i.kind = 'said' order by i.received_at desc, i.id desc limit 50)
      order by begun_at desc, id desc limit 50
    ),
    last as (select p.* from dale.proposal p where p.conversation = p_conversation and p.closed_at is not null order by p.closed_at desc, p.id desc limit 1)
    select json_build_object(
      'now', dale.now_ms(),
      'person', person_id,
      'formerly', to_json(array_remove(names, person_id)),
      'roles', coalesce((select json_agg(role order by role) from dale.person_role where person = person_id), '[]'::json),
      'vocabulary', (select max(v.id) from dale.vocabulary_version v where v.account = p_account),
      'operators', exists (select from dale.role_chat where conversation = p_conversation),
      'open', coalesce((select json_agg(${shown} order by p.id) from candidates join dale.proposal p using (id) where p.state in ('pending', 'awaiting_second')), '[]'::json),
      'named', (select ${shown} from dale.proposal p where p.id = ${named}),
      'said', coalesce((select json_agg(json_build_object('kind', kind, 'text', text, 'proposal', proposal, 'cardRevision', card_revision,
        'begunAt', begun_at, 'momentAt', moment_at, 'momentOrder', moment_order, 'asked', asked) order by begun_at desc, id desc) from said), '[]'::json),
      'spoke', (select json_build_object('momentAt', i.moment_at, 'momentOrder', i.moment_order, 'receivedAt', i.received_at)
        from dale.inbox i where i.conversation = p_conversation and i.to_agent and i.person = any (names) and i.id <> p_inbox_id and ${notAfter}
        order by i.moment_at desc, i.moment_order desc nulls last, i.id desc limit 1),
      'last', (select json_build_object('proposal', ${proposalJson('last')}, 'at', last.closed_at, 'repeated', exists (select from dale.tally t where t.proposal = last.id and t.what = 'repeated'), 'quiet',
          not exists (select from said where said.begun_at >= last.closed_at)
          and not exists (select from dale.inbox i where i.conversation = p_conversation and i.to_agent and i.received_at >= last.closed_at and i.id <> p_inbox_id))
        from last),
      'tallies', coalesce((select json_agg(json_build_object('proposal', t.proposal, 'what', t.what, 'times', t.times)) from candidates join dale.tally t on t.proposal = candidates.id), '[]'::json)
    ) into found;
    return found;
  end`,
)
