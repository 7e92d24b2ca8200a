// One of two processes that race for proposals in one database. What it is to do comes from its parent, and it tells when it has done it.
import { compose } from '../../src/compose.ts'
import { checkConfig } from '../../src/config/check-config.ts'
import type { Proposal } from '../../src/core/proposal.ts'
import { execute } from '../../src/gateway/execute.ts'
import { expire } from '../../src/gateway/expire.ts'
import { handleInbound } from '../../src/gateway/handle-inbound.ts'
import { move } from '../../src/gateway/move.ts'
import { receive } from '../../src/gateway/receive.ts'
import { script, secretKey } from './house.ts'
import { type Racer, racers, words } from './house-races.ts'
import { bookingAction, Ledger } from './ledger.ts'
import { anId } from './proposals.ts'
import type { Did, Task } from './racer-processes.ts'

const ledger = new Ledger()
const checked = checkConfig(
  {
    locales: { default: 'es' },
    accounts: { demo: { channel: 'simulator' } },
    agent: script,
    actions: [bookingAction(ledger, { mode: 'naive' })],
    people: racers,
    roleChats: { supervisor: { account: 'demo', chat: 'turno' } },
  },
  { DALE_SECRET_KEY: secretKey },
  process.cwd(),
)
const composition = await compose(checked.config, checked.environment, {
  log: { info: () => {}, warn: () => {}, error: (about, event) => console.error(event, about) },
  count: () => {},
  footing: { kind: 'postgres', url: process.env.DALE_TEST_RACE ?? '', connections: 8 },
})
const { house } = composition
await house.words.follow()

process.on('message', async ({ todo, proposals }: Task) => {
  const answers = await Promise.all(proposals.map((proposal) => answerOf(todo, proposal)))
  process.send?.({ answers, calls: ledger.calls.splice(0).map(({ proposal }) => proposal) } satisfies Did)
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')

/** What came of a move that no person makes; of what a person wrote the answer is in the outbox. */
async function answerOf(todo: Task['todo'], proposal: Proposal): Promise<string> {
  switch (todo) {
    case 'carla approves':
      return writes('carla', proposal, 'sí')
    case 'dario approves':
      return writes('dario', proposal, 'sí')
    case 'dario rejects':
      return writes('dario', proposal, 'no')
    case 'expire':
      return expires(proposal)
    case 'edit':
    case 'supersede':
      return (await move(house, proposal, { name: todo, by: anId() }, await house.store.now(), { by: 'ana' })).kind
    case 'execute':
      await execute(house, proposal.id)
      return 'done'
    case 'halt':
      await house.store.halt({ scope: { kind: 'action', name: proposal.action }, by: 'ops' })
      return 'done'
  }
}

async function writes(racer: Racer, proposal: Proposal, phrase: string): Promise<string> {
  const event = words(racer, proposal, phrase, await house.store.now())
  for (const conversation of await receive(house, 'demo', [event])) await handleInbound(house, conversation)
  return 'done'
}

/** As the sweep would, as soon as it may. */
async function expires({ id }: Proposal): Promise<string> {
  for (;;) {
    const read = await house.store.proposal(id)
    if (read?.proposal.state.name !== 'pending') return 'lost'
    const applied = await expire(house, read.proposal, read.nowMs, 'sweep')
    if (applied.kind === 'applied') return 'applied'
  }
}
