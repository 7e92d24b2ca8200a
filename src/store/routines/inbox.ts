import { routine } from './routine.ts'

/**
 * Keeps events in their order. Ids must rise in the order of commits within a conversation, or a taker could miss an older event that
 * becomes visible later: so each conversation's lock is held from before its ids are drawn until the commit; in order, against deadlock.
 * Where events name people with several ids (`p_links`), the contact tells which conversation is theirs.
 */
export const keep = routine(
  'keep(p_tenant text, p_events json, p_links boolean)',
  'json',
  `declare kept json; learnt jsonb := case when p_links then dale.link_events(p_events) else '{}' end;
  begin
    perform pg_advisory_xact_lock(key) from (
      select distinct hashtextextended('inbox:' || coalesce(learnt -> place::text ->> 'conversation', conversation), 0) as key
      from json_to_recordset(p_events) as e (place int, conversation text) order by key) keys;
    with fresh as (
      insert into dale.inbox (tenant, account, provider_id, conversation, kind, identity, event, moment_at, moment_order, received_at)
      select p_tenant, account, "providerId", coalesce(learnt -> place::text ->> 'conversation', conversation), kind, identity, event::json, "momentAt", "momentOrder", dale.now_ms()
      from json_to_recordset(p_events) as e (place int, account text, "providerId" text, conversation text, kind text, identity text, event text, "momentAt" bigint, "momentOrder" bigint)
      order by place
      on conflict (account, provider_id) do nothing
      returning id, account, provider_id, event, conversation, received_at
    )
    select coalesce(json_agg(json_build_object('id', id, 'event', event, 'conversation', conversation, 'receivedAtMs', received_at,
      'phoneMoved', p_links and exists (select from json_to_recordset(p_events) as e (place int, account text, "providerId" text)
        where e.account = fresh.account and e."providerId" = fresh.provider_id and (learnt -> e.place::text ->> 'moved')::boolean)) order by id), '[]'::json) into kept from fresh;
    return kept;
  end`,
)

/**
 * Takes the oldest unhandled event. The inner lock waits for whoever is just taking or handling that row, and looks at it again
 * afterwards; only the oldest row can ever be taken, so a conversation has one taker.
 */
export const nextInbound = routine(
  'next_inbound(p_conversation text, p_owner text, p_lease_ms bigint)',
  'json',
  `declare taken json;
  begin
    update dale.inbox set taken_by = p_owner, taken_until = dale.now_ms() + p_lease_ms
    where id = (select id from dale.inbox where conversation = p_conversation and handled_at is null order by id limit 1 for update)
      and handled_at is null and (taken_until is null or taken_until <= dale.now_ms())
    returning json_build_object('id', id, 'event', event, 'conversation', conversation, 'receivedAtMs', received_at) into taken;
    return taken;
  end`,
)
