import { setTimeout } from 'node:timers/promises'
import type { Hono } from 'hono'
import { apiApp } from '../api/app.ts'
import { isStray } from '../channels/whatsapp-baileys/strays.ts'
import { type Composition, compose } from '../compose.ts'
import type { Environment } from '../config/environment.ts'
import { gatewayApp } from '../console/app.ts'
import { CannotListenError, type Listens, listen } from '../console/server.ts'
import { ChannelError, ConfigError } from '../core/errors.ts'
import { openLog } from '../log.ts'
import { openMetrics } from '../metrics.ts'
import type { Log } from '../ports/log.ts'
import { bannerLines, factsOf } from './banner.ts'
import { readConfiguration } from './configuration.ts'
import { openControl } from './control.ts'
import { operationsOn } from './operations.ts'
import { phonesFor } from './phones.ts'
import { askedToEnd } from './signals.ts'
import { type ConfiguredOptions, Failure } from './verb.ts'
import { versionOf } from './version.ts'

/** What one process of Dale does. */
export interface Running {
  readonly gateway: boolean
  readonly workers: boolean
  /** Where `/healthz`, `/readyz`, `/metrics` and, for a gateway, the webhooks are. Without it there is no server. */
  readonly listenAt?: (environment: Environment) => { readonly host: string; readonly port: number }
  /** How long work in hand is waited for at the end; longer than the longest action unless given. */
  readonly graceMs?: number
}

/**
 * Runs until a signal asks it to end, then drains: nothing new comes in, what is in hand ends, connections close. Resolves when that is
 * done; throws `Failure` when it cannot listen or does not end within its grace, `ConfigError` for what can never work. A database,
 * queue or provider that is away does not keep it from starting.
 */
export async function runHouse(options: ConfiguredOptions, running: Running): Promise<void> {
  const { config, environment, file } = await readConfiguration(options)
  const isForPeople = process.stdout.isTTY === true && options.json === undefined
  // On a terminal the page of what runs is the answer, and trouble goes below it.
  const log = isForPeople
    ? openLog(process.env.LOG_LEVEL ? environment.logLevel : 'warn', 'stderr')
    : openLog(environment.logLevel)
  logCrashes(log)
  const asked = askedToEnd()
  const metrics = openMetrics()
  const composition = await compose(config, environment, { log, count: metrics.count, tookToDecide: metrics.tookToDecide })
  const { house } = composition
  const opened: AsyncDisposable[] = [composition]
  try {
    const api = apiApp(house, { version: versionOf(), ...config.api })
    const app = gatewayApp({
      log,
      readiness: () => readinessOf(composition, running),
      metrics,
      ...(running.gateway
        ? {
            webhook: (account, request) => composition.webhook(account, request),
            push: (token, request) => composition.push(token, request),
            api: (request) => api.fetch(request),
            mcp: async (request) => {
              // Loaded by whoever uses it first.
              const { mcpApp } = await import('../mcp/http.ts')
              return await mcpApp(house, { version: versionOf(), ...config.api }).fetch(request)
            },
          }
        : {}),
    })
    const at = running.listenAt?.(environment)
    const phones = running.gateway && at !== undefined ? phonesFor(house, config, at.host, app) : undefined
    const server = at === undefined ? undefined : await listening(app, at)
    if (server !== undefined) opened.push(server)
    if (environment.databaseUrl === undefined)
      opened.push(
        await openControl(
          environment.dataDir,
          operationsOn(house.store, async () => house),
          log,
        ),
      )
    // Only while this runs: before, a hang-up ends the process as it always does.
    process.on('SIGHUP', () => house.spawn(() => composition.reload('SIGHUP')))
    const started = starting(composition, running)
    if ((await Promise.race([started.then(() => 'started'), asked])) === 'started') {
      const facts = await factsOf(composition, { config, environment, file, running, server, phones })
      if (isForPeople)
        process.stdout.write(
          bannerLines(facts)
            .map((line) => `${line}\n`)
            .join(''),
        )
      log.info({ ...facts.logged }, 'started')
      for (const account of facts.accounts)
        log.info({ account: account.name, channel: account.channel, state: account.state }, 'account')
    }
    const signal = await asked
    log.info({ signal }, 'stopping')
    if (isForPeople) process.stdout.write('\nStopping: what is in hand is finished. Again: stop at once.\n')
    // Where it was still starting, that ends with the process.
    started.catch((error: unknown) => log.warn({ err: error }, 'start_abandoned'))
  } catch (error) {
    await drain(opened, 5000, log)
    throw error
  }
  const longest = Math.max(10_000, ...[...house.actions.values()].map(({ timeoutMs }) => timeoutMs))
  const graceMs = running.graceMs ?? longest + 5000
  if (!(await drain(opened, graceMs, log)))
    throw new Failure(`Not everything ended within ${graceMs / 1000} s; what was in hand is looked after at the next start.`)
  log.info({}, 'stopped')
}

async function listening(app: Hono, at: { readonly host: string; readonly port: number }): Promise<Listens> {
  try {
    return await listen(app, at)
  } catch (error) {
    throw error instanceof CannotListenError ? new Failure(error.message, { cause: error }) : error
  }
}

/** A worker speaks through channels but does not listen on them: how that goes is its gateways' to tell. */
async function readinessOf(composition: Composition, { gateway }: Running): ReturnType<Composition['readiness']> {
  const { ok, parts } = await composition.readiness()
  return gateway
    ? { ok, parts }
    : { ok, parts: Object.fromEntries(Object.entries(parts).filter(([part]) => !part.startsWith('channel:'))) }
}

/** A refused token is a wrong configuration and is told like one; whatever else a provider does is waited for inside. */
async function starting(composition: Composition, { gateway, workers }: Running): Promise<void> {
  try {
    await composition.start({ gateway, workers })
  } catch (error) {
    if (error instanceof ChannelError && error.permanent)
      throw new ConfigError(
        [{ path: `accounts (${error.channel})`, message: `The provider refuses the account: ${error.message}` }],
        { cause: error },
      )
    throw error
  }
}

/** Closes the last opened first. False when that took longer than the grace. */
async function drain(opened: readonly AsyncDisposable[], graceMs: number, log: Log): Promise<boolean> {
  const over = new AbortController()
  const late = setTimeout(graceMs, false, { signal: over.signal }).catch(() => false)
  const closed = (async () => {
    for (const part of opened.toReversed()) await part[Symbol.asyncDispose]()
    return true
  })()
  const ended = await Promise.race([closed, late])
  over.abort()
  if (!ended) log.error({ graceMs }, 'grace_over')
  return ended
}

/** A bug that nothing caught ends the process, with one line in the log instead of a page on stderr. */
function logCrashes(log: Log): void {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, (error: unknown) => {
      if (event === 'unhandledRejection' && isStray(error)) return log.warn({ error: error.name }, 'baileys_stray')
      log.error({ err: error }, 'crashed')
      process.exit(1)
    })
}
