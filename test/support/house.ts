import { setTimeout } from 'node:timers/promises'
import { scriptedAgent } from '../../src/agents/scripted.ts'
import { type Composition, compose, type Surroundings } from '../../src/compose.ts'
import { checkConfig } from '../../src/config/check-config.ts'
import type { ConfigInput } from '../../src/config/config.ts'
import type { Proposal } from '../../src/core/proposal.ts'
import type { House } from '../../src/gateway/house.ts'
import { sweep } from '../../src/gateway/sweep.ts'
import type { Agent, Turn } from '../../src/ports/agent.ts'
import type { Channel } from '../../src/ports/channel.ts'
import type { Log } from '../../src/ports/log.ts'
import type { Footing } from '../../src/store/database.ts'
import { moveClock, storeOn, type TestDatabase, type TestStore } from './database.ts'
import { anEmptyStore } from './embedded.ts'
import { bookingAction, Ledger } from './ledger.ts'

/** Where a house stands: an empty database with a clock that can be moved. Several houses may stand on one. */
export interface Stage extends TestStore {
  readonly footing: Footing
}

/** This worker's PGlite, emptied. */
export async function embeddedStage(): Promise<Stage> {
  const store = await anEmptyStore()
  return { ...store, footing: { kind: 'pglite', db: store.db } }
}

/** A PostgreSQL database made by `aDatabase`, emptied. */
export async function postgresStage(database: TestDatabase, connections = 4): Promise<Stage> {
  // The tests' own look at the database is one connection: one question at a time.
  let asked: Promise<unknown> = Promise.resolve()
  const run: Stage['run'] = (text, values) => {
    const answer = asked.then(() => database.run(text, values))
    asked = answer.catch(() => undefined)
    return answer
  }
  const store = await storeOn(database)
  return {
    ...store,
    run,
    moveClock: (byMs) => moveClock({ run }, byMs),
    footing: { kind: 'postgres', url: database.url, connections },
  }
}

/** A line of the log. */
export interface LogLine {
  readonly level: 'info' | 'warn' | 'error'
  readonly event: string
  readonly about: Readonly<Record<string, unknown>>
}

/** What differs from the usual: one simulated account in Spanish, a scripted agent, and one action that books boxes. */
export interface HouseSettings extends Partial<ConfigInput> {
  /** Default: the worker's PGlite, emptied. */
  readonly stage?: Stage
  readonly ledger?: Ledger
  readonly simulated?: NonNullable<Surroundings['simulated']>
  readonly start?: { readonly gateway: boolean; readonly workers: boolean }
  readonly variables?: Readonly<Record<string, string>>
  /** Where its ids and codes come from, if they are to be known. */
  readonly mint?: House['mint']
  /** Spoken through these instead of the accounts' own channels, by the account's name. */
  readonly channels?: ReadonlyMap<string, Channel>
  /** Trouble is what the test is about: errors in the log are no failure. */
  readonly trouble?: boolean
}

/** A house at work in this process. Disposing it drains it, and throws when it met a bug. */
export interface TestHouse extends AsyncDisposable {
  readonly house: House
  readonly composition: Composition
  readonly stage: Stage
  readonly ledger: Ledger
  /** Every turn that reached the agent. */
  readonly turns: readonly Turn[]
  readonly logged: readonly LogLine[]
  readonly counted: readonly { readonly what: string; readonly labels: Readonly<Record<string, string>> }[]
  /** Moves the database's clock. */
  later(byMs: number): Promise<void>
  /** Long enough to read a card. */
  read(): Promise<void>
  /** Sweeps, and resolves once nothing is in hand or due, but for calls that the ledger holds. */
  quiet(): Promise<void>
  /** Every proposal, oldest first. */
  proposals(): Promise<readonly Proposal[]>
}

export const secretKey = 'ab'.repeat(32)

/** What the agent of these tests answers, by the book. */
export const script: Agent = scriptedAgent(
  [
    {
      when: 'registrá {cajas:number} cajas',
      say: 'Preparé el registro.',
      propose: { action: 'registrar', args: { cajas: '{cajas}' } },
    },
    { when: 'anotá {cajas:number} cajas', propose: { action: 'anotar', args: { cajas: '{cajas}' } } },
    { when: 'cuánto sale', say: 'Cada caja sale 10 pesos.' },
    { when: 'qué hace eso', say: 'Anota las cajas en el depósito.' },
    { when: 'necesito factura', say: '¿Querés factura A o B?' },
    { when: 'olvidate de {code}', withdraw: '{code}', say: 'Listo, lo saqué.' },
  ],
  { otherwise: 'Entendido.' },
)

/** Composes a house and sets it to work. */
export async function aHouse(settings: HouseSettings = {}): Promise<TestHouse> {
  const {
    stage = await embeddedStage(),
    ledger = new Ledger(),
    simulated,
    start = { gateway: true, workers: true },
    variables,
    channels,
    mint,
    trouble = false,
    ...config
  } = settings
  const turns: Turn[] = []
  const logged: LogLine[] = []
  const counted: { readonly what: string; readonly labels: Readonly<Record<string, string>> }[] = []
  const agent = config.agent ?? script
  const heard: Agent = {
    ...(agent.memory === undefined ? {} : { memory: agent.memory }),
    ...(agent.later === undefined ? {} : { later: agent.later }),
    run(turn, signal) {
      turns.push(turn)
      return agent.run(turn, signal)
    },
  }
  const input: ConfigInput = {
    locales: { default: 'es' },
    accounts: { demo: { channel: 'simulator' } },
    actions: [bookingAction(ledger)],
    ...config,
    agent: heard,
  }
  const checked = checkConfig(input, { DALE_SECRET_KEY: secretKey, ...variables }, process.cwd())
  const composition = await compose(checked.config, checked.environment, {
    log: logInto(logged),
    count: (what, labels = {}) => void counted.push({ what, labels }),
    footing: stage.footing,
    ...(simulated === undefined ? {} : { simulated }),
    ...(channels === undefined ? {} : { channels }),
    ...(mint === undefined ? {} : { mint }),
  })
  await stage.store.seedPeople(checked.config.people, checked.config.roleChats)
  await composition.start(start)
  const { house } = composition
  return {
    house,
    composition,
    stage,
    ledger,
    turns,
    logged,
    counted,
    later: (byMs) => stage.moveClock(byMs),
    read: () => stage.moveClock(4_000),
    quiet: () => quiet(house, stage, ledger),
    proposals: async () => (await stage.store.list({ limit: 1000 })).toReversed(),
    async [Symbol.asyncDispose]() {
      await composition[Symbol.asyncDispose]()
      // A queue that is slow to answer is no bug of the house: on a busy machine it counts as down for a while.
      const bugs = trouble ? [] : logged.filter(({ level, event }) => level === 'error' && event !== 'queue_down')
      if (bugs.length > 0)
        throw new Error(
          `The house met: ${bugs.map(({ event, about }) => (about.err instanceof Error ? `${event} ${about.err.message}` : event)).join('; ')}`,
          {
            cause: bugs[0]?.about.err,
          },
        )
    },
  }
}

const logInto = (lines: LogLine[]): Log => {
  const at = (level: LogLine['level']) => (about: LogLine['about'], event: string) => void lines.push({ level, event, about })
  return { info: at('info'), warn: at('warn'), error: at('error') }
}

/** Looked at this often; a lost bell is rung again by the sweep after as many looks. */
const lookEveryMs = 3
const looksBetweenSweeps = 60

async function quiet(house: House, stage: Stage, ledger: Ledger): Promise<void> {
  for (let looks = 0; ; looks += 1) {
    if (looks % looksBetweenSweeps === 0) await sweep(house)
    if ((await unfinished(stage)) <= ledger.holding) return
    await setTimeout(lookEveryMs)
  }
}

/** How much is in hand or due now. What waits for a later moment, or behind something that does, is left out. */
export async function unfinished({ run }: Pick<Stage, 'run'>): Promise<number> {
  const [row] = await run(`select (
    (select count(*) from dale.inbox where handled_at is null or (to_agent and turn is null))
    + (select count(*) from dale.turn where ended_at is null)
    + (select count(*) from dale.resume where turn is null)
    + (select count(*) from dale.hook_call where done_at is null and not_before <= dale.now_ms())
    + (select count(*) from dale.outbox o where settled_at is null and not parked and (sending or not_before <= dale.now_ms() and not exists (
        select from dale.outbox e where e.conversation = o.conversation and e.settled_at is null and not e.parked and e.id < o.id and e.not_before > dale.now_ms() and not e.sending)))
    + (select count(*) from dale.proposal where ended_at is null and (
        state = 'executing' or state in ('approved', 'in_doubt') and ready_at <= dale.now_ms()
        or state in ('draft', 'pending', 'awaiting_second') and expires_at <= dale.now_ms()))
  )::int as left`)
  return Number(row?.left)
}
