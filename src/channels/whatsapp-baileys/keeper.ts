import { ConfigError } from '../../core/errors.ts'
import type { Channel } from '../../ports/channel.ts'
import { type Term, takeLease } from '../connection/lease.ts'
import { backoffOf, nameOf, orAborted, wait } from '../connection/wait.ts'
import { type AfterClose, afterClose } from './close-codes.ts'
import { Journal } from './journal.ts'
import type { AuthenticationCreds, Library, proto, WAVersion } from './library.ts'
import { quietLog } from './quiet-log.ts'
import { readCreds, Session, sessionKinds } from './session.ts'
import { type BaileysSettings, leaseMs, leaseNameOf } from './settings.ts'
import { type Connection, type Events, openSocket } from './socket.ts'
import { currentVersion } from './wa-version.ts'

type Health = ReturnType<Channel['health']>

/** One logged-in connection, or one that is logging in, with the session under it. */
export interface Line {
  readonly connection: Connection
  readonly session: Session
  readonly journal: Journal
}

/** What the keeper tells of, and asks. */
export interface Hearing {
  /** A socket was made; nothing has come through it yet. */
  readonly made: (line: Line) => void
  readonly events: (line: Line, events: Events) => void
  /** It is logged in, or no more. */
  readonly open: (line: Line | undefined) => void
  readonly health: (health: Health) => void
  readonly sentLately: (messageId: string) => proto.IMessage | undefined
}

const unpaired: Health = { state: 'down', detail: 'not paired: run dale pair whatsapp' }
const browser = ['Dale', 'Chrome', '1.0'] satisfies [string, string, string]

/** A connection that has stood this long has worked: the next trouble is a first one. */
const stoodMs = 60_000

/**
 * Keeps one number connected, in one process at a time, until `signal` aborts: looks for its session, takes the lease on it, connects, and
 * connects again as the close code says. The socket is closed before the lease can be anybody else's.
 */
export async function keepConnected(
  library: Library,
  settings: BaileysSettings,
  hearing: Hearing,
  signal: AbortSignal,
): Promise<void> {
  const { account, vault, leases, owner, log, lookMs = 3000, backoffMs = 1000 } = settings
  const ttlMs = settings.leaseMs ?? leaseMs
  const claim = { leases, name: leaseNameOf(account), owner, ttlMs }
  for (let failures = 0; !signal.aborted; ) {
    try {
      const stored = await orAborted(readCreds(library, vault, account), signal)
      if (stored === undefined) {
        hearing.health(unpaired)
        await wait(lookMs, signal)
        continue
      }
      const taking = takeLease(claim, log)
      const term = await orAborted(taking, signal)
      if (signal.aborted) {
        // A store that does not answer must not hold up the end; what it may still give is given back.
        void taking.then((late) => late?.[Symbol.asyncDispose]()).catch(() => undefined)
        return
      }
      if (term === undefined) {
        hearing.health({ state: 'starting', detail: 'another process holds this number, or did until a moment ago' })
        await wait(ttlMs / 20, signal)
        continue
      }
      await using held = term
      log.info({ account, fence: held.fence }, 'whatsapp_number_taken')
      await holdNumber(library, settings, hearing, held, signal)
      if (held.lost.aborted) log.warn({ account }, 'whatsapp_number_lost')
      failures = 0
    } catch (error) {
      failures += 1
      const detail = error instanceof ConfigError ? error.message : 'the session cannot be read or the lease asked for'
      hearing.health({ state: 'down', detail })
      log.error({ account, failures, error: nameOf(error) }, 'whatsapp_not_kept')
      await wait(backoffOf(failures, backoffMs), signal)
    }
  }
}

/** Connects again and again while the number is ours. Returns when it is not, or the session is gone. */
async function holdNumber(
  library: Library,
  settings: BaileysSettings,
  hearing: Hearing,
  term: Term,
  signal: AbortSignal,
): Promise<void> {
  const { account, vault, log, backoffMs = 1000 } = settings
  const over = AbortSignal.any([signal, term.lost])
  let version: WAVersion | undefined
  for (let failures = 1; !over.aborted; failures += 1) {
    // Read anew each time: who held the number before may have written until a moment ago.
    const creds = await readCreds(library, vault, account)
    if (creds === undefined) return
    const began = performance.now()
    const code = await connectOnce(library, settings, { hearing, creds, version, term }, over)
    if (over.aborted) return
    if (performance.now() - began > stoodMs) failures = 1
    const after = afterClose(code)
    hearing.health({ state: after.next === 'now' ? 'starting' : 'down', detail: after.detail })
    log.warn({ account, code, failures, next: after.next }, 'whatsapp_closed')
    if (after.next === 'forget') return await forget(settings, after, term)
    if (after.next === 'stop') {
      log.error({ account, code, detail: after.detail }, 'whatsapp_stopped')
      return await aborted(over)
    }
    if (after.next === 'update') version = (await currentVersion(library, account, log)) ?? version
    // A restart that is asked for again and again is not at once any more.
    if (after.next !== 'now' || failures > 3) await wait(jittered(backoffOf(failures, backoffMs)), over)
  }
}

/** One socket, until it is closed. */
async function connectOnce(
  library: Library,
  settings: BaileysSettings,
  about: {
    readonly hearing: Hearing
    readonly creds: AuthenticationCreds
    readonly version: WAVersion | undefined
    readonly term: Term
  },
  over: AbortSignal,
): Promise<number | undefined> {
  const { account, vault, log, serverUrl, keepAliveMs } = settings
  const { hearing, creds, version, term } = about
  // What is being written when this process stops is written to its end, while the number is still held.
  const { fence, lost } = term
  const session = new Session(library, vault, account, creds, { name: leaseNameOf(account), fence, lost })
  const journal = await Journal.open(library, vault, account, session)
  if (over.aborted) return undefined
  hearing.health({ state: 'starting', detail: 'connecting' })
  let line: Line | undefined
  const connection = openSocket({
    library,
    session,
    journal,
    version,
    serverUrl,
    keepAliveMs,
    browser,
    log: quietLog(account, log),
    sentLately: hearing.sentLately,
    onEvents: (events) => {
      if (line === undefined) return
      if (events['connection.update']?.connection === 'open') {
        log.info({ account }, 'whatsapp_connected')
        hearing.health({ state: 'up' })
        hearing.open(line)
      }
      hearing.events(line, events)
    },
  })
  line = { connection, session, journal }
  hearing.made(line)
  const end = () => void connection.end()
  over.addEventListener('abort', end, { once: true })
  if (over.aborted) end()
  try {
    return await connection.closed
  } finally {
    over.removeEventListener('abort', end)
    hearing.open(undefined)
  }
}

/** The phone has taken this device off: what is kept of it opens nothing any more. Proposals stay as they are. */
async function forget({ account, vault, log }: BaileysSettings, { detail }: AfterClose, { fence, lost }: Term): Promise<void> {
  log.error({ account, detail }, 'whatsapp_logged_out')
  for (let failures = 1; !lost.aborted; failures += 1) {
    try {
      await vault.erase(account, sessionKinds, { name: leaseNameOf(account), fence })
      return
    } catch (error) {
      log.warn({ account, failures, error: nameOf(error) }, 'whatsapp_session_not_erased')
      await wait(backoffOf(failures, 250), lost)
    }
  }
}

/** Several gateways that lost one server must not come back in step. */
const jittered = (ms: number): number => ms * (0.5 + Math.random() / 2)

const aborted = async (signal: AbortSignal): Promise<void> => {
  if (signal.aborted) return
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
