import { sql } from 'kysely'
import { asking, connect, type Footing } from './database.ts'

/**
 * Ends every lease and every hold. For the embedded database alone, right after it was opened: the folder's lock proves that whoever
 * held one is dead, so nobody has to wait for its time to be over. What was being sent may have arrived, and a call that was made may
 * have happened; both are seen to as after any lease that is over. Repeatable.
 */
export async function forgetOwners(footing: Footing): Promise<void> {
  await using connection = connect(footing, () => {})
  await asking('ending the leases of a dead process', () =>
    connection.db.transaction().execute(async (tx) => {
      await sql`update dale.lease set until = 0 where until > 0`.execute(tx)
      await sql`update dale.inbox set taken_until = 0 where handled_at is null and taken_until > 0`.execute(tx)
      await sql`update dale.turn set taken_until = 0 where ended_at is null and taken_until > 0`.execute(tx)
      await sql`update dale.hook_call set taken_until = 0 where done_at is null and taken_until > 0`.execute(tx)
      await sql`update dale.outbox set taken_until = 0 where settled_at is null and sending`.execute(tx)
      await sql`
        with freed as (
          update dale.proposal set revision = revision + 1, lease_until = dale.now_ms(), moved_at = dale.now_ms(),
            state_body = jsonb_set(state_body::jsonb, '{leaseUntilMs}', to_jsonb(dale.now_ms()))::json
          where ended_at is null and state = 'executing' and lease_until > dale.now_ms() returning id, revision
        )
        insert into dale.history (proposal, revision, event, from_state, to_state, made_by, at, moved)
        select id, revision, 'lease_ended', 'executing', 'executing', 'start', dale.now_ms(), true from freed`.execute(tx)
    }),
  )
}
