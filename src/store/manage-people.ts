import { sql } from 'kysely'
import { schemeOf } from '../core/identity.ts'
import type { KnownPerson, PeopleChange, PeopleChanged, PeopleChangeRow, Source } from '../ports/people.ts'
import { asking, type Database, nowMs } from './database.ts'
import { lockPeople } from './people.ts'

type Refusal = Extract<PeopleChanged, { kind: 'refused' }>

const refused = (because: Exclude<Refusal['because'], 'taken'>): Refusal => ({ kind: 'refused', because })

interface Stored {
  readonly id: string
  readonly name: string | null
  readonly source: Source
  readonly roles: readonly StoredHeld[]
  readonly identities: readonly StoredHeld[]
}

interface StoredHeld {
  readonly value: string
  readonly source: Source
  readonly by: string | null
  readonly at: number | null
}

/** What a person holds of one kind, with what was taken from them. */
const heldSql = (what: 'role' | 'identity') => {
  const table = sql.raw(what === 'role' ? 'dale.person_role' : 'dale.identity')
  const column = sql.raw(what)
  return sql`coalesce((select json_agg(json_build_object('value', value, 'source', source, 'by', made_by, 'at', at) order by value) from (
    select h.${column} as value, h.source, null::text as made_by, null::bigint as at from ${table} h where h.person = p.id
    union all select x.value, 'configuration', x.made_by, x.at from dale.person_taken x where x.person = p.id and x.what = ${what}) held), '[]'::json)`
}

/** Everybody whom the house knows, or the one with an id. */
export function people(db: Database, id?: string): Promise<readonly KnownPerson[]> {
  return asking('reading people', async () => {
    const { rows } = await sql<Stored>`
      select p.id, p.name, p.source, ${heldSql('role')} as roles, ${heldSql('identity')} as identities
      from dale.person p where ${id ?? null}::text is null or p.id = ${id ?? null}::text order by p.id`.execute(db)
    return rows.map(({ name, roles, identities, ...person }) => ({
      ...person,
      ...(name === null ? {} : { name }),
      roles: roles.map(heldOf),
      identities: identities.map(heldOf),
    }))
  })
}

const heldOf = ({ value, source, by, at }: StoredHeld): KnownPerson['roles'][number] => ({
  value,
  source,
  ...(by === null || at === null ? {} : { taken: { by, atMs: at } }),
})

/** Makes one change of who is who; what it takes away counts for nothing from its commit on. */
export function changePeople(db: Database, change: PeopleChange): Promise<PeopleChanged> {
  return asking('changing people', () =>
    db.transaction().execute(async (tx) => {
      await lockPeople(tx)
      const [known] = await people(tx, change.id)
      const refusal = known === undefined ? await added(tx, change) : await changed(tx, change, known)
      if (refusal !== undefined) return refusal
      const [person] = await people(tx, change.id)
      return { kind: 'changed', ...(person === undefined ? {} : { person }) }
    }),
  )
}

async function added(tx: Database, change: PeopleChange): Promise<Refusal | undefined> {
  if (change.what !== 'add') return refused('unknown')
  for (const identity of change.identities) {
    const holder = await holderOf(tx, identity)
    if (holder !== undefined) return { kind: 'refused', because: 'taken', identity, person: holder }
  }
  await sql`insert into dale.person (id, name, source) values (${change.id}, ${change.name ?? null}, 'managed')`.execute(tx)
  await note(tx, change)
  for (const identity of new Set(change.identities)) await link(tx, { ...change, what: 'link', identity })
  for (const role of new Set(change.roles)) await give(tx, { ...change, what: 'give', role })
  return undefined
}

async function changed(tx: Database, change: PeopleChange, known: KnownPerson): Promise<Refusal | undefined> {
  switch (change.what) {
    case 'add':
      return refused('exists')
    case 'link': {
      const holder = await holderOf(tx, change.identity)
      if (holder === change.id) return refused('theirs_already')
      if (holder !== undefined) return { kind: 'refused', because: 'taken', identity: change.identity, person: holder }
      await link(tx, change)
      return undefined
    }
    case 'give':
      if (has(known.roles, change.role)) return refused('theirs_already')
      await give(tx, change)
      return undefined
    case 'unlink':
      if (!has(known.identities, change.identity)) return refused('not_theirs')
      await unlink(tx, change, known)
      return undefined
    case 'take':
      if (!has(known.roles, change.role)) return refused('not_theirs')
      await take(tx, change, known)
      return undefined
    case 'forget':
      await forget(tx, change, known)
      return undefined
  }
}

const has = (held: KnownPerson['roles'], value: string): boolean =>
  held.some((one) => one.value === value && one.taken === undefined)

async function holderOf(tx: Database, identity: string): Promise<string | undefined> {
  const row = await tx.selectFrom('dale.identity').where('identity', '=', identity).select('person').executeTakeFirst()
  return row?.person
}

type To<W extends PeopleChange['what']> = Extract<PeopleChange, { what: W }>
type Linking = { readonly id: string; readonly by: string; readonly what: 'link' | 'unlink'; readonly identity: string }
type Giving = { readonly id: string; readonly by: string; readonly what: 'give' | 'take'; readonly role: string }

async function link(tx: Database, change: Linking): Promise<void> {
  const { id, identity } = change
  await sql`insert into dale.identity (identity, person, scheme, source) values (${identity}, ${id}, ${schemeOf(identity)}, 'managed')`.execute(
    tx,
  )
  await sql`delete from dale.person_taken where person = ${id} and what = 'identity' and value = ${identity}`.execute(tx)
  await note(tx, change, identity)
}

async function give(tx: Database, change: Giving): Promise<void> {
  const { id, role } = change
  await sql`insert into dale.person_role (person, role, source) values (${id}, ${role}, 'managed')`.execute(tx)
  await sql`delete from dale.person_taken where person = ${id} and what = 'role' and value = ${role}`.execute(tx)
  await note(tx, change, role)
}

async function unlink(tx: Database, change: Linking, known: KnownPerson): Promise<void> {
  const { id, identity } = change
  await sql`delete from dale.identity where person = ${id} and identity = ${identity}`.execute(tx)
  if (isConfigured(known.identities, identity)) await keepTaken(tx, change, 'identity', identity)
  await note(tx, change, identity)
}

async function take(tx: Database, change: Giving, known: KnownPerson): Promise<void> {
  const { id, role } = change
  await sql`delete from dale.person_role where person = ${id} and role = ${role}`.execute(tx)
  if (isConfigured(known.roles, role)) await keepTaken(tx, change, 'role', role)
  await note(tx, change, role)
}

/** Nobody writes or decides as them any more. Somebody of the configuration stays as a name with nothing, so that no start gives it back. */
async function forget(tx: Database, change: To<'forget'>, known: KnownPerson): Promise<void> {
  for (const { value, taken } of known.identities)
    if (taken === undefined) await unlink(tx, { ...change, what: 'unlink', identity: value }, known)
  for (const { value, taken } of known.roles)
    if (taken === undefined) await take(tx, { ...change, what: 'take', role: value }, known)
  await sql`delete from dale.near_miss where person = ${change.id} or person in (select json_array_elements_text(${JSON.stringify(known.identities.map(({ value }) => value))}::json))`.execute(
    tx,
  )
  await forgetSaid(tx, change, known)
  if (known.source === 'managed') {
    await sql`delete from dale.person where id = ${change.id}`.execute(tx)
    await sql`delete from dale.person_taken where person = ${change.id}`.execute(tx)
    await sql`delete from dale.person_change where person = ${change.id}`.execute(tx)
  }
  await note(tx, change)
}

/**
 * What an agent is told of earlier talk ends here in every chat where nobody else wrote, the summary with it; and nothing stands any more that
 * they said "always" to. A group's memory is everybody's, and stays.
 */
async function forgetSaid(tx: Database, { id, by }: To<'forget'>, { identities }: KnownPerson): Promise<void> {
  const theirs = JSON.stringify(identities.map(({ value }) => value))
  const ids = sql`(select n.name from json_array_elements_text(${theirs}::json) i (identity), unnest(dale.names_of(i.identity) || i.identity) n (name)
    union select ${id}::text)`
  await sql`
    with wrote as (select distinct conversation, identity from dale.inbox where kind in ('message', 'press') and identity is not null),
    alone as (select distinct w.conversation from wrote w where w.identity in ${ids}
      and not exists (select from wrote o where o.conversation = w.conversation and o.identity not in ${ids}))
    insert into dale.memory (conversation, summary, until, written_at) select conversation, '', ${nowMs}, ${nowMs} from alone
    on conflict (conversation) do update set summary = '', until = excluded.until, written_at = excluded.written_at`.execute(tx)
  await sql`update dale.granted set ended_at = ${nowMs}, ended_by = ${by} where ended_at is null and person in ${ids}`.execute(tx)
}

const isConfigured = (held: KnownPerson['roles'], value: string): boolean =>
  held.some((one) => one.value === value && one.source === 'configuration')

async function keepTaken(tx: Database, { id, by }: PeopleChange, what: 'role' | 'identity', value: string): Promise<void> {
  await sql`insert into dale.person_taken (person, what, value, made_by, at) values (${id}, ${what}, ${value}, ${by}, ${nowMs})`.execute(
    tx,
  )
}

async function note(tx: Database, { id, what, by }: Pick<PeopleChange, 'id' | 'what' | 'by'>, value?: string): Promise<void> {
  await sql`insert into dale.person_change (person, what, value, made_by, at) values (${id}, ${what}, ${value ?? null}, ${by}, ${nowMs})`.execute(
    tx,
  )
}

/** What was changed of a person, the latest first. */
export function peopleChanges(db: Database, id: string): Promise<readonly PeopleChangeRow[]> {
  return asking('reading changes of a person', async () => {
    const { rows } = await sql<{ person: string; what: PeopleChange['what']; value: string | null; by: string; at: number }>`
      select person, what, value, made_by as by, at from dale.person_change where person = ${id} order by id desc`.execute(db)
    return rows.map(({ value, at, ...row }) => ({ ...row, ...(value === null ? {} : { value }), atMs: at }))
  })
}
