import { sql } from 'kysely'
import type { KeptMiss, NextStep, WordDecision } from '../core/replay-words.ts'
import type { Verdict } from '../core/vocabulary.ts'
import type { NearMissDraft } from '../ports/words.ts'
import { asking, type Database, nowMs } from './database.ts'

/** Keeps a near miss, unless its message has one. */
export const keepNearMiss = (db: Database, miss: NearMissDraft): Promise<void> =>
  asking('keeping a near miss', async () => {
    await sql`insert into dale.near_miss (inbox, account, locale, folded, kind, conversation, person, proposal, at)
      values (${miss.inboxId}, ${miss.account}, ${miss.locale}, ${miss.folded}, ${miss.kind}, ${miss.conversation}, ${miss.person}, ${miss.proposalId}, ${nowMs})
      on conflict (inbox) do nothing`.execute(db)
  })

interface Stored extends Omit<KeptMiss, 'next'> {
  readonly decision: { readonly verdict: Verdict; readonly via: string; readonly phrase?: string } | null
  readonly another: boolean
  readonly ended: boolean
}

/** Near misses with what their person did about the card afterwards. */
export const nearMisses = (db: Database, sinceMs: number): Promise<readonly KeptMiss[]> =>
  asking('reading near misses', async () => {
    const { rows } = await sql<Stored>`
      select n.account, n.locale, n.folded, n.kind, n.person, n.proposal as "proposalId", n.at as "atMs",
        (select d.record from dale.decision d where d.proposal = n.proposal and d.person = n.person and d.at >= n.at order by d.id limit 1) as decision,
        exists (select from dale.inbox i where i.conversation = n.conversation and i.person = n.person and i.to_agent and i.id > n.inbox
          and not exists (select from dale.near_miss m where m.inbox = i.id)) as another,
        coalesce((select p.ended_at is not null from dale.proposal p where p.id = n.proposal), true) as ended
      from dale.near_miss n where n.at >= ${sinceMs} order by n.at, n.inbox`.execute(db)
    return rows.map(({ decision, another, ended, ...row }) => ({ ...row, next: nextOf(decision, another, ended) }))
  })

function nextOf(decision: Stored['decision'], another: boolean, ended: boolean): NextStep {
  if (decision !== null)
    return decision.phrase === undefined
      ? { did: 'pressed', verdict: decision.verdict }
      : { did: 'typed', verdict: decision.verdict, phrase: decision.phrase }
  if (another) return { did: 'other' }
  return { did: ended ? 'gave_up' : 'waits' }
}

/** Decisions that were made in words. */
export const wordDecisions = (db: Database, sinceMs: number): Promise<readonly WordDecision[]> =>
  asking('reading decisions in words', async () => {
    const { rows } = await sql<WordDecision>`
      select d.proposal as "proposalId", p.code, p.account, d.verdict, d.record ->> 'via' as via, d.record ->> 'phrase' as phrase,
        d.record ->> 'vocabularyVersion' as "vocabularyVersion", p.frozen ->> 'reversibility' as reversibility, d.at as "atMs"
      from dale.decision d join dale.proposal p on p.id = d.proposal
      where d.at >= ${sinceMs} and d.record ->> 'phrase' is not null order by d.id`.execute(db)
    return rows
  })

/** Erases a person's near misses. */
export const forgetNearMisses = (db: Database, person: string): Promise<number> =>
  asking('erasing near misses of a person', async () => {
    const { rows } = await sql`delete from dale.near_miss where person = ${person}
      or person = (select i.person from dale.identity i where i.identity = ${person})
      or person in (select i.identity from dale.identity i where i.person = ${person}) returning inbox`.execute(db)
    return rows.length
  })

/** Erases near misses whose time is over. */
export const dropNearMisses = (db: Database, olderThanDays: number): Promise<number> =>
  asking('erasing old near misses', async () => {
    const { rows } =
      await sql`delete from dale.near_miss where at <= ${nowMs} - ${olderThanDays * 86_400_000}::bigint returning inbox`.execute(
        db,
      )
    return rows.length
  })
