import { sql } from 'kysely'
import type { Person } from '../core/authority.ts'
import { type Conversation, conversationKeyOf, conversationOf } from '../core/conversation.ts'
import { chatNameOf, schemeOf } from '../core/identity.ts'
import type { Store } from '../ports/store.ts'
import { asking, type Database, oneRow } from './database.ts'

/** Ids of one person as routines/link.ts reads them: what kind each is, and how a one-to-one chat would be named by it. */
export const aliasRows = (ids: readonly string[]) =>
  [...new Set(ids)].map((id) => ({ id, scheme: schemeOf(id), chat: chatNameOf(id), key: encodeURIComponent(chatNameOf(id)) }))

/** Two processes start at once, or a person is changed meanwhile: the second waits, and goes by what the first wrote. */
export const lockPeople = async (tx: Database): Promise<void> => {
  await sql`select pg_advisory_xact_lock(hashtextextended('dale:people', 0))`.execute(tx)
}

/** Who stands behind an identity; an unknown one is a person of its own without roles. */
export function person(db: Database, identity: string): Promise<Person> {
  return asking('reading a person', async () => {
    const row = await oneRow(
      db,
      sql<Person>`
      select who.id, coalesce((select json_agg(role order by role) from dale.person_role where person = who.id), '[]'::json) as roles,
        to_json(array_remove(dale.names_of(who.id), who.id)) as formerly
      from dale.person_of(${identity}) who (id)`,
    )
    return row
  })
}

/**
 * Makes people, identities, roles and role chats of the configuration be as told, and nothing else of it; one transaction. What `dale
 * people` gave stays, but not with somebody who was in the configuration and is no more; what it took away stays away. An identity that the
 * configuration names is whose it says.
 */
export function seedPeople(
  db: Database,
  people: Parameters<Store['seedPeople']>[0],
  roleChats: Parameters<Store['seedPeople']>[1],
): Promise<void> {
  const told = JSON.stringify(
    people.map(({ id, name, identities, roles }) => ({
      id,
      name,
      roles: [...new Set(roles)],
      identities: [...new Set(identities)].map((identity) => ({ identity, scheme: schemeOf(identity) })),
    })),
  )
  const chats = roleChats.map(({ role, conversation }, place) => ({ role, conversation: conversationKeyOf(conversation), place }))
  return asking('seeding people', () =>
    db.transaction().execute(async (tx) => {
      await lockPeople(tx)
      // Whom an id of the configuration was found to mean outlives a restart; what is new in it means whoever writes from it next.
      const { rows: bound } = await sql`
        select identity, person, contact, suspended from dale.identity where contact is not null or suspended`.execute(tx)
      await tx.deleteFrom('dale.role_chat').execute()
      const persons = sql`json_to_recordset(${told}::json) as t (id text, name text, roles json, identities json)`
      const identities = sql`${persons}, json_to_recordset(t.identities) as i (identity text, scheme text)`
      await sql`delete from dale.person p where p.source = 'configuration' and not exists (select from ${persons} where t.id = p.id)`.execute(
        tx,
      )
      await sql`delete from dale.person_role where source = 'configuration'`.execute(tx)
      await sql`delete from dale.identity n where n.source = 'configuration' or exists (select from ${identities} where i.identity = n.identity)`.execute(
        tx,
      )
      await sql`
        insert into dale.person (id, name, source) select t.id, t.name, 'configuration' from ${persons}
        on conflict (id) do update set name = excluded.name, source = excluded.source`.execute(tx)
      await sql`
        insert into dale.identity (identity, person, scheme, source) select i.identity, t.id, i.scheme, 'configuration' from ${identities}
        where not exists (select from dale.person_taken x where x.person = t.id and x.what = 'identity' and x.value = i.identity)`.execute(
        tx,
      )
      await sql`
        insert into dale.person_role (person, role, source) select t.id, r.role, 'configuration' from ${persons}, json_array_elements_text(t.roles) as r (role)
        where not exists (select from dale.person_taken x where x.person = t.id and x.what = 'role' and x.value = r.role)
        on conflict (person, role) do update set source = excluded.source`.execute(tx)
      if (bound.length > 0)
        await sql`
          update dale.identity n set contact = b.contact, suspended = b.suspended
          from json_to_recordset(${JSON.stringify(bound)}::json) as b (identity text, person text, contact text, suspended boolean)
          where n.identity = b.identity and n.person = b.person`.execute(tx)
      if (chats.length > 0) await tx.insertInto('dale.role_chat').values(chats).execute()
      // One that is named by a number or an older id is the chat of whoever that was found to be.
      await sql`
        update dale.role_chat r set conversation = split_part(r.conversation, '/', 1) || '/' || k.key
        from dale.contact_chat c join dale.contact k on k.name = c.contact
        where (c.conversation = r.conversation or exists (select from dale.alias a where a.contact = c.contact and split_part(c.conversation, '/', 1) || '/' || a.key = r.conversation))
          and not exists (select from dale.contact_chat own where own.conversation = r.conversation and own.contact <> c.contact)
          and not exists (select from dale.role_chat there where there.role = r.role and there.conversation = split_part(r.conversation, '/', 1) || '/' || k.key)`.execute(
        tx,
      )
    }),
  )
}

/** Where cards for a role are shown, as they were configured. */
export function roleChats(db: Database, role: string): Promise<readonly Conversation[]> {
  return asking('reading where a role is shown cards', async () => {
    const rows = await db.selectFrom('dale.role_chat').where('role', '=', role).orderBy('place').select('conversation').execute()
    return rows.map(({ conversation }) => conversationOf(conversation))
  })
}

export function peopleWith(db: Database, role: string): Promise<readonly string[]> {
  return asking('reading who has a role', async () => {
    const rows = await db.selectFrom('dale.person_role').where('role', '=', role).orderBy('person').select('person').execute()
    return rows.map(({ person }) => person)
  })
}
