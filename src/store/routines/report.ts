import { showingJson } from './json.ts'
import { outgoingJson } from './outbox.ts'
import { routine } from './routine.ts'

/**
 * Records a report, the first of each status, and tells whose message it is about. Ours are known by the provider's id, or by the `ref`
 * that their sending carried: if its answer is lost, the row knows by this that it was taken. The one behind need not wait for its second any
 * more. A message that failed, and that nobody got before, is refused from here on, and is no showing.
 */
export const report = routine(
  'report(p_account text, p_message_id text, p_status text, p_at bigint, p_ref text, p_code text, p_final boolean)',
  'json',
  `declare now bigint := dale.now_ms(); mine dale.sent_message; named dale.outbox; sent dale.outbox; shown json; fails boolean;
  begin
    insert into dale.report (account, message_id, status, at, code, final) values (p_account, p_message_id, p_status, p_at, p_code, p_final) on conflict do nothing;
    select * into mine from dale.sent_message where account = p_account and message_id = p_message_id limit 1;
    if mine.message_id is null and p_ref ~ '^[0-9a-f]{16}[1-9][0-9]{0,17}$' then
      select * into named from dale.outbox where id = substr(p_ref, 17)::bigint and salt = left(p_ref, 16) and account = p_account for update;
      if named.id is not null then
        insert into dale.sent_message (account, conversation, message_id, proposal, outbox)
        values (named.account, named.conversation, p_message_id, case when named.kind = 'card' then named.proposal end, named.id) on conflict do nothing;
        select * into mine from dale.sent_message where account = p_account and message_id = p_message_id limit 1;
        update dale.outbox set reported_as = p_message_id, reported_at = p_at, not_before = 0 where id = named.id and settled_at is null and not parked;
      end if;
    end if;
    if mine.message_id is null then return json_build_object('kind', 'foreign'); end if;

    -- The row's lock puts this report before or after the answer to the sending: whichever is second sees the other.
    select * into sent from dale.outbox where id = mine.outbox for update;
    update dale.outbox set follow_at = null where id = mine.outbox and follow_at is not null;
    fails := p_status = 'failed' and sent.id is not null and not exists (select from dale.report where account = p_account and message_id = p_message_id and status in ('delivered', 'read'));
    if fails then
      update dale.outbox set outcome = 'refused', refusal = coalesce((select code from dale.report where account = p_account and message_id = p_message_id and status = 'failed'), 'failed') where id = mine.outbox and outcome = 'accepted';
      delete from dale.showing where account = p_account and proposal = mine.proposal and conversation = mine.conversation and p_message_id = any (message_ids);
    end if;
    select * into sent from dale.outbox where id = mine.outbox;
    select ${showingJson('s')} into shown from dale.showing s
      where s.proposal = mine.proposal and s.conversation = mine.conversation and p_message_id = any (s.message_ids) order by s.id desc limit 1;
    return json_build_object('kind', 'ours', 'conversation', mine.conversation, 'showing', shown,
      'waits', exists (select from dale.outbox where conversation = mine.conversation and settled_at is null and not parked),
      'failed', case when fails and sent.outcome = 'refused' then json_build_object('sent', ${outgoingJson('sent')}, 'code', sent.refusal,
        'final', (select final from dale.report where account = p_account and message_id = p_message_id and status = 'failed'),
        'isSeenTo', exists (select from dale.outbox again where again.once = 'again:' || sent.id),
        'times', (select count(*) from dale.outbox o where o.conversation = sent.conversation and o.said and o.begun_at is not null and o.kind = 'card'
          and o.proposal = sent.proposal and o.card_revision = sent.card_revision and o.outcome = 'refused' and o.refusal <> 'card_over')) end);
  end`,
)
