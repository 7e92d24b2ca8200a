import { sql } from 'kysely'
import { type Conversation, conversationKeyOf } from '../core/conversation.ts'
import type { InboundMessage } from '../core/inbound.ts'
import type { Past } from '../ports/agent.ts'
import { asking, type Database, nowMs, oneRow } from './database.ts'

/** More than this is never read for one turn; what is older and was never summed up is forgotten. */
const mostLines = 400

interface StoredLine {
  readonly by: 'person' | 'agent'
  readonly event: InboundMessage | null
  readonly text: string | null
  readonly at: number
}

/**
 * What people and the agent said in a conversation since its summary and before the turn: the last `keep` lines, and those before them.
 * The runtime's own words, cards and decisions are not in it. One statement.
 */
export function past(db: Database, conversation: Conversation, turnId: string, keep: number): Promise<Past> {
  const key = conversationKeyOf(conversation)
  return asking('reading what was said before', async () => {
    const { summary, lines } = await oneRow(
      db,
      sql<{ readonly summary: string | null; readonly lines: readonly StoredLine[] }>`
      with since as (select coalesce((select until from dale.memory where conversation = ${key}), 0) as at),
      said as (
        (select 'person' as by, event::text as event, null as text, received_at as at, id from dale.inbox, since
          where conversation = ${key} and to_agent and turn is distinct from ${turnId} and turn is not null and received_at > since.at
          order by received_at desc limit ${mostLines})
        union all
        (select 'agent', null, said_text, written_at, id from dale.outbox, since
          where conversation = ${key} and kind = 'text' and outcome is distinct from 'refused' and written_at > since.at
          order by written_at desc limit ${mostLines})
      )
      select (select summary from dale.memory where conversation = ${key}) as summary,
        coalesce((select json_agg(json_build_object('by', by, 'event', event::json, 'text', text, 'at', at) order by at, by desc, id) from said), '[]'::json) as lines`,
    )
    const told = lines.slice(-mostLines).flatMap(lineOf)
    // Forgotten: nothing is left of what was said until then.
    return {
      ...(summary === null || summary === '' ? {} : { summary }),
      lines: told.slice(-keep),
      overflow: told.slice(0, -keep),
    }
  })
}

function lineOf({ by, event, text, at }: StoredLine): Past['lines'] {
  const told = event === null ? text : event.body.text
  return told === null || told === undefined || told === '' ? [] : [{ by, text: told, atMs: at }]
}

/** Keeps a summary in place of everything said until then. A later one stays. */
export function remember(db: Database, conversation: Conversation, summary: string, untilMs: number): Promise<void> {
  return asking('keeping a summary', async () => {
    await sql`
      insert into dale.memory (conversation, summary, until, written_at) values (${conversationKeyOf(conversation)}, ${summary}, ${untilMs}, ${nowMs})
      on conflict (conversation) do update set summary = excluded.summary, until = excluded.until, written_at = excluded.written_at
      where dale.memory.until <= excluded.until`.execute(db)
  })
}

/** Erases the summary of a conversation, and passes over everything that was said until now. */
export function forgetPast(db: Database, conversation: Conversation): Promise<void> {
  return asking('forgetting what was said', async () => {
    await sql`
      insert into dale.memory (conversation, summary, until, written_at) values (${conversationKeyOf(conversation)}, '', ${nowMs}, ${nowMs})
      on conflict (conversation) do update set summary = '', until = greatest(excluded.until, dale.memory.until), written_at = excluded.written_at`.execute(
      db,
    )
  })
}
