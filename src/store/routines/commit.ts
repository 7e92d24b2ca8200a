import { foreignSuffix } from '../../core/said-by-tool.ts'
import { askedNames, personSql, whereNow } from './contacts.ts'
import { routine } from './routine.ts'

/** A code of an ended proposal is not given again for this long: people still type it. */
export const codeRestMs = 7 * 24 * 60 * 60_000

/**
 * Writes a change or nothing of it. Answers what was lost, if something was; by itself while nothing is written yet, else by raising,
 * so that the statement leaves no trace. What is created comes first, so that it can be moved. Moves come in the order of their ids, against deadlock. Each move is a compare-and-set on
 * (id, state, revision) and the clock. Bodies come as JSON inside a string: taking a record apart reads every escape in it, and a
 * NUL in something that somebody said would be refused.
 */
export const commit = routine(
  'commit(p_change json)',
  'text',
  `declare now bigint := dale.now_ms(); wrote boolean := false; m record; part record; heard record;
  begin
    for part in select * from json_to_recordset(p_change -> 'askedUntil') as x (requester text, actions json, "sinceMs" bigint, times int) loop
      -- Two chats of one person ask at once: the second waits here, sees what the first asked for, and adds up again.
      perform pg_advisory_xact_lock(hashtextextended('dale:asked:' || (select min(name) from unnest(dale.names_of(part.requester)) n (name)), 0));
      if part.times <> (select count(*) from dale.proposal p
        where p.requester = any (${askedNames('part.requester')}) and p.action in (select json_array_elements_text(part.actions)) and p.created_at >= part."sinceMs") then
        if wrote then perform dale.lost('asked'); end if;
        return 'asked';
      end if;
    end loop;

    for part in select * from json_to_record(p_change -> 'openUntil') as x (conversation text, requester text, waiting json) where p_change -> 'openUntil' is not null loop
      -- Two programs ask at once: the second waits here, and sees what the first asked for.
      perform pg_advisory_xact_lock(hashtextextended('dale:open:' || ${whereNow('part.conversation')}, 0));
      if exists (select from dale.proposal p where p.conversation = ${whereNow('part.conversation')} and p.ended_at is null and p.state in ('draft', 'pending', 'awaiting_second')
        and case when part.requester is null then p.requester is null else p.requester = any (${askedNames('part.requester')}) end
        and p.id not in (select json_array_elements_text(part.waiting))) then
        if wrote then perform dale.lost('asked'); end if;
        return 'asked';
      end if;
    end loop;

    for part in select * from json_to_recordset(p_change -> 'create') as x (id text, code text, account text, conversation text, requester text, action text, args text, fingerprint text,
      frozen text, "createdAt" bigint, state text, body text, revision int, "cardRevision" int, "expiresAt" bigint, "escalateLeft" bigint, note text)
    loop
      -- A code that another one is just taking meets the unique index on open codes.
      if exists (select from dale.proposal c where c.account = part.account and c.code = part.code and (c.ended_at is null or c.ended_at > now - ${codeRestMs}::bigint)) then
        if wrote then perform dale.lost('code'); end if;
        return 'code';
      end if;
      insert into dale.proposal (id, code, account, conversation, requester, action, canonical_args, fingerprint, frozen, created_at, state, state_body, revision, card_revision, expires_at, escalate_left, moved_at)
      values (part.id, part.code, part.account, ${whereNow('part.conversation')}, part.requester, part.action, part.args, part.fingerprint, part.frozen::json, part."createdAt", part.state, part.body::json, part.revision, part."cardRevision", part."expiresAt", part."escalateLeft", now);
      wrote := true;
      insert into dale.history (proposal, revision, event, from_state, to_state, made_by, at, note, moved)
      values (part.id, part.revision, 'propose', null, part.state, coalesce(part.requester, 'api'), now, part.note::json, true);
    end loop;

    for m in select * from json_to_recordset(p_change -> 'moves') as x (id text, "was" text, "wasRevision" int, state text, body text, revision int, "cardRevision" int,
      fence int, sent boolean, "leaseUntil" bigint, "expiresAt" bigint, "executeBy" bigint, "readyAt" bigint, closes boolean, ended boolean,
      "beforeMs" bigint, "notBeforeMs" bigint, "unlessHalted" boolean, event text, "madeBy" text, note text, decision text, person text, verdict text, final boolean, attempt boolean, "waitIsOver" boolean, "startsTurn" boolean, under text, times int, "lastsMs" bigint, yes text, version text, weight text)
    loop
      update dale.proposal p set state = m.state, state_body = m.body::json, revision = m.revision, card_revision = m."cardRevision", fence = m.fence, sent = m.sent,
        lease_until = m."leaseUntil", expires_at = m."expiresAt", execute_by = m."executeBy", ready_at = m."readyAt", moved_at = now,
        closed_at = case when m.closes then now else p.closed_at end, ended_at = case when m.ended then now end
      where p.id = m.id and p.state = m.was and p.revision = m."wasRevision"
        and (m."beforeMs" is null or now < m."beforeMs") and (m."notBeforeMs" is null or now >= m."notBeforeMs")
        and not (m."unlessHalted" is true and dale.is_halted(p.action, p.account));
      if not found then
        if wrote then perform dale.lost('proposal'); end if;
        return 'proposal';
      end if;
      wrote := true;
      insert into dale.history (proposal, revision, event, from_state, to_state, made_by, at, note, moved) values (m.id, m.revision, m.event, m.was, m.state, m."madeBy", now, m.note::json, true);
      if m.decision is not null then
        insert into dale.decision (proposal, revision, person, verdict, final, at, record) values (m.id, m.revision, m.person, m.verdict, m.final, now, m.decision::json);
      end if;
      -- Whoever counts at the same time waits here, and then finds it used up.
      if m.under is not null then
        update dale.granted g set uses = g.uses + 1 where g.id = m.under and g.ended_at is null and g.uses < g.times and now < g.ends_at;
        if not found then perform dale.lost('grant'); end if;
      end if;
      if m.times is not null then
        insert into dale.granted (id, code, account, conversation, person, action, action_version, reversibility, times, born_at, ends_at, decision)
        select p.id, p.code, p.account, p.conversation, p.requester, p.action, m.version, m.weight, m.times, now, now + m."lastsMs", m.yes::json
        from dale.proposal p where p.id = m.id on conflict do nothing;
      end if;
      if m.attempt then insert into dale.attempt (proposal, fence, at) values (m.id, m.fence, now); end if;
      if m."startsTurn" then insert into dale.resume (proposal, written_at) values (m.id, now) on conflict do nothing; end if;
      if m."waitIsOver" then update dale.showing set waits = false where proposal = m.id and waits; end if;
    end loop;

    if p_change -> 'endGrants' is not null then
      update dale.granted g set ended_at = now, ended_by = x."madeBy"
      from json_to_record(p_change -> 'endGrants') as x (conversation text, person text, action text, "madeBy" text)
      where g.conversation = ${whereNow('x.conversation')} and g.action = x.action and g.ended_at is null and g.person = any (${askedNames('x.person')});
    end if;

    for part in select * from json_to_record(p_change -> 'handled') as x (id bigint, road text, "toAgent" boolean, "madeBy" text) where p_change -> 'handled' is not null loop
      update dale.inbox i set handled_at = now, handled_by = part."madeBy", road = part.road, to_agent = part."toAgent", taken_until = null,
        person = ${personSql('i.identity')}
      where i.id = part.id and i.handled_at is null returning i.conversation, i.kind into heard;
      if not found then
        if wrote then perform dale.lost('fence'); end if;
        return 'fence';
      end if;
      wrote := true;
      -- The person wrote: what waited for that may be sent.
      if heard.kind in ('message', 'press') then
        update dale.outbox set parked = false, not_before = 0 where conversation = heard.conversation and parked;
      end if;
    end loop;

    for part in select * from json_to_record(p_change -> 'turn') as x (id text, fence int, proposed boolean) where p_change -> 'turn' is not null loop
      update dale.turn t set ended_at = now, proposed = t.proposed or coalesce(part.proposed, false) where t.id = part.id and t.fence = part.fence and t.ended_at is null;
      if not found then
        if wrote then perform dale.lost('fence'); end if;
        return 'fence';
      end if;
      wrote := true;
    end loop;

    for part in select * from json_to_record(p_change -> 'push') as x (turn text, id text, proposes boolean) where p_change -> 'push' is not null loop
      insert into dale.push (turn, id, at) values (part.turn, part.id, now) on conflict do nothing;
      if not found then
        if wrote then perform dale.lost('push'); end if;
        return 'push';
      end if;
      wrote := true;
      if part.proposes then
        update dale.turn t set proposed = true where t.id = part.turn and not t.proposed;
        if not found then perform dale.lost('push'); end if;
      end if;
    end loop;

    for part in select * from json_to_record(p_change -> 'delivered') as x (id bigint, fence int, kind text, "messageIds" json, "momentAt" bigint, "momentOrder" bigint, code text, "notBefore" bigint, "mayHaveArrived" boolean, "followWithin" bigint, also json)
      where p_change -> 'delivered' is not null
    loop
      -- What certainly did not arrive was not said; it is said again from its next sending on.
      update dale.outbox o set sending = false, taken_until = null, parked = part.kind = 'parked',
        settled_at = case when part.kind in ('accepted', 'refused') then now end, outcome = case when part.kind in ('accepted', 'refused') then part.kind end, refusal = part.code,
        moment_at = part."momentAt", moment_order = part."momentOrder", not_before = coalesce(part."notBefore", o.not_before),
        may_have_arrived = o.may_have_arrived or coalesce(part."mayHaveArrived", false),
        begun_at = case when part.kind in ('accepted', 'refused') or o.may_have_arrived or part."mayHaveArrived" then o.begun_at end,
        follow_at = case when part."followWithin" is not null and not exists (
          select from json_array_elements_text(part."messageIds") ids (id) join dale.report r on r.account = o.account and r.message_id = ids.id) then now + part."followWithin" end
      where o.id = part.id and o.fence = part.fence and o.sending;
      if not found then
        if wrote then perform dale.lost('fence'); end if;
        return 'fence';
      end if;
      wrote := true;
      insert into dale.sent_message (account, conversation, message_id, proposal, outbox)
      select o.account, o.conversation, ids.id, case when o.kind = 'card' then o.proposal end, o.id
      from dale.outbox o, json_array_elements_text(part."messageIds") ids (id) where o.id = part.id and part.kind = 'accepted'
      on conflict do nothing;
      -- A report that came before the answer to its own sending was taken for somebody else's message.
      if part."followWithin" is not null then
        update dale.inbox i set kind = 'report' from dale.outbox o, json_array_elements_text(part."messageIds") ids (id)
        where o.id = part.id and i.account = o.account and i.provider_id = ids.id || '${foreignSuffix}' and i.kind = 'said';
      end if;
      if part.also is not null then
        perform dale.link_answer(o.account, o.conversation, part.also, now) from dale.outbox o where o.id = part.id;
      end if;
    end loop;

    if p_change -> 'showing' is not null then
      insert into dale.showing (proposal, card_revision, account, conversation, message_ids, accepted_at, moment_at, moment_order, waits)
      select p.id, x."cardRevision", x.account, ${whereNow('x.conversation')}, array(select json_array_elements_text(x."messageIds")), x."acceptedAt", x."momentAt", x."momentOrder",
        p.conversation <> ${whereNow('x.conversation')} and p.state in ('draft', 'pending', 'awaiting_second')
      from json_to_record(p_change -> 'showing') as x (proposal text, "cardRevision" int, account text, conversation text, "messageIds" json, "acceptedAt" bigint, "momentAt" bigint, "momentOrder" bigint)
      join dale.proposal p on p.id = x.proposal;
      insert into dale.sent_message (account, conversation, message_id, proposal)
      select x.account, ${whereNow('x.conversation')}, ids.id, x.proposal
      from json_to_record(p_change -> 'showing') as x (proposal text, account text, conversation text, "messageIds" json), json_array_elements_text(x."messageIds") ids (id)
      on conflict (account, message_id, conversation) do update set proposal = excluded.proposal where dale.sent_message.proposal is null;
    end if;

    -- Who may decide grows, and nothing moves: a decision that is under way meets no other revision.
    if p_change -> 'escalate' is not null then
      update dale.proposal p set escalated_at = now where p.id = p_change ->> 'escalate' and p.state in ('pending', 'awaiting_second')
        and p.escalated_at is null and now >= p.expires_at - p.escalate_left and now < p.expires_at;
      if not found then
        if wrote then perform dale.lost('proposal'); end if;
        return 'proposal';
      end if;
      wrote := true;
      insert into dale.history (proposal, revision, event, from_state, to_state, made_by, at, moved)
      select p.id, p.revision, 'escalate', p.state, p.state, 'sweep', now, false from dale.proposal p where p.id = p_change ->> 'escalate';
    end if;

    insert into dale.hook_call (proposal, event, at) select x.proposal, x.event, now from json_to_recordset(p_change -> 'hooks') as x (proposal text, event text)
    on conflict do nothing;

    if p_change -> 'say' is not null then
      insert into dale.outbox (account, conversation, lane, kind, said, said_text, body, proposal, card_revision, asked_of, question, once, written_at, parked)
      select x.account, ${whereNow('x.conversation')}, x.lane, x.kind, x.said, x."saidText", x.body::json, x.proposal, x."cardRevision", x."askedOf", x.question::json, x.once, now, coalesce(x.parked, false)
      from json_to_recordset(p_change -> 'say') as x (place int, account text, conversation text, lane text, kind text, said boolean, "saidText" text, body text, proposal text, "cardRevision" int, "askedOf" text, question text, once text, parked boolean)
      order by x.place on conflict (once) do nothing;
    end if;

    if p_change ->> 'answered' is not null then
      update dale.outbox set question_over = true where id = (p_change ->> 'answered')::bigint;
    end if;

    if p_change -> 'counts' is not null then
      insert into dale.tally (proposal, what, times) select x."proposalId", x.what, count(*) from json_to_recordset(p_change -> 'counts') as x ("proposalId" text, what text) group by 1, 2
      on conflict (proposal, what) do update set times = dale.tally.times + excluded.times;
    end if;

    if p_change -> 'note' is not null then
      insert into dale.history (proposal, revision, event, from_state, to_state, made_by, at, note, moved)
      select p.id, p.revision, x.event, p.state, p.state, x."madeBy", now, x.about::json, false
      from json_to_record(p_change -> 'note') as x ("proposalId" text, event text, "madeBy" text, about text) join dale.proposal p on p.id = x."proposalId";
    end if;
    return null;
  end`,
)
