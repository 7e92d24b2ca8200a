import { routine } from './routine.ts'

/** Selects the message behind a table alias as one JSON value. `ref` is what the provider's reports may repeat. */
export const outgoingJson = (o: string): string =>
  `json_build_object('id', ${o}.id, 'conversation', ${o}.conversation, 'lane', ${o}.lane, 'body', ${o}.body, 'proposal', ${o}.proposal, 'cardRevision', ${o}.card_revision,
    'once', ${o}.once, 'attempts', ${o}.attempts - 1, 'mayHaveArrived', ${o}.may_have_arrived, 'fence', ${o}.fence, 'ref', ${o}.salt || ${o}.id, 'reportedAs', ${o}.reported_as, 'reportedAtMs', ${o}.reported_at, 'addresses', case when exists (select from dale.contact_chat c where c.conversation = ${o}.conversation) then dale.addresses_of(${o}.conversation) end,
    'lastInboundAtMs', (select max(i.received_at) from dale.inbox i where i.conversation = ${o}.conversation and i.kind in ('message', 'press')),
    'shownAs', case when ${o}.kind = 'update' then coalesce((select json_agg(s.message_ids order by s.id) from dale.showing s
      where s.proposal = ${o}.proposal and s.conversation = ${o}.conversation and cardinality(s.message_ids) > 0), '[]'::json) end)`

/**
 * Takes the next message of a conversation and marks that its sending begins. In order of writing, but a receipt or outcome may
 * overtake chatter, waiting or not, only that an end is not told before what was said of the same proposal; nothing overtakes a card. A message whose sender vanished comes first. A card whose proposal no
 * longer waits, or that a newer card replaced, is refused here instead of sent. A parked one is passed over until its person writes. Where
 * the one before is still to be reported as sent, nothing leaves (RULES 9).
 */
export const nextOutgoing = routine(
  'next_outgoing(p_conversation text, p_lease_ms bigint)',
  'json',
  `declare now bigint := dale.now_ms(); vanished dale.outbox; first dale.outbox; hurried dale.outbox; next dale.outbox; taken json;
  begin
    -- Takers of one conversation one after another; each statement below sees what the one before has left.
    perform pg_advisory_xact_lock(hashtextextended('outbox:' || p_conversation, 0));
    loop
      select * into vanished from dale.outbox where conversation = p_conversation and sending;
      if vanished.taken_until > now then return null; end if;
      if exists (select from dale.outbox where conversation = p_conversation and follow_at > now) then return null; end if;
      select * into first from dale.outbox where conversation = p_conversation and settled_at is null and not parked order by id limit 1;
      if first.id is null then return null; end if;
      hurried := null;
      if first.lane = 'chatter' then
        select * into hurried from dale.outbox where conversation = p_conversation and settled_at is null and not parked and lane <> 'chatter' order by id limit 1;
      end if;
      if vanished.id is not null then next := vanished;
      elsif hurried.lane in ('receipt', 'outcome') and hurried.not_before <= now and not (hurried.lane = 'outcome' and exists (
        select from dale.outbox o where o.conversation = p_conversation and o.settled_at is null and not o.parked and o.proposal = hurried.proposal and o.id < hurried.id
      )) then next := hurried;
      elsif first.not_before <= now then next := first;
      else return null; end if;

      if next.kind = 'card' and exists (
        select from dale.proposal p where p.id = next.proposal and (p.state not in ('draft', 'pending', 'awaiting_second') or next.card_revision < p.card_revision)
      ) then
        update dale.outbox set settled_at = now, outcome = 'refused', refusal = 'card_over', sending = false, taken_until = null where id = next.id;
        continue;
      end if;
      update dale.outbox o set sending = true, taken_until = now + p_lease_ms, fence = o.fence + 1, attempts = o.attempts + 1, begun_at = now, may_have_arrived = o.may_have_arrived or o.sending
      where o.id = next.id
      returning ${outgoingJson('o')} into taken;
      return taken;
    end loop;
  end`,
)

/** Commits and takes the next message in one round trip: what a sender does after each message. */
export const commitThenNext = routine(
  'commit_then_next(p_change json, p_conversation text, p_lease_ms bigint)',
  'json',
  `declare what text := dale.commit(p_change);
  begin
    if what is not null then return json_build_object('lost', what); end if;
    return json_build_object('taken', dale.next_outgoing(p_conversation, p_lease_ms));
  end`,
)
