import { hash } from 'node:crypto'
import { z } from 'zod'
import type { Vault } from '../../ports/vault.ts'
import type { BinaryNode, Library, SignalKeyStoreWithTransaction, SignalRepository, WAMessage } from './library.ts'
import { quietLog } from './quiet-log.ts'
import { journalKind, type Session } from './session.ts'

/** Longer than this an entry that could not be read whole waits for the message to come again. */
const keptMs = 7 * 24 * 60 * 60 * 1000

/** For so long WhatsApp may deliver again what was stored and whose receipt was lost; without its plaintext it would look broken. */
const doneMs = 10 * 60_000

/** A stanza as it came, its ciphertexts by their hashes, and the plaintext of one of them; `by` is whose key opened it. */
const entrySchema = z.object({
  node: z.custom<BinaryNode>(),
  by: z.string(),
  plaintext: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
  atMs: z.number(),
  /** When the events made of it were stored. */
  doneAtMs: z.number().optional(),
})
type Entry = z.infer<typeof entrySchema>

const hashOf = (ciphertext: Uint8Array): string => hash('sha256', ciphertext, 'hex').slice(0, 32)

/** What Baileys decrypts with. */
type Decrypting = Pick<SignalRepository, 'decryptMessage' | 'decryptGroupMessage'>

/**
 * Baileys acknowledges a message as soon as it is decrypted, before anybody has seen it, and a ratchet decrypts a message only once. So
 * the plaintext is written together with the key's next state, in one transaction, and erased some time after the events made of it are
 * stored: a process that dies in between loses nothing, and a message that WhatsApp delivers again is read from here.
 */
export class Journal {
  readonly #library: Library
  readonly #session: Session
  readonly #entries = new Map<string, Entry>()
  /** The stanza that a ciphertext came in: Baileys decrypts the very bytes of it. */
  readonly #nodes = new WeakMap<Uint8Array, BinaryNode>()

  private constructor(library: Library, session: Session) {
    this.#library = library
    this.#session = session
  }

  /** Reads what an earlier process, or an earlier connection, left unfinished. */
  static async open(library: Library, vault: Vault, account: string, session: Session): Promise<Journal> {
    const journal = new Journal(library, session)
    const old: string[] = []
    for (const [id, bytes] of await vault.readAll(account, journalKind)) {
      const read = entrySchema.safeParse(JSON.parse(Buffer.from(bytes).toString('utf8'), library.BufferJSON.reviver))
      if (read.success && !isOver(read.data)) journal.#entries.set(id, read.data)
      else old.push(id)
    }
    if (old.length > 0) await session.write(old.map((id) => ({ kind: journalKind, id })))
    return journal
  }

  /** Hears of every stanza before Baileys does. */
  heard(node: BinaryNode): void {
    for (const { content } of childrenOf(node)) if (content instanceof Uint8Array) this.#nodes.set(content, node)
  }

  /** The repository with a memory. `keys` must be the one whose transactions the repository itself uses. */
  remembering(repository: SignalRepository, keys: SignalKeyStoreWithTransaction): Decrypting {
    const remembered = (
      { ciphertext, by, key }: { readonly ciphertext: Uint8Array; readonly by: string; readonly key: string },
      decrypt: () => Promise<Uint8Array>,
    ): Promise<Uint8Array> => {
      const id = hashOf(ciphertext)
      const entry = this.#entries.get(id)
      if (entry?.by === by) return Promise.resolve(entry.plaintext)
      // The inner transaction joins this one, so the session's next state and the entry are one write.
      return keys.transaction(async () => {
        const plaintext = await decrypt()
        const node = this.#nodes.get(ciphertext)
        if (node === undefined) return plaintext
        const kept = { node: withHashes(node), by, plaintext, atMs: Date.now() }
        this.#entries.set(id, kept)
        await keys.set({ [journalKind]: { [id]: kept } } as never)
        return plaintext
      }, key)
    }
    return {
      decryptMessage: (about) =>
        remembered({ ciphertext: about.ciphertext, by: about.jid, key: about.jid }, () => repository.decryptMessage(about)),
      decryptGroupMessage: (about) =>
        remembered({ ciphertext: about.msg, by: `${about.group} ${about.authorJid}`, key: about.group }, () =>
          repository.decryptGroupMessage(about),
        ),
    }
  }

  /** The messages of stanzas that were read whole and whose events may not be stored, oldest first. */
  async unfinished(): Promise<readonly WAMessage[]> {
    const { me } = this.#session.creds
    const nodes = new Map(
      [...this.#entries.values()]
        .filter(({ doneAtMs }) => doneAtMs === undefined)
        .sort((a, b) => a.atMs - b.atMs)
        .map(({ node }) => [JSON.stringify(node.attrs), node]),
    )
    const messages: WAMessage[] = []
    for (const node of nodes.values()) {
      const { fullMessage, decrypt } = this.#library.decryptMessageNode(
        withBytes(node),
        me?.id ?? '',
        me?.lid ?? '',
        this.#reading() as never,
        quietLog('', { info: () => {}, warn: () => {}, error: () => {} }),
      )
      await decrypt()
      if (fullMessage.message === undefined || fullMessage.message === null || fullMessage.messageStubType !== undefined) continue
      this.#library.cleanMessage(fullMessage, me?.id ?? '', me?.lid ?? '')
      messages.push(fullMessage)
    }
    return messages
  }

  /** What was made of these messages is stored. */
  async finished(messageIds: readonly string[]): Promise<void> {
    const named = [...this.#entries].filter(
      ([, { node, doneAtMs }]) => doneAtMs === undefined && messageIds.includes(node.attrs.id ?? ''),
    )
    if (named.length === 0) return
    const done = named.map(([id, entry]): [string, Entry] => [id, { ...entry, doneAtMs: Date.now() }])
    const over = [...this.#entries].flatMap(([id, entry]) => (isOver(entry) ? [id] : []))
    await this.#session.keep(journalKind, Object.fromEntries([...done, ...over.map((id) => [id, null] as const)]))
    for (const [id, entry] of done) this.#entries.set(id, entry)
    for (const id of over) this.#entries.delete(id)
  }

  /** A repository that decrypts nothing and remembers. */
  #reading() {
    const plaintextOf = async (reference: Uint8Array): Promise<Uint8Array> => {
      const entry = this.#entries.get(Buffer.from(reference).toString())
      if (entry === undefined) throw new Error('This part of the message was not read yet')
      return entry.plaintext
    }
    return {
      lidMapping: { getLIDForPN: async () => null, getPNForLID: async () => null, storeLIDPNMappings: async () => {} },
      migrateSession: async () => ({ migrated: 0, skipped: 0, total: 0 }),
      processSenderKeyDistributionMessage: async () => {},
      decryptMessage: ({ ciphertext }: { readonly ciphertext: Uint8Array }) => plaintextOf(ciphertext),
      decryptGroupMessage: ({ msg }: { readonly msg: Uint8Array }) => plaintextOf(msg),
    }
  }
}

const isOver = ({ atMs, doneAtMs }: Entry): boolean =>
  Date.now() - (doneAtMs ?? atMs) > (doneAtMs === undefined ? keptMs : doneMs)

const childrenOf = ({ content }: BinaryNode): readonly BinaryNode[] => (Array.isArray(content) ? content : [])

/** The stanza with each ciphertext replaced by its hash, as text: that is what its plaintext is kept under. */
const withHashes = (node: BinaryNode): BinaryNode => ({
  ...node,
  content: childrenOf(node).map((child) =>
    child.content instanceof Uint8Array && child.tag === 'enc' ? { ...child, content: hashOf(child.content) } : child,
  ),
})

const withBytes = (node: BinaryNode): BinaryNode => ({
  ...node,
  content: childrenOf(node).map((child) =>
    typeof child.content === 'string' && child.tag === 'enc' ? { ...child, content: Buffer.from(child.content) } : child,
  ),
})
