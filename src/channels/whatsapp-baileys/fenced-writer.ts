import { StoreAwayError } from '../../core/errors.ts'
import type { Vault, VaultEntry } from '../../ports/vault.ts'
import { backoffOf, orAborted, wait } from '../connection/wait.ts'

/** The number is another process's now, or the connection is over: nothing was written. */
export class NotHolder extends Error {
  override readonly name = 'NotHolder'
}

/** Under which lease an account's secrets are written; `lost` aborts when it is no longer ours. */
export interface Holding {
  readonly name: string
  readonly fence: number
  readonly lost: AbortSignal
}

/**
 * Writes to the vault in the order of asking, and only while the lease is held. What is asked while a write is under way goes together in
 * the next one, so that many small writes at once cost two. A store that is away is waited for.
 */
export class FencedWriter {
  readonly #vault: Pick<Vault, 'write'>
  readonly #account: string
  readonly #holding: Holding
  #isClosed = false
  #waiting: VaultEntry[] = []
  #next: Promise<void> | undefined
  #current: Promise<void> = Promise.resolve()

  constructor(vault: Pick<Vault, 'write'>, account: string, holding: Holding) {
    this.#vault = vault
    this.#account = account
    this.#holding = holding
  }

  /** Resolves when the entries are stored; rejects with `NotHolder` when they cannot be any more. */
  write(entries: readonly VaultEntry[]): Promise<void> {
    if (this.#isClosed) return Promise.reject(this.#refusal())
    this.#waiting.push(...entries)
    this.#next ??= this.#current
      .catch(() => undefined)
      .then(() => {
        const together = this.#waiting
        this.#waiting = []
        this.#next = undefined
        this.#current = this.#store(together)
        return this.#current
      })
    return this.#next
  }

  /** Takes nothing more; resolves when what was asked before is stored or refused. */
  async close(): Promise<void> {
    this.#isClosed = true
    while (this.#next !== undefined) await this.#next.catch(() => undefined)
    await this.#current.catch(() => undefined)
  }

  async #store(entries: readonly VaultEntry[]): Promise<void> {
    const { name, fence, lost } = this.#holding
    for (let failures = 1; !lost.aborted; failures += 1) {
      try {
        // A store that does not answer must not hold up the end: the fence sees to what may still be written.
        if ((await orAborted(this.#vault.write(this.#account, entries, { name, fence }), lost)) === true) return
        break
      } catch (error) {
        if (!(error instanceof StoreAwayError)) throw error
        await wait(backoffOf(failures, 100), lost)
      }
    }
    throw this.#refusal()
  }

  #refusal(): NotHolder {
    return new NotHolder(`The session of ${this.#account} is not this connection's to write`)
  }
}
