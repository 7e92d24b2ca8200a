import { sql } from 'kysely'
import type { HookCall, HookedEvent, HookStore } from '../ports/hooks.ts'
import { asking, type Database, nowMs, oneRow } from './database.ts'
import { proposalJson } from './routines/json.ts'
import { proposalOf, type StoredProposal } from './rows.ts'

const isDue = sql`h.done_at is null and h.not_before <= ${nowMs} and coalesce(h.taken_until, 0) <= ${nowMs}
  and not (h.event = 'settled' and exists (select from dale.hook_call e where e.proposal = h.proposal and e.event = 'proposed' and e.done_at is null))`

/** Takes the oldest telling that is due and that nobody has. One statement. */
export function nextHookCall(db: Database, leaseMs: number): Promise<HookCall | undefined> {
  return asking('taking the next call of a hook', async () => {
    const { rows } = await sql<{
      readonly event: HookedEvent
      readonly proposal: StoredProposal
      readonly at: number
      readonly attempts: number
      readonly fence: number
    }>`
      with next as (
        select h.proposal, h.event from dale.hook_call h where ${isDue} order by h.at, h.proposal, h.event limit 1 for update skip locked),
      taken as (
        update dale.hook_call h set taken_until = ${nowMs} + ${leaseMs}::bigint, fence = h.fence + 1, attempts = h.attempts + 1
        from next where h.proposal = next.proposal and h.event = next.event returning h.proposal, h.event, h.at, h.attempts - 1 as attempts, h.fence)
      select taken.event, taken.at, taken.attempts, taken.fence, ${sql.raw(proposalJson('p'))} as proposal
      from taken join dale.proposal p on p.id = taken.proposal`.execute(db)
    const [row] = rows
    return row === undefined ? undefined : { ...row, atMs: row.at, proposal: proposalOf(row.proposal) }
  })
}

/** Ends a call, or lets it be tried again, while its fence is the newest. */
export function endHookCall(
  db: Database,
  ...[{ event, proposal, fence }, how]: Parameters<HookStore['endHookCall']>
): Promise<void> {
  return asking(`ending the call of a hook for ${proposal.id}`, async () => {
    await sql`
      update dale.hook_call set taken_until = null, given_up = ${how.kind === 'given_up'},
        done_at = case when ${how.kind !== 'again'} then ${nowMs} end, not_before = ${nowMs} + ${how.kind === 'again' ? how.inMs : 0}::bigint
      where proposal = ${proposal.id} and event = ${event} and fence = ${fence} and done_at is null`.execute(db)
  })
}

/** Is a telling due? */
export function hookCallsWait(db: Database): Promise<boolean> {
  return asking('looking for calls of hooks', async () => {
    const { waits } = await oneRow(
      db,
      sql<{ readonly waits: boolean }>`select exists (select from dale.hook_call h where ${isDue}) as waits`,
    )
    return waits
  })
}
