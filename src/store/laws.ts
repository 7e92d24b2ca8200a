import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { lifecycle } from '../core/lifecycle.ts'
import type { StateName } from '../core/proposal.ts'
import { commit } from './routines/commit.ts'
import { addressesOf, dropAlias, namesOf, newContact, personNamed, personOf, readdress } from './routines/contacts.ts'
import { due } from './routines/due.ts'
import { keep, nextInbound } from './routines/inbox.ts'
import { chatWith, link, linkAnswer, linkEvents } from './routines/link.ts'
import { mayBeOne, mergeContacts, moveConversation } from './routines/merge.ts'
import { commitThenNext, nextOutgoing } from './routines/outbox.ts'
import { report } from './routines/report.ts'
import { situation } from './routines/situation.ts'
import { nextTurn, turnTold } from './routines/turns.ts'
import { changeLost, lawBroken } from './sql-state.ts'

/** Every (from, to) that the lifecycle's table allows. The database's trigger is made from this list. */
export const legalMoves: readonly (readonly [StateName, StateName])[] = (Object.keys(lifecycle) as StateName[]).flatMap((from) =>
  [...new Set(Object.values(lifecycle[from]).flatMap(({ to }) => to))].map((to) => [from, to] as const),
)

const listOf = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(', ')

const statements = [
  // Raised inside a statement so that nothing of it is kept; `message` is what was lost.
  `create or replace function dale.lost(what text) returns text language plpgsql as $$
  begin raise exception '%', what using errcode = '${changeLost}'; end $$`,

  `create or replace function dale.guard_proposal() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      if new.state <> 'draft' then
        raise exception 'proposal % begins as %, not as a draft', new.id, new.state using errcode = '${lawBroken}';
      end if;
      return new;
    end if;
    if tg_op = 'DELETE' then
      raise exception 'proposal % cannot be deleted', old.id using errcode = '${lawBroken}';
    end if;
    if new.id <> old.id or new.code <> old.code or new.account <> old.account or new.action <> old.action
      or new.canonical_args <> old.canonical_args or new.fingerprint <> old.fingerprint or new.frozen::text <> old.frozen::text
      or new.requester is distinct from old.requester or new.created_at <> old.created_at then
      raise exception 'what proposal % proposes cannot change', old.id using errcode = '${lawBroken}';
    end if;
    if new.revision = old.revision then
      if new.state <> old.state or new.state_body::text <> old.state_body::text then
        raise exception 'proposal % moved without a new revision', old.id using errcode = '${lawBroken}';
      end if;
      return new;
    end if;
    if new.revision <> old.revision + 1 then
      raise exception 'proposal % went from revision % to %', old.id, old.revision, new.revision using errcode = '${lawBroken}';
    end if;
    if old.state || '>' || new.state not in (${listOf(legalMoves.map((pair) => pair.join('>')))}) then
      raise exception 'proposal % cannot go from % to %', old.id, old.state, new.state using errcode = '${lawBroken}';
    end if;
    if old.sent and new.state not in ('executing', 'succeeded', 'failed', 'in_doubt') then
      raise exception 'proposal % was sent and cannot become %', old.id, new.state using errcode = '${lawBroken}';
    end if;
    return new;
  end $$`,
  `create or replace trigger guard_proposal before insert or update or delete on dale.proposal for each row execute function dale.guard_proposal()`,

  // Looked at when the transaction ends, because the decision is written beside the move.
  `create or replace function dale.guard_approval() returns trigger language plpgsql as $$
  begin
    if not exists (select from dale.decision d where d.proposal = new.id and d.verdict = 'approve' and d.final
      and (d.record ->> 'via' = 'grant') = (old.state = 'draft')) then
      raise exception 'proposal % was approved by nobody', new.id using errcode = '${lawBroken}';
    end if;
    -- Without a card there is only the yes that its requester gave before, here, for this.
    if old.state = 'draft' and not exists (select from dale.decision d join dale.granted g on g.id = d.record ->> 'grant'
      where d.proposal = new.id and d.final and g.action = new.action and g.conversation = new.conversation and g.decision ->> 'verdict' = 'approve') then
      raise exception 'proposal % was approved by no grant', new.id using errcode = '${lawBroken}';
    end if;
    return null;
  end $$`,
  `drop trigger if exists guard_approval on dale.proposal`,
  `create constraint trigger guard_approval after update on dale.proposal deferrable initially deferred for each row
    when (new.state = 'approved' and old.state in ('draft', 'pending', 'awaiting_second')) execute function dale.guard_approval()`,

  `create or replace function dale.guard_record() returns trigger language plpgsql as $$
  begin raise exception '% is only ever added to', tg_table_name using errcode = '${lawBroken}'; end $$`,
  ...['history', 'decision', 'attempt', 'vocabulary_version'].map(
    (table) =>
      `create or replace trigger guard_record before update or delete on dale.${table} for each row execute function dale.guard_record()`,
  ),

  `create or replace function dale.is_halted(p_action text, p_account text) returns boolean language sql stable as $$
    select exists (select from dale.halt where scope = 'all' or (scope = 'action' and name = p_action) or (scope = 'account' and name = p_account)) $$`,

  ...[personNamed, personOf, namesOf, addressesOf, newContact, dropAlias, readdress],
  ...[mayBeOne, moveConversation, mergeContacts, link, chatWith, linkEvents, linkAnswer],
  ...[keep, nextInbound, situation, nextOutgoing, turnTold, nextTurn, commit, commitThenNext, due, report],
]

/** Changes whenever a law or a routine does; kept in the database, so that a process can tell whether it stands on its own laws. */
export const lawsVersion = createHash('sha256').update(statements.join('\n')).digest('hex').slice(0, 16)

/** Puts the laws that stand below the code in place, and the routines. Repeatable; run with every migration, so they are never older than the code. */
export async function applyLaws(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
  await sql`insert into dale.laws (version) values (${lawsVersion}) on conflict (only_one) do update set version = excluded.version`.execute(
    db,
  )
}
