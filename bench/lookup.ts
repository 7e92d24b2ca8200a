/**
 * What a person has open, asked of a thousand and of a million proposals (one in ten open), on PostgreSQL. Median of five rounds;
 * fails when the million costs more than 1.3 times the thousand, or when the plan leaves the partial index. Needs a server, as the
 * tests do. `node --conditions=dale-source bench/lookup.ts [how many]`
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
  // The filling is written out before anything is measured.
  await database.run('checkpoint')
}

interface Ground extends AsyncDisposable {
  readonly plan: string
  /** Each asks about another person than the time before. */
  lookUp(time: number): Promise<unknown>
  situation(time: number): Promise<unknown>
}

async function ground(count: number): Promise<Ground> {
  const database = await aDatabase()
  const test = await storeOn(database)
  await placed(test.store, aProposal())
  await fill(database, count)
  await database.run('set plan_cache_mode = force_generic_plan')
  await database.run(`prepare look_up (text) as ${openHere.replaceAll('p_conversation', '$1')}`)
  const chatOf = (time: number): string => String(1 + ((time * 7919) % Math.max(1, Math.floor(count / 10) - 1)))
  const plan = await database.run(`explain execute look_up ('${aConversation.account}/1')`)
  return {
    plan: plan.map((line) => String(line['QUERY PLAN'])).join('\n'),
    lookUp: (time) => database.run(`execute look_up ('${aConversation.account}/${chatOf(time)}')`),
    situation: (time) =>
      test.store.situation({
        conversation: { ...aConversation, chat: chatOf(time) },
        identity: 'ana',
        before: { atMs: someTimeMs },
        inboxId: 0,
      }),
    [Symbol.asyncDispose]: async () => {
      await test[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

const medianOf = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** Milliseconds of one asking on each ground: in turn, so that whatever else the machine does falls on both. The first round warms. */
async function compared(asks: readonly ((time: number) => Promise<unknown>)[]): Promise<readonly number[]> {
  const times = asks.map((): number[] => [])
  for (let round = 0; round <= rounds; round += 1) {
    const spent = asks.map(() => 0)
    for (let time = 0; time < asked; time += 1)
      for (const [place, ask] of asks.entries()) {
        const started = performance.now()
        await ask(time)
        spent[place] = (spent[place] ?? 0) + performance.now() - started
      }
    if (round > 0) for (const [place, ms] of spent.entries()) times[place]?.push(ms / asked)
  }
  return times.map(medianOf)
}

await using few = await ground(1_000)
await using lots = await ground(many)
const [fewMs = 0, lotsMs = 0] = await compared([few.lookUp, lots.lookUp])
const [fewSituationMs = 0, lotsSituationMs = 0] = await compared([few.situation, lots.situation])

const line = (name: string, a: number, b: number): string =>
  `${name.padEnd(34)} ${a.toFixed(3)} ms → ${b.toFixed(3)} ms   × ${(b / a).toFixed(2)}`
console.log(`1,000 → ${many.toLocaleString('en')} proposals, one in ten open`)
console.log(line('open proposals of a conversation', fewMs, lotsMs))
console.log(line('the whole situation of a message', fewSituationMs, lotsSituationMs))
console.log(lots.plan)
if (lotsMs > 1.3 * fewMs || !lots.plan.includes('proposal_open')) process.exitCode = 1
