// A gateway with workers whose words are files of a folder: it takes in what its parent tells it that people wrote, and reads the files
// again on SIGHUP, as `dale start` does.
import { scriptedAgent } from '../../src/agents/scripted.ts'
import { compose } from '../../src/compose.ts'
import { checkConfig } from '../../src/config/check-config.ts'
import { takeIn } from '../../src/gateway/take-in.ts'
import { openLog } from '../../src/log.ts'
import { secretKey } from './house.ts'
import { bookingAction, Ledger } from './ledger.ts'

/** Where a child stands. */
export interface WordsChild {
  readonly databaseUrl: string
  readonly folder: string
}

/** What somebody wrote: the parent's number orders it behind everything before. */
export interface Written {
  readonly chat: string
  readonly text: string
  readonly number: number
}

const { databaseUrl, folder } = JSON.parse(process.env.DALE_TEST_WORDS ?? '{}') as WordsChild
const { config, environment } = checkConfig(
  {
    locales: { default: 'es', folder },
    accounts: { demo: { channel: 'simulator' } },
    agent: scriptedAgent([
      { when: 'registrá {cajas:number} cajas', propose: { action: 'registrar', args: { cajas: '{cajas}' } } },
    ]),
    actions: [bookingAction(new Ledger())],
    limits: { minReviewTextMs: 0 },
  },
  { DALE_SECRET_KEY: secretKey, DATABASE_URL: databaseUrl },
  process.cwd(),
)
const composition = await compose(config, environment, { log: openLog('error', 'stderr'), count: () => undefined })
await composition.start({ gateway: true, workers: true })
process.on('SIGHUP', () => void composition.reload('SIGHUP'))
process.on('message', async ({ chat, text, number }: Written) => {
  await takeIn(composition.house, 'demo', [
    {
      kind: 'message',
      conversation: { account: 'demo', chat },
      providerId: `w${number}`,
      sender: { id: `sim:${chat}` },
      messageId: `w${number}`,
      // Behind every number that a simulated provider gives out.
      moment: { atMs: Date.now(), order: 4_000_000_000 + number },
      group: false,
      addressed: true,
      reply: { kind: 'none' },
      body: { kind: 'text', text },
    },
  ])
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
