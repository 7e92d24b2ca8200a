import { sql } from 'kysely'
import { BrokenInvariantError, ConfigError } from '../core/errors.ts'
import type { Vault, VaultEntry } from '../ports/vault.ts'
import { asking, connect, type Database, type Footing, oneRow } from './database.ts'
import { type SealKey, seal, sealKeyOf, unseal } from './seal.ts'

/** The secrets that the vault's keys are made of. `previous` still opens what was sealed under it; nothing new is. */
export interface VaultSecrets {
  readonly current: Uint8Array
  readonly previous?: Uint8Array | undefined
}

interface Row {
  readonly kind: string
  readonly id: string
  readonly value: string
  readonly key_id: string
}

const connections = 2
const rekeyedAtOnce = 100

/** An open vault. Disposing closes its connections, but leaves a PGlite to its owner. */
export interface OpenVault extends Vault, AsyncDisposable {
  /** Puts everything that is still under the previous key under the current one, and answers how many there were. Repeatable. */
  rekey(): Promise<number>
}

/**
 * Opens the vault on a footing, with connections of its own: a channel's keys must not wait behind the day's work.
 */
export function openVault(
  footing: Footing,
  { current, previous }: VaultSecrets,
  { onError = () => {} }: { readonly onError?: (error: Error) => void } = {},
): OpenVault {
  const connection = connect(footing.kind === 'postgres' ? { ...footing, connections } : footing, onError)
  const { db } = connection
  const key = sealKeyOf(current)
  const keys = previous === undefined ? [key] : [key, sealKeyOf(previous)]

  const opened = async (account: string, rows: readonly Row[]): Promise<ReadonlyMap<string, Uint8Array>> => {
    const values = new Map<string, Uint8Array>()
    for (const row of rows) {
      const value = open(account, row, keys)
      values.set(row.id, value)
      if (row.key_id !== key.id) await reseal(db, account, row, value, key)
    }
    return values
  }

  return {
    read: (account, kind, ids) =>
      asking(`reading secrets of ${account}`, async () => {
        if (ids.length === 0) return new Map()
        const rows = await db
          .selectFrom('dale.secret')
          .where('account', '=', account)
          .where('kind', '=', kind)
          .where('id', 'in', [...new Set(ids)])
          .select(['kind', 'id', 'value', 'key_id'])
          .execute()
        return await opened(account, rows)
      }),

    readAll: (account, kind) =>
      asking(`reading secrets of ${account}`, async () => {
        const rows = await db
          .selectFrom('dale.secret')
          .where('account', '=', account)
          .where('kind', '=', kind)
          .orderBy('id')
          .select(['kind', 'id', 'value', 'key_id'])
          .execute()
        return await opened(account, rows)
      }),

    write: (account, entries, lease) => asking(`writing secrets of ${account}`, () => write(db, account, entries, key, lease)),

    erase: (account, kinds, lease) =>
      asking(`erasing secrets of ${account}`, async () => {
        const { held } = await oneRow(
          db,
          sql<{ readonly held: boolean }>`
          with held as materialized (${holding(lease)}),
          gone as (
            delete from dale.secret where account = ${account} and exists (select from held)
              and (${kinds === undefined} or kind in (select json_array_elements_text(${JSON.stringify(kinds ?? [])}::json)))
          )
          select exists (select from held) as held`,
        )
        return held
      }),

    rekey: () =>
      asking('changing the key of secrets', async () => {
        const [, old] = keys
        for (let count = 0; ; ) {
          const rows = await db
            .selectFrom('dale.secret')
            .where('key_id', '=', old?.id ?? '')
            .limit(rekeyedAtOnce)
            .select(['account', 'kind', 'id', 'value', 'key_id'])
            .execute()
          if (rows.length === 0) return count
          for (const row of rows) await reseal(db, row.account, row, open(row.account, row, keys), key)
          count += rows.length
        }
      }),

    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  }
}

function open(account: string, { kind, id, value, key_id }: Row, keys: readonly SealKey[]): Uint8Array {
  const key = keys.find((one) => one.id === key_id)
  if (key === undefined)
    throw new ConfigError([
      {
        path: 'DALE_SECRET_KEY',
        message: `is not the key under which the secrets of the account ${account} were stored (key ${key_id}): put that one back, or set DALE_SECRET_KEY_PREVIOUS to it while the change goes on`,
      },
    ])
  const opened = unseal(value, { account, kind, id }, key)
  if (opened === undefined)
    throw new BrokenInvariantError(`A secret of the account ${account} (${kind}) was changed or moved in the database`)
  return opened
}

/** What was read under an old key is kept under the new one, unless somebody has written it since. */
async function reseal(db: Database, account: string, { kind, id, value }: Row, opened: Uint8Array, key: SealKey): Promise<void> {
  await db
    .updateTable('dale.secret')
    .set({ value: seal(opened, { account, kind, id }, key), key_id: key.id })
    .where('account', '=', account)
    .where('kind', '=', kind)
    .where('id', '=', id)
    .where('value', '=', value)
    .execute()
}

/** One row while the lease is held under this fence, and none after: whoever takes it waits for the statement that asked. */
const holding = (lease: { readonly name: string; readonly fence: number } | undefined) =>
  lease === undefined
    ? sql`select true as held`
    : sql`select true as held from dale.lease where name = ${lease.name} and fence = ${lease.fence} for share`

/** One statement, so all of it or nothing. Whoever takes the lease waits for it, and then reads what it wrote. */
async function write(
  db: Database,
  account: string,
  entries: readonly VaultEntry[],
  key: SealKey,
  lease: { readonly name: string; readonly fence: number } | undefined,
): Promise<boolean> {
  // The last word on an entry counts; a statement may touch a row only once.
  const last = new Map(entries.map((entry) => [JSON.stringify([entry.kind, entry.id]), entry]))
  const rows = [...last.values()].map(({ kind, id, value }) => ({
    kind,
    id,
    value: value === undefined ? null : seal(value, { account, kind, id }, key),
  }))
  const { held } = await oneRow(
    db,
    sql<{ readonly held: boolean }>`
    with held as materialized (${holding(lease)}),
    entry as (select * from json_to_recordset(${JSON.stringify(rows)}::json) as entry (kind text, id text, value text)),
    gone as (
      delete from dale.secret as old using entry
      where old.account = ${account} and old.kind = entry.kind and old.id = entry.id and entry.value is null and exists (select from held)
    ),
    kept as (
      insert into dale.secret (account, kind, id, value, key_id)
      select ${account}, kind, id, value, ${key.id} from entry where value is not null and exists (select from held)
      on conflict (account, kind, id) do update set value = excluded.value, key_id = excluded.key_id
    )
    select exists (select from held) as held`,
  )
  return held
}
