import { sql } from 'kysely'
import { asking, type Database, nowMs, oneRow } from './database.ts'

/**
 * Erases a batch of what is over for longer than so many days; returns how many rows. A conversation with an unfinished proposal keeps all
 * of it, and so does a card's chat. The latest turn of a conversation stays: the next one tells what moved since. One statement.
 */
export function prune(db: Database, olderThanDays: number, limit: number): Promise<number> {
  const before = sql`${nowMs} - ${olderThanDays}::bigint * 86400000`
  return asking('erasing what is old', async () => {
    const { rows } = await oneRow(
      db,
      sql<{ readonly rows: number }>`
      with unfinished as (select id, conversation from dale.proposal where ended_at is null),
      events as (
        delete from dale.inbox where id in (
          select i.id from dale.inbox i where i.handled_at < ${before} and not (i.to_agent and i.turn is null)
            and not exists (select from dale.turn t where t.id = i.turn and t.ended_at is null)
            and not exists (select from unfinished u where u.conversation = i.conversation)
          order by i.handled_at limit ${limit})
        returning 1),
      turns as (
        delete from dale.turn where id in (
          select t.id from dale.turn t where t.ended_at < ${before}
            and exists (select from dale.turn later where later.conversation = t.conversation and later.began_at > t.began_at)
            and not exists (select from unfinished u where u.conversation = t.conversation)
          order by t.ended_at limit ${limit})
        returning 1),
      pushes as (
        delete from dale.push where (turn, id) in (select turn, id from dale.push where at < ${before} order by at limit ${limit}) returning 1),
      told as (
        delete from dale.hook_call where (proposal, event) in (
          select proposal, event from dale.hook_call where done_at < ${before} order by done_at limit ${limit})
        returning 1),
      webhooks as (
        delete from dale.webhook_delivery where (history, url) in (
          select d.history, d.url from dale.webhook_delivery d join dale.webhook w on w.url = d.url and d.history <= w.seen
          where d.done_at < ${before} order by d.done_at limit ${limit})
        returning 1),
      messages as (
        delete from dale.outbox where id in (
          select o.id from dale.outbox o where o.settled_at < ${before}
            and not exists (select from unfinished u where u.id = o.proposal or u.conversation = o.conversation)
          order by o.settled_at limit ${limit})
        returning id),
      parts as (
        delete from dale.sent_message s using messages m where s.outbox = m.id returning s.account, s.message_id),
      reports as (
        delete from dale.report r using parts p where r.account = p.account and r.message_id = p.message_id returning 1),
      -- Of messages that others sent through the account; ours go with their message.
      others as (
        delete from dale.report where (account, message_id, status) in (
          select r.account, r.message_id, r.status from dale.report r where r.at < ${before}
            and not exists (select from dale.sent_message s where s.account = r.account and s.message_id = r.message_id)
          order by r.at limit ${limit})
        returning 1)
      select ((select count(*) from events) + (select count(*) from turns) + (select count(*) from pushes) + (select count(*) from told) + (select count(*) from webhooks) + (select count(*) from messages)
        + (select count(*) from parts) + (select count(*) from reports) + (select count(*) from others))::int as rows`,
    )
    return rows
  })
}
