import { routine } from './routine.ts'

/** Who stands behind an identity: a person of the configuration, else the contact that it is an id of, else itself, unless a contact has that name. */
export const personOf = routine(
  'person_of(p_identity text)',
  'text',
  `declare holder text := (select contact from dale.alias where identity = p_identity);
  begin
    if holder is not null then return dale.person_named(holder); end if;
    return coalesce(
      (select person from dale.identity where identity = p_identity and contact is null and not suspended),
      (select name || '~' from dale.contact where name = p_identity),
      p_identity);
  end`,
  'stable',
)

/** The same, by look-ups alone for whoever has one id for ever: on the way of every message a call would cost more than they do. */
export const personSql = (identity: string): string =>
  `case when exists (select from dale.alias a where a.identity = ${identity}) or exists (select from dale.contact c where c.name = ${identity}) then dale.person_of(${identity})
    else coalesce((select n.person from dale.identity n where n.identity = ${identity} and n.contact is null and not n.suspended), ${identity}) end`

/** The person of the configuration that a contact is; a lasting id tells it before a phone does. Else the contact. */
export const personNamed = routine(
  'person_named(p_contact text)',
  'text',
  `declare root text := coalesce((select merged_into from dale.contact where name = p_contact), p_contact);
  begin
    return coalesce((select person from dale.identity where contact = root and not suspended order by scheme = 'phone', identity limit 1), root);
  end`,
  'stable',
)

/** Every name that a person's rows may stand under: their own, and those of the contacts that they are and that became them. */
export const namesOf = routine(
  'names_of(p_person text)',
  'text[]',
  `declare roots text[] := array(
    select coalesce(merged_into, name) from dale.contact where name = p_person
    union select contact from dale.identity where person = p_person and contact is not null and not suspended);
  begin
    return array(select p_person
      union select name from dale.contact where name = any (roots) or merged_into = any (roots)
      union select person from dale.identity where contact = any (roots) and not suspended);
  end`,
  'stable',
)

/** The same, and the ids that the configuration or `dale people` gives them: what was asked for before an id was known to be theirs is theirs too. */
export const askedNames = (person: string): string =>
  `array(select unnest(dale.names_of(${person})) union select n.identity from dale.identity n where n.person = ${person} and n.contact is null and not n.suspended)`

/** Every id of the person of a one-to-one chat, newest first; null where the chat is no contact's. */
export const addressesOf = routine(
  'addresses_of(p_conversation text)',
  'text[]',
  `begin
    return (select array(select a.identity from dale.alias a where a.contact = c.contact order by a.since desc, a.scheme = 'phone', a.place desc)
      from dale.contact_chat c where c.conversation = p_conversation);
  end`,
  'stable',
)

/** Where a conversation is by now: work that was under way while two contacts became one still names the newer's. */
export const whereNow = (conversation: string): string =>
  `coalesce((select c.moved_to from dale.contact_chat c where c.conversation = ${conversation}), ${conversation})`

/** A contact of its own for an id that is nobody's. */
export const newContact = routine(
  'new_contact(p_id text, p_chat text, p_key text, p_at bigint)',
  'text',
  `declare ending text := ''; number int := 1;
  begin
    while exists (select from dale.contact where name = p_id || ending) loop
      number := number + 1;
      ending := '~' || number;
    end loop;
    insert into dale.contact (name, chat, key, since) values (p_id || ending, p_chat || ending, p_key || ending, p_at);
    return p_id || ending;
  end`,
)

/** Takes an id from whoever has it. */
export const dropAlias = routine(
  'drop_alias(p_identity text, p_at bigint, p_why text)',
  'void',
  `begin
    with gone as (delete from dale.alias where identity = p_identity returning *)
    insert into dale.alias_moved (identity, scheme, contact, until, why) select identity, scheme, contact, p_at, p_why from gone;
  end`,
)

/**
 * An id was given up: it binds nobody from then on, also no person of the configuration. With a lasting one go the phones that were known
 * through it. What the provider said later than this stays.
 */
export const readdress = routine(
  'readdress(p_identity text, p_at bigint)',
  'void',
  `declare held dale.alias; phone text;
  begin
    update dale.identity set suspended = true, contact = null where identity = p_identity;
    select * into held from dale.alias where identity = p_identity and since <= p_at;
    if held.identity is null then return; end if;
    perform dale.drop_alias(p_identity, p_at, 'readdressed');
    if held.scheme = 'phone' then return; end if;
    for phone in select identity from dale.alias where contact = held.contact and scheme = 'phone' and since <= p_at loop
      update dale.identity set suspended = true, contact = null where identity = phone;
      perform dale.drop_alias(phone, p_at, 'readdressed');
    end loop;
  end`,
)
