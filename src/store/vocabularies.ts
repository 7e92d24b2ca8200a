import { sql } from 'kysely'
import { activeSinceOf } from '../core/active-since.ts'
import { versionOf, vocabularyOf } from '../core/vocabulary-content.ts'
import type { Activation, VocabularyRow } from '../ports/words.ts'
import { asking, type Database, nowMs, oneRow } from './database.ts'

const columns = sql.raw(
  `id, account, locale, version, content, active_since as "activeSinceMs", activated_at as "atMs", made_by as by, reason, forced`,
)

interface Stored extends Omit<VocabularyRow, 'reason'> {
  readonly reason: string | null
}

const rowOf = ({ reason, ...row }: Stored): VocabularyRow => ({ ...row, ...(reason === null ? {} : { reason }) })

/** The active row of every account. */
export const activeVocabularies = (db: Database): Promise<readonly VocabularyRow[]> =>
  asking('reading the active words', async () => {
    const { rows } =
      await sql<Stored>`select distinct on (account) ${columns} from dale.vocabulary_version order by account, id desc`.execute(
        db,
      )
    return rows.map(rowOf)
  })

/** What was active, the newest first. */
export const vocabularyHistory = (db: Database, limit: number): Promise<readonly VocabularyRow[]> =>
  asking('reading which words were active', async () => {
    const { rows } = await sql<Stored>`select ${columns} from dale.vocabulary_version order by id desc limit ${limit}`.execute(db)
    return rows.map(rowOf)
  })

/** Makes words active where they are not; under one lock, so that two processes with the same files write one row. */
export function activate(db: Database, drafts: readonly Activation[], first: boolean): Promise<readonly VocabularyRow[]> {
  return asking('making words active', () =>
    db.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(hashtextextended('dale:words', 0))`.execute(tx)
      const now = await oneRow(tx, sql<{ readonly ms: number }>`select ${nowMs} as ms`)
      const active = new Map((await activeVocabularies(tx)).map((row) => [row.account, row]))
      for (const { account, locale, content, by, reason, forced } of drafts) {
        const former = active.get(account)
        const version = versionOf(content)
        if (former?.version === version || (first && former?.locale === locale)) continue
        const since = activeSinceOf(
          vocabularyOf(content),
          now.ms,
          former && { vocabulary: vocabularyOf(former.content), activeSinceMs: former.activeSinceMs },
        )
        await sql`insert into dale.vocabulary_version (account, locale, version, content, active_since, activated_at, made_by, reason, forced)
          values (${account}, ${locale}, ${version}, ${JSON.stringify(content)}::json, ${JSON.stringify(since)}::json, ${now.ms}, ${by}, ${reason ?? null}, ${forced})`.execute(
          tx,
        )
      }
      return await activeVocabularies(tx)
    }),
  )
}
