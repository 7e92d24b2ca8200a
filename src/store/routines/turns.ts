import { proposalJson } from './json.ts'
import { routine } from './routine.ts'

/**
 * Takes the conversation's turn: an unfinished one whose lease is over, else one that the end of a proposal starts, else the waiting messages
 * of the next person, joined.
 */
export const nextTurn = routine(
  'next_turn(p_conversation text, p_lease_ms bigint, p_new_id text)',
  'json',
  `declare now bigint := dale.now_ms(); turn_row dale.turn; next_person text; until_id bigint; resumed_id text;
  begin
    perform pg_advisory_xact_lock(hashtextextended('turn:' || p_conversation, 0));
    select * into turn_row from dale.turn where conversation = p_conversation and ended_at is null for update;
    if turn_row.taken_until > now then return null; end if;
    if turn_row.id is not null then
      update dale.turn t set fence = t.fence + 1, attempts = t.attempts + 1, taken_until = now + p_lease_ms where t.id = turn_row.id returning * into turn_row;
    else
      select r.proposal, p.requester into resumed_id, next_person from dale.resume r join dale.proposal p on p.id = r.proposal
      where p.conversation = p_conversation and r.turn is null order by r.written_at, r.proposal limit 1;
    end if;
    if turn_row.id is null and resumed_id is not null then
      insert into dale.turn (id, conversation, person, fence, attempts, taken_until, began_at, resumed)
      values (p_new_id, p_conversation, next_person, 1, 0, now + p_lease_ms, now, resumed_id) returning * into turn_row;
      update dale.resume set turn = p_new_id where proposal = resumed_id;
    elsif turn_row.id is null then
      select person into next_person from dale.inbox where conversation = p_conversation and to_agent and turn is null order by id limit 1;
      if next_person is null then return null; end if;
      select min(id) into until_id from dale.inbox where conversation = p_conversation and to_agent and turn is null and person <> next_person;
      insert into dale.turn (id, conversation, person, fence, attempts, taken_until, began_at, since)
      select p_new_id, p_conversation, next_person, 1, 0, now + p_lease_ms, now, min(received_at)
      from dale.inbox where conversation = p_conversation and to_agent and turn is null and (until_id is null or id < until_id)
      returning * into turn_row;
      update dale.inbox set turn = p_new_id where conversation = p_conversation and to_agent and turn is null and (until_id is null or id < until_id);
    end if;
    return dale.turn_told(turn_row.id, now);
  end`,
)

/** A turn with what its agent is told: who, what they wrote, and which proposals moved. */
export const turnTold = routine(
  'turn_told(p_id text, p_now bigint)',
  'json',
  `declare turn_row dale.turn; previous bigint; who text;
  begin
    select * into turn_row from dale.turn where id = p_id;
    if turn_row.id is null then return null; end if;
    who := dale.person_named(turn_row.person);
    select coalesce(max(began_at), 0) into previous from dale.turn where conversation = turn_row.conversation and id <> turn_row.id and began_at <= turn_row.began_at;
    return json_build_object('id', turn_row.id, 'conversation', turn_row.conversation, 'began', turn_row.began_at, 'proposed', turn_row.proposed, 'fence', turn_row.fence, 'attempts', turn_row.attempts, 'person', who, 'formerly', to_json(array_remove(dale.names_of(who), who)), 'since', turn_row.since, 'now', p_now,
      'resumed', (select ${proposalJson('ended')} from dale.proposal ended where ended.id = turn_row.resumed),
      'messages', coalesce((select json_agg(json_build_object('event', event, 'receivedAt', received_at) order by id) from dale.inbox where turn = turn_row.id), '[]'::json),
      'proposals', coalesce((select json_agg(${proposalJson('moved')} order by moved.id) from (
        (select p.* from dale.proposal p where p.conversation = turn_row.conversation and p.ended_at is null order by p.id desc limit 50)
        union all
        (select p.* from dale.proposal p where p.conversation = turn_row.conversation and p.ended_at is not null and p.closed_at >= previous order by p.closed_at desc limit 50)
      ) moved), '[]'::json));
  end`,
)
