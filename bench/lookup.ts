/**
 * What a person has open, asked of a thousand and of a million proposals (one in ten open), on PostgreSQL. Median of five rounds;
 * fails when the million costs more than 1.3 times the thousand, or when the plan leaves the partial index. Needs a server, as the
 * tests do. `node --conditions=source bench/lookup.ts [how many]`
 */
import { openHere } from '../src/store/routines/situation.ts'
import { aDatabase, storeOn, type TestDatabase } from '../test/support/database.ts'
import { aConversation, aProposal, placed, someTimeMs } from '../test/support/proposals.ts'

const rounds = 5
const asked = 400
const many = Number(process.argv[2] ?? 1_000_000)

/** Copies of one stored proposal, each with ten siblings in its chat, nine of ten ended; the laws are out of force meanwhile. */
async function fill(database: TestDatabase, count: number): Promise<void> {
  await database.run('set session_replication_role = replica')
  await database.run(
    `insert into dale.proposal (id, code, account, conversation, requester, action, canonical_args, fingerprint, frozen, created_at, state, state_body, revision, card_revision, expires_at, moved_at, closed_at, ended_at)
     select 'copy-' || n, 'c' || n, account, account || '/' || n / 10, requester, action, canonical_args, fingerprint, frozen, created_at,
       case when n % 10 = 0 then 'pending' else 'expired' end, state_body, revision, card_revision, expires_at, moved_at, case when n % 10 <> 0 then n end, case when n % 10 <> 0 then n end
     from dale.proposal, generate_series(1, $1::int) n where requester = 'ana'`,
    [count - 1],
  )
  await database.run(
    `insert into dale.showing (proposal, card_revision, account, conversation, message_ids, accepted_at, waits)
     select id, 1, account, conversation, array[id], $1::bigint, false from dale.proposal where id like 'copy-%'`,
    [someTimeMs],
  )
  await database.run('set session_replication_role = origin')
  await database.run('vacuum (analyze) dale.proposal, dale.showing')
}

const medianOf = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** Milliseconds of one look-up, each of another person. */
async function timed(count: number, ask: (chat: string) => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now()
    for (let time = 0; time < asked; time += 1) await ask(String(1 + ((time * 7919) % Math.max(1, Math.floor(count / 10) - 1))))
    times.push((performance.now() - started) / asked)
  }
  return medianOf(times)
}

async function measure(count: number): Promise<{ readonly bareMs: number; readonly situationMs: number; readonly plan: string }> {
  await using database = await aDatabase()
  await using test = await storeOn(database)
  await placed(test.store, aProposal())
  await fill(database, count)
  await database.run('set plan_cache_mode = force_generic_plan')
  await database.run(`prepare look_up (text) as ${openHere.replaceAll('p_conversation', '$1')}`)
  const bareMs = await timed(count, (chat) => database.run(`execute look_up ('${aConversation.account}/${chat}')`))
  const situationMs = await timed(count, (chat) => test.store.situation({ conversation: { ...aConversation, chat }, identity: 'ana', before: { atMs: someTimeMs }, inboxId: 0 }))
  const plan = await database.run(`explain execute look_up ('${aConversation.account}/1')`)
  return { bareMs, situationMs, plan: plan.map((line) => String(line['QUERY PLAN'])).join('\n') }
}

const [few, lots] = [await measure(1_000), await measure(many)]
const line = (name: string, a: number, b: number): string => `${name.padEnd(34)} ${a.toFixed(3)} ms → ${b.toFixed(3)} ms   × ${(b / a).toFixed(2)}`
console.log(`1,000 → ${many.toLocaleString('en')} proposals, one in ten open`)
console.log(line('open proposals of a conversation', few.bareMs, lots.bareMs))
console.log(line('the whole situation of a message', few.situationMs, lots.situationMs))
console.log(lots.plan)
if (lots.bareMs > 1.3 * few.bareMs || !lots.plan.includes('proposal_open')) process.exitCode = 1
