import { routine } from './routine.ts'

/** Two contacts are two people as soon as each has a lasting id of the same kind. */
export const mayBeOne = routine(
  'may_be_one(p_one text, p_other text)',
  'boolean',
  `begin
    return not exists (select from dale.alias x join dale.alias y on y.scheme = x.scheme and y.contact = p_other where x.contact = p_one and x.scheme in ('lid', 'bsuid'));
  end`,
  'stable',
)

/**
 * Moves what waits, was said, shown and proposed in a one-to-one chat to another one with the same person. The provider's messages are the
 * same ones under either name, so their ids and order stay good. Each statement goes by the partial indexes; what no look-up asks for
 * stays behind. Where one row per conversation is the law, a row is finished where it began.
 */
export const moveConversation = routine(
  'move_conversation(p_account text, p_from text, p_to text, p_from_chat text, p_to_chat text)',
  'void',
  `declare touched bigint; moved bigint := 0;
  begin
    update dale.inbox set conversation = p_to
    where conversation = p_from and (handled_at is null or to_agent or kind = 'said' or kind in ('message', 'press'));
    get diagnostics touched = row_count; moved := moved + touched;
    update dale.outbox o set conversation = p_to
    where conversation = p_from and (settled_at is null or (said and begun_at is not null) or follow_at is not null)
      and not (o.sending and exists (select from dale.outbox there where there.sending and there.conversation = p_to));
    get diagnostics touched = row_count; moved := moved + touched;
    update dale.proposal set conversation = p_to where conversation = p_from and (ended_at is null or closed_at is not null);
    get diagnostics touched = row_count; moved := moved + touched;
    with shown as (
      update dale.showing s set conversation = p_to from dale.proposal p
      where p.conversation = p_to and (p.ended_at is null or p.closed_at is not null) and s.proposal = p.id and s.conversation = p_from returning s.message_ids
    )
    update dale.sent_message m set conversation = p_to
    where m.account = p_account and m.conversation = p_from and m.message_id in (select unnest(message_ids) from shown);
    with shown as (update dale.showing set conversation = p_to where conversation = p_from and waits returning message_ids)
    update dale.sent_message m set conversation = p_to
    where m.account = p_account and m.conversation = p_from and m.message_id in (select unnest(message_ids) from shown);
    get diagnostics touched = row_count; moved := moved + touched;
    update dale.turn t set conversation = p_to
    where conversation = p_from and not (t.ended_at is null and exists (select from dale.turn there where there.ended_at is null and there.conversation = p_to));
    get diagnostics touched = row_count; moved := moved + touched;
    update dale.role_chat c set conversation = p_to
    where conversation = p_from and not exists (select from dale.role_chat there where there.role = c.role and there.conversation = p_to);
    get diagnostics touched = row_count; moved := moved + touched;
    update dale.memory m set conversation = p_to where conversation = p_from and not exists (select from dale.memory there where there.conversation = p_to);
    update dale.granted set conversation = p_to where conversation = p_from;
    -- Controls that were shown there are bound to that name.
    if moved > 0 then
      insert into dale.chat_move (account, from_chat, to_chat) values (p_account, p_from_chat, p_to_chat) on conflict do nothing;
    end if;
  end`,
)

/** Two contacts turn out to be one person: the newer becomes part of the older. Returns the older. */
export const mergeContacts = routine(
  'merge_contacts(p_one text, p_other text)',
  'text',
  `declare older dale.contact; newer dale.contact; chat record;
  begin
    select * into older from dale.contact where name in (p_one, p_other) order by since, name limit 1;
    select * into newer from dale.contact where name in (p_one, p_other) and name <> older.name;
    update dale.contact set merged_into = older.name where name = newer.name or merged_into = newer.name;
    update dale.alias set contact = older.name where contact = newer.name;
    update dale.alias_moved set contact = older.name where contact = newer.name;
    update dale.identity set contact = older.name where contact = newer.name;
    update dale.inbox set person = older.name where to_agent and turn is null and person = newer.name;
    for chat in select conversation, account, split_part(conversation, '/', 1) || '/' || older.key as to_conversation
      from dale.contact_chat where contact = newer.name and moved_to is null
    loop
      perform dale.move_conversation(chat.account, chat.conversation, chat.to_conversation, newer.chat, older.chat);
      insert into dale.contact_chat (conversation, account, contact) values (chat.to_conversation, chat.account, older.name) on conflict do nothing;
    end loop;
    update dale.contact_chat set contact = older.name, moved_to = split_part(conversation, '/', 1) || '/' || older.key where contact = newer.name;
    return older.name;
  end`,
)
