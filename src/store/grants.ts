import { sql } from 'kysely'
import { conversationKeyOf, conversationOf } from '../core/conversation.ts'
import type { Grant } from '../core/grant.ts'
import type { GrantScope, GrantUse } from '../ports/grants.ts'
import { asking, type Database } from './database.ts'
import { askedNames } from './routines/contacts.ts'

interface Stored extends Omit<Grant, 'conversation' | 'ended'> {
  readonly conversation: string
  readonly endedAtMs: number | null
  readonly endedBy: string | null
}

const columns = sql.raw(`id, code, person, conversation, action, action_version as "actionVersion", reversibility, times, uses,
  born_at as "bornAtMs", ends_at as "endsAtMs", decision, ended_at as "endedAtMs", ended_by as "endedBy"`)
const holds = sql.raw('ended_at is null and uses < times and dale.now_ms() < ends_at')

const grantOf = ({ conversation, endedAtMs, endedBy, ...grant }: Stored): Grant => ({
  ...grant,
  conversation: conversationOf(conversation),
  ...(endedAtMs === null || endedBy === null ? {} : { ended: { atMs: endedAtMs, by: endedBy } }),
})

/** The newest grant that holds now. */
export const grantFor = (db: Database, { conversation, person, action }: GrantScope): Promise<Grant | undefined> =>
  asking('looking for a grant', async () => {
    const { rows } = await sql<Stored>`
      select ${columns} from dale.granted, (values (${person}::text)) asker (name)
      where conversation = ${conversationKeyOf(conversation)} and action = ${action} and ${holds}
        and person = any (${sql.raw(askedNames('asker.name'))}) order by born_at desc, id desc limit 1`.execute(db)
    return rows[0] === undefined ? undefined : grantOf(rows[0])
  })

/** One grant by its id. */
export const grant = (db: Database, id: string): Promise<Grant | undefined> =>
  asking('reading a grant', async () => {
    const { rows } = await sql<Stored>`select ${columns} from dale.granted where id = ${id}`.execute(db)
    return rows[0] === undefined ? undefined : grantOf(rows[0])
  })

/** Grants, the newest first. */
export const grants = (
  db: Database,
  { holding, limit }: { readonly holding: boolean; readonly limit: number },
): Promise<readonly Grant[]> =>
  asking('listing grants', async () => {
    const { rows } = await sql<Stored>`
      select ${columns} from dale.granted where not ${holding} or (${holds}) order by born_at desc, id desc limit ${limit}`.execute(
      db,
    )
    return rows.map(grantOf)
  })

/** What was approved under a grant, the latest first. */
export const grantUses = (db: Database, id: string): Promise<readonly GrantUse[]> =>
  asking('reading the uses of a grant', async () => {
    const { rows } = await sql<GrantUse>`
      select p.id as "proposalId", p.code, p.state, d.at as "atMs" from dale.decision d join dale.proposal p on p.id = d.proposal
      where d.record ->> 'grant' = ${id} order by d.id desc limit 200`.execute(db)
    return rows
  })

/** Ends a grant, once. */
export const revokeGrant = (db: Database, id: string, by: string): Promise<boolean> =>
  asking('ending a grant', async () => {
    const { rows } = await sql`
      update dale.granted set ended_at = dale.now_ms(), ended_by = ${by} where id = ${id} and ended_at is null returning id`.execute(
      db,
    )
    return rows.length > 0
  })
