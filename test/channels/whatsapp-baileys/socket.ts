import { pino } from 'pino'
import type {
  AuthenticationCreds,
  BaileysEventMap,
  Library,
  SignalDataSet,
  SignalDataTypeMap,
  SignalKeyStore,
  WAMessage,
  WASocket,
} from '../../../src/channels/whatsapp-baileys/library.ts'
import type { WhatsAppServer } from '../../support/whatsapp-server/index.ts'

/** The credentials and keys of a client, in memory; what a process has that was never stopped. */
export interface Registration {
  readonly creds: AuthenticationCreds
  readonly keys: SignalKeyStore
}

export function newRegistration(baileys: Library): Registration {
  const kinds = new Map<string, Map<string, unknown>>()
  return {
    creds: baileys.initAuthCreds(),
    keys: {
      get<T extends keyof SignalDataTypeMap>(type: T, ids: string[]) {
        const found: { [id: string]: SignalDataTypeMap[T] } = {}
        for (const id of ids) if (kinds.get(type)?.has(id)) found[id] = kinds.get(type)?.get(id) as SignalDataTypeMap[T]
        return found
      },
      set(changes: SignalDataSet) {
        for (const [type, values] of Object.entries(changes)) {
          const kind = kinds.get(type) ?? new Map<string, unknown>()
          kinds.set(type, kind)
          for (const [id, value] of Object.entries(values ?? {})) {
            if (value === null) kind.delete(id)
            else kind.set(id, value)
          }
        }
      },
    },
  }
}

type Arrived = WAMessage & { readonly arrivedAs: 'notify' | 'append'; readonly requestId: string | undefined }

/** The real socket of Baileys, with everything that it emitted. */
export interface Client extends AsyncDisposable {
  readonly socket: WASocket
  readonly arrived: readonly Arrived[]
  readonly updates: readonly BaileysEventMap['messages.update'][number][]
  readonly reactions: readonly BaileysEventMap['messages.reaction'][number][]
  readonly history: readonly BaileysEventMap['messaging-history.set'][]
  /** The first QR. */
  readonly qr: Promise<string>
  readonly opened: Promise<void>
  /** The code with which the connection ended. */
  readonly closed: Promise<number>
  /** What is known of one message that was sent: Baileys says it with the message itself, or after it, as its buffer has it. */
  statusesOf(id: string): readonly (number | null | undefined)[]
  /** The code with which the server has refused it. */
  refusalOf(id: string): readonly string[] | undefined
  /** Resolves with the first message under this id that holds `isSo`, among those that came and those that will. */
  message(id: string, isSo?: (message: Arrived) => boolean): Promise<Arrived>
  /** Resolves when `isSo`, looked at after every event. */
  until(isSo: () => boolean): Promise<void>
}

/** Connects a client to the server with what it has registered. */
export function connect(baileys: Library, server: WhatsAppServer, { creds, keys }: Registration, more: object = {}): Client {
  const arrived: Arrived[] = []
  const updates: BaileysEventMap['messages.update'][number][] = []
  const reactions: BaileysEventMap['messages.reaction'][number][] = []
  const history: BaileysEventMap['messaging-history.set'][] = []
  const looks = new Set<() => void>()
  const until = (isSo: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!isSo()) return
        looks.delete(look)
        resolve()
      }
      looks.add(look)
      look()
    })
  const socket = baileys.makeWASocket({
    auth: { creds, keys },
    waWebSocketUrl: server.url,
    logger: pino({ level: 'silent' }),
    markOnlineOnConnect: false,
    ...more,
  })
  let qr: string | undefined
  let open = false
  let code: number | undefined
  socket.ev.process((events) => {
    const { 'messages.upsert': upsert, 'connection.update': connection } = events
    for (const message of upsert?.messages ?? [])
      arrived.push({ ...message, arrivedAs: upsert?.type ?? 'notify', requestId: upsert?.requestId })
    updates.push(...(events['messages.update'] ?? []))
    reactions.push(...(events['messages.reaction'] ?? []))
    if (events['messaging-history.set']) history.push(events['messaging-history.set'])
    if (events['creds.update']) Object.assign(creds, events['creds.update'])
    if (connection?.qr) qr ??= connection.qr
    if (connection?.connection === 'open') open = true
    if (connection?.connection === 'close')
      code = (connection.lastDisconnect?.error as { output?: { statusCode: number } } | undefined)?.output?.statusCode ?? 0
    for (const look of [...looks]) look()
  })
  const is = <Value>(value: Value | undefined): Value => {
    if (value === undefined) throw new Error('it is not there')
    return value
  }
  return {
    socket,
    arrived,
    updates,
    reactions,
    history,
    qr: until(() => qr !== undefined).then(() => is(qr)),
    opened: until(() => open),
    closed: until(() => code !== undefined).then(() => is(code)),
    statusesOf: (id) => [
      ...arrived.filter(({ key }) => key.id === id).map(({ status }) => status),
      ...updates.filter(({ key }) => key.id === id).map(({ update }) => update.status),
    ],
    refusalOf: (id) =>
      [...arrived, ...updates.map(({ key, update }) => ({ ...update, key }))].find(
        ({ key, messageStubParameters }) => key.id === id && messageStubParameters,
      )?.messageStubParameters ?? undefined,
    async message(id, isSo = ({ message }) => message !== null && message !== undefined) {
      const find = () => arrived.find((message) => message.key.id === id && isSo(message))
      await until(() => find() !== undefined)
      return is(find())
    },
    until,
    async [Symbol.asyncDispose]() {
      await socket.end(undefined)
    },
  }
}
