import { StoreAwayError } from '../../core/errors.ts'
import type { Vault, VaultEntry } from '../../ports/vault.ts'
import { backoffOf, orAborted, wait } from '../connection/wait.ts'
import { FencedWriter, type Holding, NotHolder } from './fenced-writer.ts'
import type { AuthenticationCreds, Library, SignalDataSet, SignalDataTypeMap, SignalKeyStore } from './library.ts'

/** Every kind of key that Baileys keeps. A test of types sees to it that none is missing. */
export const signalKinds = [
  'app-state-sync-key',
  'app-state-sync-version',
  'device-list',
  'identity-key',
  'lid-mapping',
  'pre-key',
  'sender-key',
  'sender-key-memory',
  'session',
  'tctoken',
] as const satisfies readonly (keyof SignalDataTypeMap)[]

/** Messages that were decrypted and are not yet known to be stored as events (`journal.ts`). */
export const journalKind = 'inbound'
const credsKind = 'creds'
const credsId = 'creds'

/** All that belongs to one linked device, and is worth nothing after it was unlinked. What Dale keeps of its polls is not of them. */
export const sessionKinds: readonly string[] = [credsKind, journalKind, ...signalKinds]

/** Has the phone signed this device? Before, there is nothing that could log in. */
const isPaired = (creds: AuthenticationCreds): boolean =>
  creds.me !== undefined && creds.account !== undefined && creds.account !== null

const encoded = (value: unknown, { BufferJSON }: Library): Uint8Array =>
  new Uint8Array(Buffer.from(JSON.stringify(value, BufferJSON.replacer)))

const decoded = (bytes: Uint8Array, { BufferJSON }: Library): unknown =>
  JSON.parse(Buffer.from(bytes).toString('utf8'), BufferJSON.reviver)

/** The stored credentials of an account; undefined while it is not paired. Throws what `Vault.read` throws. */
export async function readCreds(library: Library, vault: Vault, account: string): Promise<AuthenticationCreds | undefined> {
  const stored = (await vault.read(account, credsKind, [credsId])).get(credsId)
  return stored === undefined ? undefined : (decoded(stored, library) as AuthenticationCreds)
}

/** Is there a session of a linked device for the account? Throws what `Vault.read` throws. */
export const hasSession = async (vault: Vault, account: string): Promise<boolean> =>
  (await vault.read(account, credsKind, [credsId])).has(credsId)

/** The session of one linked device for one connection, kept in the vault: what Baileys asks for as its `auth`. */
export class Session {
  readonly creds: AuthenticationCreds
  readonly keys: SignalKeyStore
  readonly #library: Library
  readonly #writer: FencedWriter
  #isCredsStored = true

  constructor(library: Library, vault: Vault, account: string, creds: AuthenticationCreds, holding: Holding) {
    this.#library = library
    this.creds = creds
    this.#writer = new FencedWriter(vault, account, holding)
    this.keys = {
      get: async (type, ids) => {
        const stored = await untilRead(() => vault.read(account, type, ids), holding.lost)
        return Object.fromEntries([...stored].map(([id, bytes]) => [id, this.#valueOf(type, bytes)]))
      },
      set: async (data) => {
        await this.#writer.write([...this.#entriesOf(data), ...this.#unstoredCreds()])
      },
    }
  }

  /** Baileys has changed the credentials. They are stored now, or together with the keys that belong to the change. */
  async credsChanged(): Promise<void> {
    this.#isCredsStored = false
    await Promise.resolve()
    const entries = this.#unstoredCreds()
    if (entries.length > 0) await this.#writer.write(entries)
  }

  /** Writes values of a kind of our own as Baileys' keys are written; null erases. */
  keep(kind: string, values: Readonly<Record<string, unknown>>): Promise<void> {
    return this.#writer.write(this.#entriesOf({ [kind]: values } as SignalDataSet))
  }

  /** Writes other entries of the account under the same fence. */
  write(entries: readonly VaultEntry[]): Promise<void> {
    return this.#writer.write(entries)
  }

  /**
   * Nothing more is written; resolves when what was asked before is stored. What a closed socket's code still does must not overwrite
   * what the next connection does with the same keys.
   */
  close(): Promise<void> {
    return this.#writer.close()
  }

  #unstoredCreds(): readonly VaultEntry[] {
    if (this.#isCredsStored || !isPaired(this.creds)) return []
    this.#isCredsStored = true
    return [{ kind: credsKind, id: credsId, value: encoded(this.creds, this.#library) }]
  }

  #valueOf(type: keyof SignalDataTypeMap, bytes: Uint8Array): never {
    const value = decoded(bytes, this.#library)
    const isMessage = type === 'app-state-sync-key' && typeof value === 'object' && value !== null
    return (isMessage ? this.#library.proto.Message.AppStateSyncKeyData.fromObject(value) : value) as never
  }

  #entriesOf(data: SignalDataSet): readonly VaultEntry[] {
    return Object.entries(data).flatMap(([kind, values]) =>
      Object.entries(values ?? {}).map(([id, value]: [string, unknown]) =>
        value === null || value === undefined ? { kind, id } : { kind, id, value: encoded(value, this.#library) },
      ),
    )
  }
}

/** A read that fails would look like a key that is not there: it waits for the store instead, while the number is ours. */
async function untilRead<T extends object>(read: () => Promise<T>, lost: AbortSignal): Promise<T> {
  for (let failures = 1; !lost.aborted; failures += 1) {
    try {
      const value = await orAborted(read(), lost)
      if (value !== undefined) return value
    } catch (error) {
      if (!(error instanceof StoreAwayError)) throw error
      await wait(backoffOf(failures, 100), lost)
    }
  }
  throw new NotHolder('The session is not this process’s to read')
}
