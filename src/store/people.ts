import { sql } from 'kysely'
import type { Person } from '../core/authority.ts'
import { type Conversation, conversationKeyOf, conversationOf } from '../core/conversation.ts'
import type { Store } from '../ports/store.ts'
import { asking, type Database, oneRow } from './database.ts'

/** Who stands behind an identity; an unknown one is a person of its own without roles. */
export function person(db: Database, identity: string): Promise<Person> {
  return asking('reading a person', async () => {
    const row = await oneRow(
      db,
      sql<Person>`
      select who.id, coalesce((select json_agg(role order by role) from dale.person_role where person = who.id), '[]'::json) as roles
      from (select coalesce((select person from dale.identity where identity = ${identity}), ${identity}) as id) who`,
    )
    return row
  })
}

/** Makes people, identities, roles and role chats be as told, and nothing else; one transaction. */
export function seedPeople(
  db: Database,
  people: Parameters<Store['seedPeople']>[0],
  roleChats: Parameters<Store['seedPeople']>[1],
): Promise<void> {
  const identities = people.flatMap(({ id, identities }) => identities.map((identity) => ({ identity, person: id })))
  const roles = people.flatMap(({ id, roles }) => roles.map((role) => ({ person: id, role })))
  const chats = roleChats.map(({ role, conversation }, place) => ({ role, conversation: conversationKeyOf(conversation), place }))
  return asking('seeding people', () =>
    db.transaction().execute(async (tx) => {
      // Two processes start at once: the second waits, and writes the same again.
      await sql`select pg_advisory_xact_lock(hashtextextended('dale:people', 0))`.execute(tx)
      await tx.deleteFrom('dale.role_chat').execute()
      await tx.deleteFrom('dale.person').execute()
      if (people.length > 0)
        await tx
          .insertInto('dale.person')
          .values(people.map(({ id }) => ({ id })))
          .execute()
      if (identities.length > 0) await tx.insertInto('dale.identity').values(identities).execute()
      if (roles.length > 0) await tx.insertInto('dale.person_role').values(roles).execute()
      if (chats.length > 0) await tx.insertInto('dale.role_chat').values(chats).execute()
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
