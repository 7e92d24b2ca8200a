/** One secret of an account: `kind` and `id` are the adapter's own words. Without a value it is erased. */
export interface VaultEntry {
  readonly kind: string
  readonly id: string
  readonly value?: Uint8Array
}

/**
 * Secrets that a channel must keep across processes (a WhatsApp session, the keys of polls), encrypted at rest with `DALE_SECRET_KEY`
 * (AES-256-GCM, bound to account, kind and id). Methods throw `StoreAwayError` when the database cannot be asked, and
 * `ConfigError` when a value was encrypted under a key that is not configured any more.
 */
export interface Vault {
  read(account: string, kind: string, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>
  /** All of one kind, in the order of their ids. */
  readAll(account: string, kind: string): Promise<ReadonlyMap<string, Uint8Array>>
  /**
   * Writes all entries in one transaction. With a `lease`, only while its fence is the newest: false, and nothing was written, when another
   * process has taken it since. Safe to repeat.
   */
  write(
    account: string,
    entries: readonly VaultEntry[],
    lease?: { readonly name: string; readonly fence: number },
  ): Promise<boolean>
  /** Erases everything of an account, or of some kinds. With a `lease` as `write`: false, and nothing was erased, when it is another's. */
  erase(account: string, kinds?: readonly string[], lease?: { readonly name: string; readonly fence: number }): Promise<boolean>
}
