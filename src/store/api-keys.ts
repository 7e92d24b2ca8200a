import { sql } from 'kysely'
import type { ApiKey, ApiKeyStore, Claimed, KeyScope, KeyWindow } from '../ports/api-keys.ts'
import { asking, type Database, nowMs, oneRow } from './database.ts'

interface Stored {
  readonly id: string
  readonly tenant: string
  readonly name: string
  readonly hash: string
  readonly scopes: readonly KeyScope[]
  readonly by: string
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly lastUsedAt: number | null
  readonly revokedAt: number | null
  readonly revokedBy: string | null
}

const columns =
  sql.raw(`id, tenant, name, hash, to_json(scopes) as scopes, made_by as "by", created_at as "createdAt", expires_at as "expiresAt",
  last_used_at as "lastUsedAt", revoked_at as "revokedAt", revoked_by as "revokedBy"`)

const keyOf = ({ id, tenant, name, scopes, by, createdAt, expiresAt, lastUsedAt, revokedAt, revokedBy }: Stored): ApiKey => ({
  id,
  tenant,
  name,
  scopes,
  by,
  createdAtMs: createdAt,
  ...(expiresAt === null ? {} : { expiresAtMs: expiresAt }),
  ...(lastUsedAt === null ? {} : { lastUsedAtMs: lastUsedAt }),
  ...(revokedAt === null || revokedBy === null ? {} : { revoked: { atMs: revokedAt, by: revokedBy } }),
})

/** Keeps a new key. */
export const makeKey = (
  db: Database,
  { id, tenant, name, hash, scopes, by, lastsMs }: Parameters<ApiKeyStore['makeKey']>[0],
): Promise<ApiKey> =>
  asking('making a key', async () =>
    keyOf(
      await oneRow(
        db,
        sql<Stored>`
        insert into dale.api_key (id, tenant, name, hash, scopes, made_by, created_at, expires_at)
        values (${id}, ${tenant}, ${name}, ${hash}, ${[...scopes]}::text[], ${by}, ${nowMs}, ${nowMs} + ${lastsMs ?? null}::bigint)
        returning ${columns}`,
      ),
    ),
  )

/** Every key of a tenant, the newest first. */
export const keys = (db: Database, tenant: string): Promise<readonly ApiKey[]> =>
  asking('listing keys', async () => {
    const { rows } = await sql<Stored>`
      select ${columns} from dale.api_key where tenant = ${tenant} order by created_at desc, id`.execute(db)
    return rows.map(keyOf)
  })

/** A key that was not revoked and is not over. */
export const keyThatHolds = (db: Database, id: string): ReturnType<ApiKeyStore['keyThatHolds']> =>
  asking('reading a key', async () => {
    const { rows } = await sql<Stored>`
      select ${columns} from dale.api_key where id = ${id} and revoked_at is null and (expires_at is null or ${nowMs} < expires_at)`.execute(
      db,
    )
    const [row] = rows
    return row === undefined ? undefined : { key: keyOf(row), hash: row.hash }
  })

/** Counts one request in the window that runs, or begins another. */
export const countRequest = (db: Database, id: string, windowMs: number): Promise<KeyWindow> =>
  asking('counting a request', async () => {
    const isOver = sql`window_began + ${windowMs}::bigint <= ${nowMs}`
    const { rows } = await sql<KeyWindow>`
      update dale.api_key set last_used_at = ${nowMs}, window_count = case when ${isOver} then 1 else least(window_count, 1000000) + 1 end,
        window_began = case when ${isOver} then ${nowMs} else window_began end
      where id = ${id} returning window_count as count, window_began + ${windowMs}::bigint - ${nowMs} as "endsInMs"`.execute(db)
    return rows[0] ?? { count: 1, endsInMs: windowMs }
  })

/** Revokes a key for good. */
export const revokeKey = (db: Database, tenant: string, id: string, by: string): Promise<boolean> =>
  asking('revoking a key', async () => {
    const { rows } = await sql`
      update dale.api_key set revoked_at = ${nowMs}, revoked_by = ${by} where tenant = ${tenant} and id = ${id} and revoked_at is null returning id`.execute(
      db,
    )
    return rows.length > 0
  })

/** Begins a request that may be sent again. */
export const claimRequest = (
  db: Database,
  { key, name, fingerprint, proposalId, leaseMs, keptMs }: Parameters<ApiKeyStore['claimRequest']>[0],
): Promise<Claimed> =>
  asking('beginning a request', () =>
    db.transaction().execute(async (tx) => {
      await sql`delete from dale.idempotency_key where ctid in (
        select ctid from dale.idempotency_key where at <= ${nowMs} - ${keptMs}::bigint and coalesce(taken_until, 0) <= ${nowMs} limit 100 for update skip locked)`.execute(
        tx,
      )
      const { rows: made } = await sql<{ readonly proposal: string }>`
        insert into dale.idempotency_key as held (api_key, name, fingerprint, proposal, at, taken_until)
        values (${key}, ${name}, ${fingerprint}, ${proposalId}, ${nowMs}, ${nowMs} + ${leaseMs}::bigint)
        on conflict (api_key, name) do update set taken_until = excluded.taken_until
        where held.fingerprint = excluded.fingerprint and held.status is null and coalesce(held.taken_until, 0) <= ${nowMs}
        returning held.proposal`.execute(tx)
      if (made[0] !== undefined) return { kind: 'new', proposalId: made[0].proposal }
      const there = await oneRow(
        tx,
        sql<{ readonly fingerprint: string; readonly status: number | null; readonly body: string | null }>`
        select fingerprint, status, body from dale.idempotency_key where api_key = ${key} and name = ${name}`,
      )
      if (there.fingerprint !== fingerprint) return { kind: 'other' }
      return there.status === null ? { kind: 'running' } : { kind: 'done', status: there.status, body: there.body ?? '' }
    }),
  )

/** Keeps what was answered; without an answer the request is nobody's any more. */
export const answerRequest = (
  db: Database,
  key: string,
  name: string,
  answer: Parameters<ApiKeyStore['answerRequest']>[2],
): Promise<void> =>
  asking('keeping an answer', async () => {
    await sql`
      update dale.idempotency_key set taken_until = null, status = ${answer?.status ?? null}::int, body = ${answer?.body ?? null}
      where api_key = ${key} and name = ${name} and status is null`.execute(db)
  })
