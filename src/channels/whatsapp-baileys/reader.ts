import type { Normalized } from '../../core/inbound.ts'
import type { Vault } from '../../ports/vault.ts'
import type { BaileysContext } from './context.ts'
import { readJid } from './identity.ts'
import { Lately } from './lately.ts'
import { messageFactsOf } from './message-facts.ts'
import { isOwnMessageId } from './message-id.ts'
import { needsOf } from './needs.ts'
import { normalizeBaileys } from './normalize.ts'
import { readPolls } from './polls.ts'
import type { Session } from './session.ts'

const keptMs = 24 * 60 * 60 * 1000

/** Reads Baileys' events, with what has to be known beside them. One for an account, across its connections. */
export class Reader {
  readonly #account: string
  readonly #vault: Vault
  /** Of messages that came: the secret that opens a later edit, and when one that could not be decrypted was written. */
  readonly #secrets = new Lately<Uint8Array>(5000, keptMs)
  readonly #stubs = new Lately<number>(1000, keptMs)
  /** Baileys' own note of what it asked for lives as long as the process, and so does this. */
  readonly #requested = new Lately<true>(1000, keptMs)

  constructor(account: string, vault: Vault) {
    this.#account = account
    this.#vault = vault
  }

  /** What stands for a channel that is not connected: nothing is known of anybody. */
  get blank(): BaileysContext {
    return {
      account: this.#account,
      me: {},
      lidOf: () => undefined,
      pnOf: () => undefined,
      polls: new Map(),
      isOurs: (id) => isOwnMessageId(id, this.#account),
      nowMs: Date.now(),
    }
  }

  /** Throws what the vault throws: the event is then to be read again. */
  async read(event: { readonly event: string; readonly data: unknown }, session: Session): Promise<readonly Normalized[]> {
    const needs = needsOf(event)
    const [links, polls] = await Promise.all([
      this.#linksOf(needs.jids, session),
      readPolls(this.#vault, this.#account, needs.polls),
    ])
    const { me } = session.creds
    const normalized = normalizeBaileys(event, {
      ...this.blank,
      me: { phone: me?.id, lid: me?.lid },
      lidOf: (jid) => links.get(userOf(jid)),
      pnOf: (jid) => links.get(`${userOf(jid)}_reverse`),
      polls,
      secretOf: (id) => this.#secrets.get(id),
      stubAtMsOf: (id) => this.#stubs.get(id),
      wasRequested: (id) => this.#requested.get(id) === true,
    })
    for (const { id, secret, stubAtMs, requested } of messageFactsOf(event)) {
      if (secret !== undefined) this.#secrets.set(id, secret)
      if (stubAtMs !== undefined) this.#stubs.set(id, stubAtMs)
      if (requested !== undefined) this.#requested.set(id, true)
    }
    return normalized
  }

  /** Baileys' mapping store as it keeps it: a number's LID under the number, a LID's number under `<LID>_reverse`. */
  async #linksOf(jids: readonly string[], { keys }: Session): Promise<ReadonlyMap<string, string>> {
    const ids = jids.map((jid) => (readJid(jid)?.kind === 'lid' ? `${userOf(jid)}_reverse` : userOf(jid)))
    const stored = ids.length === 0 ? {} : await keys.get('lid-mapping', [...new Set(ids)])
    return new Map(
      Object.entries(stored).map(([id, user]) => [id, id.endsWith('_reverse') ? `${user}@s.whatsapp.net` : `${user}@lid`]),
    )
  }
}

const userOf = (jid: string): string => readJid(jid)?.user ?? ''
