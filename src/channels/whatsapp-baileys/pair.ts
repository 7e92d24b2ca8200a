import { takeLease } from '../connection/lease.ts'
import { backoffOf, wait } from '../connection/wait.ts'
import { afterClose } from './close-codes.ts'
import type { Holding } from './fenced-writer.ts'
import { Journal } from './journal.ts'
import { type AuthenticationCreds, type Library, loadBaileys, type WASocket, type WAVersion } from './library.ts'
import { quietLog } from './quiet-log.ts'
import { readCreds, Session, sessionKinds } from './session.ts'
import { type BaileysSettings, leaseMs, leaseNameOf } from './settings.ts'
import { type Events, openSocket } from './socket.ts'
import { currentVersion } from './wa-version.ts'

/** What is shown to whoever has the phone in hand. A QR is good until the next; a code until the connection is made anew. */
export interface Shown {
  readonly qr: (text: string) => void
  /** Eight characters, to be typed on the phone. */
  readonly code: (code: string) => void
  /** WhatsApp was not reached, or closed before it showed anything; it is tried again until the signal aborts. */
  readonly away?: () => void
}

/** What came of it. `phone` has digits alone. */
export type Paired =
  | { readonly kind: 'paired'; readonly phone: string }
  | { readonly kind: 'already'; readonly phone: string }
  /** A running process has this number. */
  | { readonly kind: 'held' }
  | { readonly kind: 'refused'; readonly why: string }
  /** Nobody linked the device before `signal` aborted. */
  | { readonly kind: 'given_up' }

interface Wish {
  /** Digits: pair by a code on this number instead of a QR. */
  readonly phone?: string | undefined
  /** Forget the session that there is, and pair anew. */
  readonly again: boolean
}

/** As WhatsApp takes it beside a pairing code: there a name of one's own is refused (WhiskeySockets/Baileys#2769). */
const codeBrowser = ['Mac OS', 'Chrome', '14.4.1'] satisfies [string, string, string]
const browser = ['Dale', 'Chrome', '1.0'] satisfies [string, string, string]

const logins = 6

const digitsOf = (jid: string | undefined): string => jid?.split(/[:@]/)[0] ?? ''

/**
 * Links an account's device: shows what the phone has to read or be told, stores the session once the phone has signed it, and logs in
 * with it once. Until then nothing is stored. Throws `ConfigError` where Baileys cannot be used, `StoreAwayError` without the database.
 */
export async function pairNumber(
  settings: BaileysSettings,
  { phone, again }: Wish,
  shown: Shown,
  signal: AbortSignal,
): Promise<Paired> {
  const { account, vault, leases, owner, log } = settings
  const library = await loadBaileys(account)
  const creds = again ? undefined : await readCreds(library, vault, account)
  if (creds !== undefined) return { kind: 'already', phone: digitsOf(creds.me?.id) }
  await using term = await takeLease({ leases, name: leaseNameOf(account), owner, ttlMs: settings.leaseMs ?? leaseMs }, log)
  if (term === undefined) return { kind: 'held' }
  const over = AbortSignal.any([signal, term.lost])
  const holding = { name: leaseNameOf(account), fence: term.fence, lost: term.lost }
  // What an earlier session has left would be taken for this one's.
  await vault.erase(account, sessionKinds, holding)
  let version: WAVersion | undefined
  for (let failures = 1; !over.aborted; failures += 1) {
    const session = new Session(library, vault, account, library.initAuthCreds(), holding)
    const linked = await link(library, settings, { session, phone, version, shown }, over)
    if (linked.kind === 'refused') return linked
    if (linked.kind === 'linked') return await logIn(library, settings, { creds: session.creds, holding }, over)
    if (over.aborted) break
    if (afterClose(linked.code).next === 'update') version = (await currentVersion(library, account, log)) ?? version
    // After its last QR the server closes: that is no failure, there are more.
    if (!linked.wasShown) shown.away?.()
    if (linked.code !== 408) await wait(backoffOf(failures, 500), over)
  }
  return { kind: 'given_up' }
}

type Linked =
  | { readonly kind: 'linked' }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'closed'; readonly code: number | undefined; readonly wasShown: boolean }

/** One connection that waits for the phone. */
async function link(
  library: Library,
  settings: BaileysSettings,
  about: {
    readonly session: Session
    readonly phone: string | undefined
    readonly version: WAVersion | undefined
    readonly shown: Shown
  },
  over: AbortSignal,
): Promise<Linked> {
  const { session, phone, version, shown } = about
  let isLinked = false
  let isAsked = false
  let wasShown = false
  let refusal: string | undefined
  const connection = openSocket({
    ...socketOf(library, settings, session),
    version,
    browser: phone === undefined ? browser : codeBrowser,
    onEvents: (events) => {
      const { qr, isNewLogin } = events['connection.update'] ?? {}
      if (isNewLogin === true) isLinked = true
      if (qr === undefined || isLinked) return
      wasShown = true
      if (phone === undefined) return shown.qr(qr)
      // The server takes a number only now; and once for each connection.
      if (!isAsked) void askForCode(connection.sock, phone)
      isAsked = true
    },
  })
  const askForCode = async (sock: WASocket, number: string): Promise<void> => {
    sock.ws.on('CB:iq,type:error', () => {
      refusal = 'WhatsApp takes no pairing code for this number: is it right, with its country and without +, and registered?'
      void connection.end()
    })
    await sock.requestPairingCode(number).then(shown.code, () => connection.end())
  }
  const end = () => void connection.end()
  over.addEventListener('abort', end, { once: true })
  const code = await connection.closed
  over.removeEventListener('abort', end)
  if (refusal !== undefined) return { kind: 'refused', why: refusal }
  return isLinked ? { kind: 'linked' } : { kind: 'closed', code, wasShown }
}

/** The first login with the session that the phone has signed: without it nobody knows that it is good. */
async function logIn(
  library: Library,
  settings: BaileysSettings,
  { creds, holding }: { readonly creds: AuthenticationCreds; readonly holding: Holding },
  over: AbortSignal,
): Promise<Paired> {
  let code: number | undefined
  for (let attempt = 1; attempt <= logins && !over.aborted; attempt += 1) {
    let isOpen = false
    const session = new Session(library, settings.vault, settings.account, creds, holding)
    // Messages may come with the first login already: a gateway finds them in the journal.
    const journal = await Journal.open(library, settings.vault, settings.account, session)
    const connection = openSocket({
      ...socketOf(library, settings, session),
      journal,
      version: undefined,
      browser,
      onEvents: (events) => {
        if (events['connection.update']?.connection !== 'open') return
        isOpen = true
        void connection.end()
      },
    })
    const end = () => void connection.end()
    over.addEventListener('abort', end, { once: true })
    code = await connection.closed
    over.removeEventListener('abort', end)
    if (isOpen) return { kind: 'paired', phone: digitsOf(creds.me?.id) }
    if (afterClose(code).next === 'forget' || afterClose(code).next === 'stop') break
    if (afterClose(code).next !== 'now') await wait(backoffOf(attempt, 500), over)
  }
  return { kind: 'refused', why: `the phone linked this device, and the first login failed (${afterClose(code).detail})` }
}

const socketOf = (library: Library, { account, log, serverUrl, keepAliveMs }: BaileysSettings, session: Session) => ({
  library,
  session,
  serverUrl,
  keepAliveMs,
  log: quietLog(account, log),
  sentLately: () => undefined,
  onEvents: (_events: Events) => {},
})
