import { randomBytes, randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { hostname, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { workDeliveries } from '../workers/deliveries.ts'
import { workExecutions } from '../workers/executions.ts'
import { workHooks } from '../workers/hooks.ts'
import { workLine } from '../workers/lines.ts'
import { workSweeps } from '../workers/sweeps.ts'
import { workTurns } from '../workers/turns.ts'
import { workWebhooks } from '../workers/webhooks.ts'
import { type OpenedSources, openSources } from './actions/open-sources.ts'
import { type SimulatorOptions, simulatorChannel } from './channels/simulator/channel.ts'
import { telegramChannel } from './channels/telegram/channel.ts'
import { baileysChannel } from './channels/whatsapp-baileys/channel.ts'
import { cloudChannel } from './channels/whatsapp-cloud/channel.ts'
import { checkOpened } from './config/check-together.ts'
import type { Account, Config } from './config/config.ts'
import type { Environment } from './config/environment.ts'
import type { PushAnswer } from './console/app.ts'
import { codeFrom } from './core/code.ts'
import { ConfigError } from './core/errors.ts'
import { ulidFrom } from './core/ulid.ts'
import type { House } from './gateway/house.ts'
import { ReportWatch } from './gateway/report-watch.ts'
import { takeIn } from './gateway/take-in.ts'
import { takePush } from './gateway/take-push.ts'
import type { PushRequest } from './ports/agent.ts'
import type { Bell } from './ports/bell.ts'
import type { Channel, WebhookAnswer, WebhookRequest } from './ports/channel.ts'
import type { HookedEvent } from './ports/hooks.ts'
import type { Log } from './ports/log.ts'
import type { Store } from './ports/store.ts'
import type { Vault } from './ports/vault.ts'
import { openBell } from './queue/bullmq.ts'
import { checkRedis } from './queue/check-redis.ts'
import type { Footing } from './store/database.ts'
import { openEmbedded } from './store/embedded.ts'
import { forgetOwners } from './store/forget-owners.ts'
import { migrate } from './store/migrate.ts'
import { openStore, type StoreOptions } from './store/open.ts'
import { type OpenVault, openVault } from './store/vault.ts'
import { activeWords, type OpenedWords } from './texts/active-words.ts'
import { openTexts, type TextsOptions } from './texts/open-texts.ts'
import { watchFiles } from './texts/watch-files.ts'
import { type WebhookEndpoint, webhookSender } from './webhooks/sender.ts'

/** Beside package.json, both in a checkout and in the published package. */
const shippedLocales = join(dirname(createRequire(import.meta.url).resolve('dale-gateway/package.json')), 'locales')

/** With an address of its own the channel takes plain http too: it is a Bot API server nearby. */
const telegramApi = 'https://api.telegram.org'

/** How one part of the surroundings is doing. */
export interface Part {
  readonly state: 'up' | 'down' | 'starting'
  readonly detail?: string
}

/** The whole house, put together and not yet at work. Disposing drains: receiving stops, work in hand ends, connections close. */
export interface Composition extends AsyncDisposable {
  readonly house: House
  /** Opens the doors and sets to work: `gateway` receives, `workers` run turns, executions, deliveries and sweeps. */
  start(what: { readonly gateway: boolean; readonly workers: boolean }): Promise<void>
  /** Answers a provider's request for an account; undefined when the account takes no webhooks. */
  webhook(account: string, request: WebhookRequest): Promise<WebhookAnswer | undefined>
  /** Takes what an agent says after its turn; undefined where it says all at once. Rejects when the store is down. */
  push(token: string, request: PushRequest): Promise<PushAnswer | undefined>
  /** Reads texts and words again: what is right is in use at once and everywhere, what is wrong is logged and changes nothing. */
  reload(why: string): Promise<void>
  /** May traffic come? The database and the queue decide; channels are reported. */
  readiness(): Promise<{ readonly ok: boolean; readonly parts: Readonly<Record<string, Part>> }>
}

/** What is outside the configuration: where events are logged and counted, and in tests and rehearsals a database of their own. */
export interface Surroundings {
  readonly log: Log
  readonly count: House['count']
  readonly tookToDecide?: House['tookToDecide']
  /** Instead of what the environment says; its owner closes it. */
  readonly footing?: Footing
  /** Who is on the far side of simulated accounts: their groups, what people are called, and what their provider can. */
  readonly simulated?: Pick<SimulatorOptions, 'groups' | 'names' | 'ids' | 'can'>
  /** In rehearsals: spoken through these instead of the accounts' own channels, by the account's name. */
  readonly channels?: ReadonlyMap<string, Channel>
  /** In rehearsals: how long a bare yes waits for the report on its card, when time stands still. */
  readonly reportWithinMs?: number
  /** In rehearsals: codes that are known before. */
  readonly mint?: House['mint']
  /** `false` for what calls nothing: sources of actions stay closed, and their actions are not there. */
  readonly sources?: false
}

/** Opens the store that the environment names; the embedded one takes the folder's lock and migrates by itself. */
export async function openStoreFor(
  env: Environment,
  log: Log,
  hooks: readonly HookedEvent[] = [],
): Promise<{ readonly store: Store; readonly footing: Footing; readonly close: () => Promise<void> }> {
  const onError = (error: Error) => log.warn({ err: error }, 'database_connection_lost')
  if (env.databaseUrl !== undefined) {
    const footing: Footing = { kind: 'postgres', url: env.databaseUrl }
    const store = await openChecked(footing, { onError, hooks }, log)
    return { store, footing, close: async () => await store[Symbol.asyncDispose]() }
  }
  const embedded = await openEmbedded(env.dataDir)
  const footing: Footing = { kind: 'pglite', db: embedded.db }
  await migrate(footing)
  await forgetOwners(footing)
  const store = await openStore(footing, { onError, hooks })
  return {
    store,
    footing,
    close: async () => {
      await store[Symbol.asyncDispose]()
      await embedded[Symbol.asyncDispose]()
    },
  }
}

/** What a server that answers says for good: waiting will not make the database or the user appear. */
function refusalOf(error: unknown): string | undefined {
  const cause =
    error instanceof Error && error.cause instanceof Error ? (error.cause as Error & { readonly code?: unknown }) : undefined
  switch (cause?.code) {
    case '3D000':
      return 'names a database that the server does not have: create it (createdb), then run dale migrate'
    case '28000':
    case '28P01':
      return 'names a user whom the server does not let in: check user and password'
    default:
      return undefined
  }
}

/** A database that is away is waited for later; one with another schema is refused now. */
async function openChecked(footing: Footing, options: Pick<StoreOptions, 'onError' | 'hooks'>, log: Log): Promise<Store> {
  try {
    return await openStore(footing, { ...options, check: true })
  } catch (error) {
    if (error instanceof ConfigError) throw error
    const refusal = refusalOf(error)
    if (refusal !== undefined) throw new ConfigError([{ path: 'DATABASE_URL', message: refusal }], { cause: error })
    log.warn({ err: error }, 'database_away')
    return openStore(footing, options)
  }
}

/**
 * Builds the house from a checked configuration. Throws `ConfigError` for what can never work, and for a source of actions that cannot be
 * reached; any other part that is only away is waited for.
 */
export async function compose(config: Config, env: Environment, surroundings: Surroundings): Promise<Composition> {
  const opened = await openSources(config.actions, surroundings.sources === false ? [] : config.sources, surroundings)
  try {
    const problems =
      config.sources.length === 0 ? [] : checkOpened({ ...config, actions: [...opened.actions.values()], sources: [] })
    if (problems.length > 0 && surroundings.sources !== false) throw new ConfigError(problems)
    return await putTogether(config, env, surroundings, opened)
  } catch (error) {
    await opened[Symbol.asyncDispose]()
    throw error
  }
}

async function putTogether(
  config: Config,
  env: Environment,
  surroundings: Surroundings,
  from: OpenedSources,
): Promise<Composition> {
  const { log, count, footing: given, simulated = {}, channels: instead } = surroundings
  const owner = `${process.pid}-${randomUUID()}`
  const texts = await openTexts(textsOptionsOf(config))
  const doubts = env.redisUrl === undefined ? [] : await checkRedis(env.redisUrl)
  for (const { event, cause } of doubts) log.warn(cause === undefined ? {} : { err: cause }, event)
  const hooks = hookedEventsOf(config.hooks)
  const opened = given === undefined ? await openStoreFor(env, log, hooks) : await openGiven(given, hooks)
  const { store } = opened
  const vault = openVault(
    opened.footing,
    { current: env.secretKey, previous: env.previousSecretKey },
    { onError: (error) => log.warn({ err: error }, 'database_connection_lost') },
  )
  const channels = new Map(
    config.accounts.map((account) => [
      account.name,
      instead?.get(account.name) ?? channelFor(account, env, { store, vault, owner, log, simulated }),
    ]),
  )
  const bell = await openBell(env.redisUrl === undefined ? opened.footing : { kind: 'redis', url: env.redisUrl }, {
    log,
    ownRooms: [...channels.values()].filter(({ line }) => line !== undefined).length + (hooks.length > 0 ? 1 : 0),
  })
  const locales = new Map(config.accounts.map(({ name, locale }) => [name, locale]))
  const words = activeWords({ texts, store, locales, by: whoRuns(), log })
  const aside = new Set<Promise<void>>()
  const house: House = {
    tenant: config.tenant,
    store,
    bell,
    texts,
    words,
    agent: config.agent,
    log,
    channels,
    actions: from.actions,
    hooks: config.hooks,
    policies: config.policies,
    quietHours: new Map(config.accounts.map(({ name, quietHours }) => [name, quietHours])),
    rolesWithChats: [...new Set(config.roleChats.map(({ role }) => role))],
    limits: config.limits,
    pressKeys: [
      { id: 0, secret: env.secretKey },
      ...(env.previousSecretKey === undefined ? [] : [{ id: 0, secret: env.previousSecretKey }]),
    ],
    mint: surroundings.mint ?? { ulid: () => ulidFrom(Date.now(), randomBytes(16)), code: () => codeFrom(randomBytes(8)) },
    reports: new ReportWatch(surroundings.reportWithinMs),
    owner,
    localeOf: (account) => locales.get(account) ?? config.locales.default,
    spawn: (work) => {
      const running = work()
        .catch((error: unknown) => log.error({ err: error }, 'work_failed'))
        .finally(() => aside.delete(running))
      aside.add(running)
    },
    count,
    tookToDecide: surroundings.tookToDecide ?? (() => {}),
  }
  return new Put(house, config, {
    channels,
    bell,
    aside,
    words,
    folders: texts.folders,
    vault,
    from,
    close: opened.close,
    endpoints: endpointsOf(config, env),
  })
}

/** What the configuration's hooks want to hear of. */
const hookedEventsOf = ({ onProposed, onSettled }: Config['hooks']): readonly HookedEvent[] => [
  ...(onProposed === undefined ? [] : (['proposed'] as const)),
  ...(onSettled === undefined ? [] : (['settled'] as const)),
]

/** Where the texts and words of a configuration are. */
export const textsOptionsOf = ({
  locales: { default: usual, fallback, folder },
  accounts,
}: Pick<Config, 'locales' | 'accounts'>): TextsOptions => ({
  localesDir: shippedLocales,
  locales: [...new Set([...accounts.map(({ locale }) => locale), usual, fallback])],
  fallback,
  accounts: Object.fromEntries(
    accounts.map(({ name, locale, words }) => [name, { locale, folders: words === undefined ? [] : [words] }]),
  ),
  ...(folder === undefined ? {} : { folder }),
})

async function openGiven(footing: Footing, hooks: readonly HookedEvent[]): ReturnType<typeof openStoreFor> {
  const store = await openStore(footing, { hooks })
  return { store, footing, close: async () => await store[Symbol.asyncDispose]() }
}

const endpointsOf = ({ webhooks }: Config, env: Environment): readonly WebhookEndpoint[] =>
  webhooks.map(({ url, secretEnv, allowPrivate = [] }) => ({ url, secrets: env.variable(secretEnv) ?? '', allowPrivate }))

/** What a channel gets of the house beside its account. */
type Given = Required<Pick<Surroundings, 'log' | 'simulated'>> & {
  readonly store: Store
  readonly vault: Vault
  readonly owner: string
}

function channelFor(account: Account, env: Environment, { store, vault, owner, log, simulated }: Given): Channel {
  switch (account.channel) {
    case 'telegram':
      return telegramChannel({
        account: account.name,
        token: env.variable(account.tokenEnv) ?? '',
        mode: account.mode,
        apiRoot: account.apiRoot === telegramApi ? undefined : account.apiRoot,
        webhookSecret: env.variable(account.secretEnv),
        publicUrl: env.publicUrl,
        lease: { leases: store, owner },
        log,
      })
    case 'whatsapp-cloud':
      return cloudChannel({
        account: account.name,
        token: env.variable(account.tokenEnv) ?? '',
        phoneNumberId: env.variable(account.phoneNumberIdEnv) ?? '',
        appSecrets: (env.variable(account.secretEnv) ?? '').split(',').map((secret) => secret.trim()),
        verifyToken: env.variable(account.verifyTokenEnv) ?? '',
        apiRoot: account.apiRoot,
        template: account.template,
        clock: store,
        log,
      })
    case 'whatsapp-baileys':
      return baileysChannel({
        account: account.name,
        controls: account.controls,
        serverUrl: account.serverUrl,
        vault,
        leases: store,
        owner,
        log,
      })
    case 'simulator':
      return simulatorChannel({ account: account.name, clock: store, ...simulated })
  }
}

/** Ends one part, and then the other. */
const inTurn = (first: AsyncDisposable, then: AsyncDisposable): AsyncDisposable => ({
  async [Symbol.asyncDispose]() {
    await using _after = then
    await first[Symbol.asyncDispose]()
  },
})

/** The user of the operating system that this process runs as, and its machine. */
export function whoRuns(): string {
  try {
    return `${userInfo().username}@${hostname()}`
  } catch {
    // A container may run as a number that has no name.
    return `${process.getuid?.() ?? 'user'}@${hostname()}`
  }
}

/** What the composition owns beside the house, and puts away with it. */
interface Owned {
  readonly channels: Map<string, Channel>
  readonly bell: Bell & AsyncDisposable
  /** Work that nobody waits for. */
  readonly aside: ReadonlySet<Promise<void>>
  readonly words: OpenedWords
  /** Where the files of words and texts are. */
  readonly folders: readonly string[]
  readonly vault: OpenVault
  /** Whom webhooks tell, with their secrets. */
  readonly endpoints: readonly WebhookEndpoint[]
  /** What actions come from. */
  readonly from: OpenedSources
  readonly close: () => Promise<void>
}

class Put implements Composition {
  readonly house: House
  readonly #config: Config
  readonly #owned: Owned
  readonly #receiving: AsyncDisposable[] = []
  readonly #working: AsyncDisposable[] = []
  readonly #stopping = new AbortController()

  constructor(house: House, config: Config, owned: Owned) {
    this.house = house
    this.#config = config
    this.#owned = owned
  }

  async start({ gateway, workers }: { readonly gateway: boolean; readonly workers: boolean }): Promise<void> {
    const { house } = this
    this.house.spawn(() => this.#seed())
    this.house.spawn(() => this.#insist('words_not_followed', () => house.words.follow()))
    if (house.pressKeys.length > 1) this.house.spawn(() => this.#insist('secrets_not_rekeyed', () => this.#rekey()))
    this.#working.push(watchFiles(this.#owned.folders, () => this.reload('files changed')))
    // A simulated provider lives in the gateway's memory: what a worker sent to its own would be seen by nobody.
    if (!gateway) for (const [name, { kind }] of this.#owned.channels) if (kind === 'simulator') this.#owned.channels.delete(name)
    if (workers) {
      this.#working.push(await workTurns(house), await workExecutions(house))
      this.#working.push(await workDeliveries(house), workSweeps(house))
      const { webhooks } = this.#config
      if (webhooks.length > 0) this.#working.push(workWebhooks(house, webhooks, webhookSender(this.#owned.endpoints)))
      if (hookedEventsOf(house.hooks).length > 0) this.#working.push(await workHooks(house))
    }
    if (!gateway) return
    for (const channel of house.channels.values()) {
      const receiving = await channel.start((events) => takeIn(house, channel.account, events))
      const { line } = channel
      this.#receiving.push(line === undefined ? receiving : inTurn(workLine(house, channel.account, line), receiving))
    }
  }

  async webhook(account: string, request: WebhookRequest): Promise<WebhookAnswer | undefined> {
    return await this.house.channels.get(account)?.webhook?.(request, (events) => takeIn(this.house, account, events))
  }

  async push(token: string, request: PushRequest): Promise<PushAnswer | undefined> {
    const { later } = this.house.agent
    if (later === undefined) return undefined
    const read = later.read(token, request)
    if ('refused' in read) {
      this.house.log.warn({ status: read.refused }, 'push_refused')
      return { status: read.refused, body: { error: read.why } }
    }
    const taken = await takePush(this.house, read, later.withinMs)
    this.house.log.info({ turn: read.turn, what: taken }, 'pushed')
    if (taken === 'over') return { status: 410, body: { error: 'The turn is over: it has proposed, or its time has passed.' } }
    if (taken === 'busy') return { status: 503, body: { error: 'Deliver it again.' } }
    return { status: 200, body: { taken: taken === 'taken' } }
  }

  async readiness(): ReturnType<Composition['readiness']> {
    const database = (await this.house.store.isUp()) && (await this.#canWrite())
    const queue = this.house.bell.isUp()
    const channels = [...this.house.channels].map(([name, channel]): [string, Part] => [`channel:${name}`, channel.health()])
    const part = (up: boolean): Part => ({ state: up ? 'up' : 'down' })
    const doubt = this.house.bell.doubt()
    const detail = doubt === undefined ? {} : { detail: `since ${new Date(doubt.sinceMs).toISOString()}: ${doubt.message}` }
    return {
      ok: database && queue,
      parts: {
        database: part(database),
        queue: { ...part(queue), ...detail },
        words: this.#words(),
        ...Object.fromEntries([...this.#owned.from.sources].map(([name, source]) => [`actions:${name}`, part(source.isUp())])),
        ...Object.fromEntries(channels),
      },
    }
  }

  /** Every process can serve the active words; that its own files say otherwise is worth knowing. */
  #words(): Part {
    const { isFollowing, differs, refused } = this.#owned.words.health()
    if (!isFollowing) return { state: 'starting', detail: 'the active words were not read yet' }
    const [problem] = refused
    if (problem !== undefined)
      return {
        state: 'up',
        detail: `the last reload was refused, and the words before it stay: ${problem.path}: ${problem.message}`,
      }
    if (differs.length === 0) return { state: 'up' }
    return { state: 'up', detail: `the files here say other words for ${differs.join(', ')} than those that are active` }
  }

  /** A full or read-only disk still answers: only a write tells. */
  async #canWrite(): Promise<boolean> {
    try {
      await this.house.store.lease(`ready:${this.house.owner}`, this.house.owner, 1000)
      return true
    } catch (error) {
      this.house.log.warn({ err: error }, 'database_takes_no_writes')
      return false
    }
  }

  async reload(why: string): Promise<void> {
    const { log } = this.house
    try {
      const problems = await this.#owned.words.reload(why)
      for (const { path, message } of problems) log.error({ what: `${path}: ${message}` }, 'words_refused')
      if (problems.length === 0) log.info({ reason: why }, 'files_reloaded')
    } catch (error) {
      log.error({ err: error, reason: why }, 'files_not_reloaded')
    }
  }

  /** Once: after that nothing is under the previous key any more. */
  async #rekey(): Promise<void> {
    this.house.log.info({ secrets: await this.#owned.vault.rekey() }, 'secrets_rekeyed')
  }

  /** People and role chats are rows that follow the configuration. */
  #seed(): Promise<void> {
    const { people, roleChats } = this.#config
    return this.#insist('people_not_seeded', () => this.house.store.seedPeople(people, roleChats))
  }

  /** Tries until the database takes it. */
  async #insist(failed: string, work: () => Promise<void>): Promise<void> {
    for (let waitMs = 250; !this.#stopping.signal.aborted; waitMs = Math.min(2 * waitMs, 10_000)) {
      try {
        return await work()
      } catch (error) {
        this.house.log.warn({ err: error }, failed)
        await setTimeout(waitMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined)
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    // In this order: nothing new comes in (and a line is given up once what is being sent through it has ended), what is in hand ends, and only then do the connections close under it.
    await Promise.all(this.#receiving.map((part) => part[Symbol.asyncDispose]()))
    await Promise.all(this.#working.map((part) => part[Symbol.asyncDispose]()))
    while (this.#owned.aside.size > 0) await Promise.all(this.#owned.aside)
    await this.#owned.from[Symbol.asyncDispose]()
    await this.#owned.bell[Symbol.asyncDispose]()
    await this.#owned.vault[Symbol.asyncDispose]()
    await this.#owned.close()
  }
}
