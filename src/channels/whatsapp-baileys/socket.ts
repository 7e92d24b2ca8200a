import { wait } from '../connection/wait.ts'
import type { Journal } from './journal.ts'
import type { BaileysEventMap, BinaryNode, Library, proto, WASocket, WAVersion } from './library.ts'
import { idsOf } from './message-facts.ts'
import { OfflineFirst } from './offline-first.ts'
import type { BaileysLog } from './quiet-log.ts'
import type { Session } from './session.ts'

/** Events of one moment, by their names, in Baileys' order. */
export type Events = Partial<BaileysEventMap>

export interface SocketOptions {
  readonly library: Library
  readonly session: Session
  /** Absent while pairing: nothing is read then. */
  readonly journal?: Journal
  readonly log: BaileysLog
  readonly version: WAVersion | undefined
  readonly serverUrl?: string | undefined
  readonly keepAliveMs?: number | undefined
  /** As the phone lists this device. */
  readonly browser: [string, string, string]
  readonly onEvents: (events: Events) => void
  /** What was sent not long ago, when a phone asks for it once more. */
  readonly sentLately: (messageId: string) => proto.IMessage | undefined
}

/** One socket, from its opening to its end. */
export interface Connection {
  readonly sock: WASocket
  /** Resolves once, with the code that it was closed with, when it is closed and its last write is stored. */
  readonly closed: Promise<number | undefined>
  /** Aborts when it begins to close. */
  readonly closing: AbortSignal
  /** Closes it; resolves as `closed` does. */
  end(): Promise<void>
}

/** How long the other side may take to close a socket before it is cut. */
const closingMs = 1000

/** Opens one socket with a session. Nothing is retried here: when it closes it is over. */
export function openSocket(options: SocketOptions): Connection {
  const { library, session, journal, log, version, serverUrl, keepAliveMs, onEvents } = options
  const keys = library.makeCacheableSignalKeyStore(session.keys, log)
  // Baileys sends a message inside a transaction that is stored after it: a process that dies in between would use a key twice. With
  // transactions of its own, what the ratchets are is stored before anything made with them leaves.
  const own = library.addTransactionCapability(keys, log, { maxCommitRetries: 1, delayBetweenTriesMs: 0 })
  const defaults = library.DEFAULT_CONNECTION_CONFIG
  const sock = library.makeWASocket({
    auth: { creds: session.creds, keys },
    ...(version === undefined ? {} : { version }),
    ...(serverUrl === undefined ? {} : { waWebSocketUrl: serverUrl }),
    ...(keepAliveMs === undefined ? {} : { keepAliveIntervalMs: keepAliveMs }),
    browser: options.browser,
    logger: log,
    transactionOpts: { maxCommitRetries: 1, delayBetweenTriesMs: 0 },
    syncFullHistory: false,
    shouldSyncHistoryMessage: () => false,
    markOnlineOnConnect: false,
    // What Dale itself sent is no news to it; what its phone sent comes from the server.
    emitOwnEvents: false,
    generateHighQualityLinkPreview: false,
    getMessage: async ({ id }) => options.sentLately(id ?? ''),
    makeSignalRepository: (auth, logger, lidsOf) => {
      const repository = defaults.makeSignalRepository({ creds: auth.creds, keys: own }, logger, lidsOf)
      return journal === undefined ? repository : { ...repository, ...journal.remembering(repository, own) }
    },
  })
  const offlineFirst = new OfflineFirst()
  const emitter = emitterOf(sock)
  const takers = emitter.listeners('CB:message') as ((node: BinaryNode) => void)[]
  emitter.removeAllListeners('CB:message')
  emitter.on('CB:message', (node: BinaryNode) => {
    journal?.heard(node)
    offlineFirst.take(node, () => {
      for (const take of takers) take(node)
    })
  })

  const closing = new AbortController()
  const cut = new AbortController()
  /** Baileys waits for the other side to close, which may take half a minute; a number that is somebody else's cannot wait. */
  const cutLater = () => {
    closing.abort()
    void wait(closingMs, cut.signal).then(() => {
      if (!cut.signal.aborted) rawOf(sock)?.terminate()
    })
  }
  for (const event of ['CB:stream:error', 'CB:failure', 'CB:xmlstreamend']) sock.ws.on(event, cutLater)

  const over = Promise.withResolvers<number | undefined>()
  sock.ev.process((events) => {
    const { connection, lastDisconnect } = events['connection.update'] ?? {}
    if (events['creds.update'] !== undefined) session.credsChanged().catch(() => undefined)
    if (events['messages.upsert'] !== undefined) offlineFirst.passed(idsOf(events['messages.upsert']))
    onEvents(events)
    if (connection !== 'close') return
    closing.abort()
    over.resolve(codeOf(lastDisconnect?.error))
  })
  const closed = over.promise.then(async (code) => {
    cut.abort()
    offlineFirst.drop()
    await session.close()
    return code
  })
  return {
    sock,
    closed,
    closing: closing.signal,
    async end() {
      closing.abort()
      cutLater()
      await sock.end(undefined)
      await closed
    },
  }
}

/** The code in Baileys' error, which is a Boom. */
const codeOf = (error: unknown): number | undefined => {
  const { output } = (error ?? {}) as { readonly output?: { readonly statusCode?: unknown } }
  return typeof output?.statusCode === 'number' ? output.statusCode : undefined
}

/** Node's emitter, which Baileys' types do not tell of. */
const emitterOf = (sock: WASocket) => sock.ws as unknown as NodeJS.EventEmitter

/** The WebSocket under Baileys' client; none before it connects and after it has closed. */
const rawOf = (sock: WASocket) => (sock.ws as unknown as { readonly socket: { terminate(): void } | null }).socket
