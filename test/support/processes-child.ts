// A process of Dale that a test starts to kill it: a gateway, workers, or both. What it is comes with its environment.
import { telegramChannel } from '../../src/channels/telegram/channel.ts'
import { compose } from '../../src/compose.ts'
import { checkConfig } from '../../src/config/check-config.ts'
import type { CallContext } from '../../src/ports/action.ts'
import type { Agent } from '../../src/ports/agent.ts'
import type { Channel } from '../../src/ports/channel.ts'
import type { Log } from '../../src/ports/log.ts'
import type { Footing } from '../../src/store/database.ts'
import { openEmbedded } from '../../src/store/embedded.ts'
import { migrate } from '../../src/store/migrate.ts'
import { openStore } from '../../src/store/open.ts'
import { letClockMove, moveClock } from './database.ts'
import { script, secretKey } from './house.ts'
import { type Booking, bookingAction } from './ledger.ts'
import type { LedgerRequest, Point } from './ledger-server.ts'
import { linedChannel } from './lined-channel.ts'
import type { ProcessSettings, Wish } from './processes.ts'

const settings = JSON.parse(process.env.DALE_TEST_PROCESS ?? '{}') as ProcessSettings

async function ask(
  point: Point,
  action: string,
  args: unknown,
  { idempotencyKey: key, fence, signal }: CallContext,
): Promise<void> {
  const request: LedgerRequest = { point, action, key, fence, ...(args as { readonly cajas: number }) }
  const answer = await fetch(settings.ledger, { method: 'POST', body: JSON.stringify(request), signal })
  if (!answer.ok) throw new Error(`The ledger answers ${answer.status}`)
}

const far = (action: string): Booking => ({
  async call(_mode, args, context) {
    await ask('arrived', action, args, context)
    await ask('answered', action, args, context)
  },
  has: () => false,
})

const booking = (name: string, mode: 'idempotent' | 'naive') =>
  bookingAction(far(name), {
    name,
    mode,
    preflight: async (args, context) => {
      await ask('preflight', name, args, context)
      return { kind: 'ready' }
    },
  })

const goingOn: Agent = {
  async *run(turn, signal) {
    if (turn.resumed === undefined) return yield* script.run(turn, signal)
    const { cajas } = turn.resumed.args as { readonly cajas: number }
    const request: LedgerRequest = { point: 'preflight', action: 'resumed', key: turn.id, fence: 0, cajas: cajas + 100 }
    await fetch(settings.ledger, { method: 'POST', body: JSON.stringify(request), signal })
    yield { kind: 'text', text: `Sigo con las ${cajas} cajas.` }
    yield { kind: 'propose', action: 'anotar', args: { cajas: cajas + 10 } }
  },
}

const checked = checkConfig(
  {
    locales: { default: 'es' },
    accounts: { demo: { channel: 'telegram', mode: settings.gateway ? 'polling' : 'webhook', apiRoot: settings.apiRoot } },
    agent: settings.resumes ? goingOn : script,
    ...(settings.resumes ? { limits: { onOutcome: 'resume' } } : {}),
    actions: [booking('registrar', 'idempotent'), booking('anotar', 'naive')],
  },
  {
    DALE_SECRET_KEY: secretKey,
    TELEGRAM_BOT_TOKEN: settings.token,
    TELEGRAM_WEBHOOK_SECRET_TOKEN: 'a-secret_of_more_than_32_characters_0123',
    PUBLIC_URL: 'https://dale.example',
    DATABASE_URL: settings.databaseUrl,
    REDIS_URL: settings.redisUrl,
  },
  process.cwd(),
)

/** Trouble is expected here; what is worse than that is for the test's own output. */
const log: Log = {
  info: () => undefined,
  warn: () => undefined,
  error: (about, event) => void (settings.verbose === true && console.error(event, about)),
}

const lined = await linedChannels()
const footing = settings.folder === undefined ? undefined : await openFolder(settings.folder)
const composition = await compose(checked.config, checked.environment, {
  log,
  count: () => undefined,
  ...(footing === undefined ? {} : { footing }),
  ...(lined === undefined ? {} : { channels: lined }),
})
await composition.start({ gateway: settings.gateway, workers: settings.workers })
process.on('message', async (message: Wish) => {
  if (message.do === 'drain') await composition[Symbol.asyncDispose]()
  else if (footing !== undefined) await moveClock(clientOf(footing), message.byMs)
  process.send?.('done')
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')

async function linedChannels(): Promise<ReadonlyMap<string, Channel> | undefined> {
  const { lined: line, databaseUrl: url, token, apiRoot } = settings
  if (line === undefined || url === undefined) return undefined
  const inner = telegramChannel({ account: 'demo', token, apiRoot, mode: 'polling', log, pollSeconds: 5, backoffMs: 20 })
  const leases = await openStore({ kind: 'postgres', url, connections: 2 })
  return new Map([['demo', linedChannel(inner, { leases, log, ...line })]])
}

async function openFolder(folder: string): Promise<Footing & { readonly kind: 'pglite' }> {
  const { db } = await openEmbedded(folder)
  const opened = { kind: 'pglite', db } as const
  await migrate(opened)
  const client = clientOf(opened)
  const [clock] = await client.run(`select to_regclass('dale.test_clock') is not null as movable`)
  if (clock?.movable !== true) await letClockMove(client)
  await moveClock(client, settings.laterMs ?? 0)
  return opened
}

function clientOf({ db }: Footing & { readonly kind: 'pglite' }) {
  return {
    run: async (text: string, values: readonly unknown[] = []) =>
      (await db.query<Record<string, unknown>>(text, [...values])).rows,
  }
}
