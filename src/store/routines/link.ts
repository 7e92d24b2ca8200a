import { routine } from './routine.ts'

const idsOf = (json: string): string =>
  `rows from (json_to_recordset(${json}) as (id text, scheme text, chat text, key text)) with ordinality as x (id, scheme, chat, key, place)`

/** Nothing to be learnt from these ids: all of them are one contact's already, and what the configuration says of them is bound. */
const isKnown = (ids: string): string =>
  `((select count(*) from ${idsOf(ids)}) = (select count(*) from ${idsOf(ids)} join dale.alias a on a.identity = x.id)
    and (select count(distinct a.contact) from ${idsOf(ids)} join dale.alias a on a.identity = x.id) = 1
    and not exists (select from ${idsOf(ids)} join dale.identity n on n.identity = x.id where n.contact is null and not n.suspended))`

/**
 * Learns from ids that the provider gave for one person in one payload, written at `p_at`, and returns the contact. A lasting id names
 * the person. A phone joins what is known of it to a lasting id that is new; it never makes one of two people who each have a lasting id
 * of the same kind, or of whom each has a number of their own: then it has changed hands, and only the phone moves. What the provider
 * gave somebody later than this stays theirs (`since`). The caller holds the lock of all links.
 */
export const link = routine(
  'link(p_ids json, p_at bigint)',
  'text',
  `declare mine text; one record; held dale.alias; had_phone boolean; given boolean := false; old text;
  begin
    if ${isKnown('p_ids')} then return (select contact from dale.alias where identity = p_ids -> 0 ->> 'id'); end if;
    for one in select * from ${idsOf('p_ids')} where x.scheme <> 'phone' order by x.place loop
      select * into held from dale.alias where identity = one.id;
      if mine is null then mine := held.contact;
      elsif held.contact <> mine and dale.may_be_one(mine, held.contact) then mine := dale.merge_contacts(mine, held.contact);
      end if;
    end loop;

    -- Nobody has these lasting ids: by a phone, unless its holder has other ones of their kind.
    if mine is null then
      select a.contact into mine from ${idsOf('p_ids')} join dale.alias a on a.identity = x.id
      where x.scheme = 'phone' and (a.since <= p_at or not exists (select from ${idsOf('p_ids')} where x.scheme <> 'phone'))
        and not exists (select from ${idsOf('p_ids')} join dale.alias other on other.scheme = x.scheme and other.contact = a.contact where x.scheme in ('lid', 'bsuid'))
      order by x.place limit 1;
    end if;
    if mine is null then
      select dale.new_contact(x.id, x.chat, x.key, p_at) into mine from ${idsOf('p_ids')} order by x.place limit 1;
    end if;

    for one in select * from ${idsOf('p_ids')} where x.scheme <> 'phone' and not exists (select from dale.alias a where a.identity = x.id) order by x.place desc loop
      select * into held from dale.alias where contact = mine and scheme = one.scheme and scheme in ('lid', 'bsuid');
      if held.since > p_at then continue; end if;
      if held.identity is not null then perform dale.drop_alias(held.identity, p_at, 'replaced'); end if;
      insert into dale.alias (identity, scheme, contact, chat, key, since) values (one.id, one.scheme, mine, one.chat, one.key, p_at);
    end loop;

    had_phone := exists (select from dale.alias where contact = mine and scheme = 'phone') or exists (select from dale.alias_moved where contact = mine and scheme = 'phone');
    for one in select * from ${idsOf('p_ids')} where x.scheme = 'phone' order by x.place desc loop
      select * into held from dale.alias where identity = one.id;
      if held.contact = mine or held.since > p_at then continue; end if;
      if held.contact is not null then
        if dale.may_be_one(mine, held.contact) and (not had_phone
          or not exists (select from dale.alias where contact = held.contact and scheme <> 'phone')
          or not exists (select from dale.alias where contact = mine and scheme <> 'phone'))
        then mine := dale.merge_contacts(mine, held.contact);
        else
          insert into dale.alias_moved (identity, scheme, contact, until, why, now_of) values (one.id, 'phone', held.contact, p_at, 'changed_hands', mine);
          delete from dale.alias where identity = one.id;
          held := null;
        end if;
      end if;
      if held.identity is null then
        -- A later word gave them another number, or said whose it is no more.
        if exists (select from dale.alias where contact = mine and scheme = 'phone' and since > p_at)
          or exists (select from dale.alias_moved where identity = one.id and until > p_at) then continue; end if;
        insert into dale.alias (identity, scheme, contact, chat, key, since) values (one.id, 'phone', mine, one.chat, one.key, p_at);
      end if;
      given := true;
    end loop;
    -- One number at a time: whoever gets the old one is somebody else.
    if given then
      for old in select identity from dale.alias where contact = mine and scheme = 'phone' and since <= p_at and not exists (select from ${idsOf('p_ids')} where x.id = identity) loop
        perform dale.drop_alias(old, p_at, 'replaced');
      end loop;
    end if;

    update dale.identity n set contact = mine from dale.alias a
    where n.contact is null and not n.suspended and a.identity = n.identity and a.contact = mine and exists (select from ${idsOf('p_ids')} where x.id = n.identity);
    return mine;
  end`,
)

/** The chat with a contact on an account, from now on; what was begun there under another of their ids, and is nobody else's, is moved into it. */
export const chatWith = routine(
  'chat_with(p_account text, p_account_key text, p_contact text)',
  'text',
  `declare who dale.contact; chat text; one record;
  begin
    select coalesce(root.name, c.name), coalesce(root.chat, c.chat), coalesce(root.key, c.key) into who.name, who.chat, who.key
    from dale.contact c left join dale.contact root on root.name = c.merged_into where c.name = p_contact;
    chat := p_account_key || '/' || who.key;
    insert into dale.contact_chat (conversation, account, contact) values (chat, p_account, who.name) on conflict do nothing;
    for one in select a.chat, c.account, c.conversation as own, split_part(c.conversation, '/', 1) || '/' || a.key as other
      from dale.alias a join dale.contact_chat c on c.contact = who.name and c.moved_to is null
      where a.contact = who.name and a.key <> who.key
        and not exists (select from dale.contact_chat taken where taken.conversation = split_part(c.conversation, '/', 1) || '/' || a.key)
    loop
      perform dale.move_conversation(one.account, one.other, one.own, one.chat, who.chat);
    end loop;
    return chat;
  end`,
)

/** The lock of all links: whoever learns something holds it alone. */
const lockKey = `hashtextextended('dale:links', 0)`

const eventRows = `json_to_recordset(p_events) as e (place int, account text, "providerId" text, conversation text, ids json, peer json, from_id text, "linkedAt" bigint)`

const teaches = `e.from_id is not null or (e.ids is not null and not ${isKnown('e.ids')})
  or (e.peer is not null and (not ${isKnown('e.peer')} or not exists (
    select from dale.alias a join dale.contact k on k.name = a.contact join dale.contact_chat c on c.conversation = split_part(e.conversation, '/', 1) || '/' || k.key
    where a.identity = (e.peer -> 0 ->> 'id'))))`

/**
 * Learns from events, in their order, and returns by place in which conversation each one with a peer belongs, and whether a phone changed
 * hands by it. An event that was there already teaches nothing: what it said may be old by now. Where there is nothing to learn, as
 * nearly always, the lock is shared.
 */
export const linkEvents = routine(
  'link_events(p_events json)',
  'jsonb',
  `declare one record; who text; learnt jsonb := '{}'; latest bigint; moved boolean;
  begin
    if exists (select from ${eventRows} where ${teaches}) then perform pg_advisory_xact_lock(${lockKey});
    else
      perform pg_advisory_xact_lock_shared(${lockKey});
      if exists (select from ${eventRows} where ${teaches}) then raise exception 'the links changed meanwhile' using errcode = '40001'; end if;
    end if;
    for one in select * from ${eventRows} where e.ids is not null or e.peer is not null or e.from_id is not null order by e.place loop
      continue when exists (select from dale.inbox i where i.account = one.account and i.provider_id = one."providerId");
      select coalesce(max(id), 0) into latest from dale.alias_moved where why = 'changed_hands';
      who := null;
      if one.from_id is not null then
        select contact into who from dale.alias where identity = one.from_id;
        perform dale.readdress(one.from_id, coalesce(one."linkedAt", dale.now_ms()));
      else
        if one.ids is not null then perform dale.link(one.ids, coalesce(one."linkedAt", dale.now_ms())); end if;
        if one.peer is not null then who := dale.link(one.peer, coalesce(one."linkedAt", dale.now_ms())); end if;
      end if;
      moved := exists (select from dale.alias_moved where id > latest and why = 'changed_hands');
      if who is not null or moved then learnt := learnt || jsonb_build_object(one.place::text, jsonb_build_object('who', who, 'moved', moved)); end if;
    end loop;
    for one in select * from ${eventRows} where learnt -> e.place::text ->> 'who' is not null order by e.place loop
      learnt := jsonb_set(learnt, array[one.place::text, 'conversation'],
        to_jsonb(dale.chat_with(one.account, split_part(one.conversation, '/', 1), learnt -> one.place::text ->> 'who')));
    end loop;
    return learnt;
  end`,
)

/**
 * Learns the ids that the provider's answer to a sending gives for the person of that chat. Only what is nobody's yet, or another
 * spelling of a number where neither has a lasting id; an answer moves nothing from one person to another. A chat that was begun with a number becomes a contact's by it.
 */
export const linkAnswer = routine(
  'link_answer(p_account text, p_conversation text, p_ids json, p_at bigint)',
  'void',
  `declare mine text; one record; held dale.alias; number text := split_part(p_conversation, '/', 2);
  begin
    select contact into mine from dale.contact_chat where conversation = p_conversation;
    if mine is not null and not exists (select from ${idsOf('p_ids')} left join dale.alias a on a.identity = x.id where a.contact is distinct from mine) then return; end if;
    perform pg_advisory_xact_lock(${lockKey});
    select contact into mine from dale.contact_chat where conversation = p_conversation;
    if mine is null then
      if number !~ '^\\d+$' or split_part(p_conversation, '/', 3) <> '' then return; end if;
      mine := dale.link(json_build_array(json_build_object('id', split_part(p_ids -> 0 ->> 'id', ':', 1) || ':' || number, 'scheme', 'phone', 'chat', number, 'key', number)), p_at);
    end if;
    for one in select * from ${idsOf('p_ids')} order by x.scheme <> 'phone', x.place desc loop
      select * into held from dale.alias where identity = one.id;
      if held.contact = mine then continue; end if;
      if held.contact is null then
        if one.scheme in ('lid', 'bsuid') and exists (select from dale.alias where contact = mine and scheme = one.scheme) then continue; end if;
        insert into dale.alias (identity, scheme, contact, chat, key, since) values (one.id, one.scheme, mine, one.chat, one.key, p_at);
      elsif not exists (select from dale.alias where contact in (mine, held.contact) and scheme <> 'phone') then mine := dale.merge_contacts(mine, held.contact);
      end if;
    end loop;
    perform dale.chat_with(p_account, split_part(p_conversation, '/', 1), mine);
  end`,
)
