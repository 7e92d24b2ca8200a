/** What a key may be for. None of them decides: no program does. */
export const keyScopes = ['propose', 'read', 'halt', 'people', 'grants'] as const

export type KeyScope = (typeof keyScopes)[number]

/** A program's key, without its secret: of that only a hash is kept. */
export interface ApiKey {
  readonly id: string
  readonly tenant: string
  readonly name: string
  readonly scopes: readonly KeyScope[]
  readonly by: string
  readonly createdAtMs: number
  readonly expiresAtMs?: number
  readonly lastUsedAtMs?: number
  readonly revoked?: { readonly atMs: number; readonly by: string }
}

/** How many requests of a key there were in the window that runs, and when it ends. */
export interface KeyWindow {
  readonly count: number
  readonly endsInMs: number
}

/** What a request with an idempotency key meets. `running`: it is being answered now; `other`: the key came with something else before. */
export type Claimed =
  | { readonly kind: 'new'; readonly proposalId: string }
  | { readonly kind: 'done'; readonly status: number; readonly body: string }
  | { readonly kind: 'running' }
  | { readonly kind: 'other' }

/** Keys of programs, and what they asked for already. Part of the store. */
export interface ApiKeyStore {
  /** Keeps a new key; `hash` is the SHA-256 of its secret in hex. */
  makeKey(
    key: Pick<ApiKey, 'id' | 'tenant' | 'name' | 'scopes' | 'by'> & { readonly hash: string; readonly lastsMs?: number },
  ): Promise<ApiKey>
  /** Every key, the newest first; revoked ones too. */
  keys(tenant: string): Promise<readonly ApiKey[]>
  /** A key that holds now, with the hash of its secret. */
  keyThatHolds(id: string): Promise<{ readonly key: ApiKey; readonly hash: string } | undefined>
  /** Counts one request. */
  countRequest(id: string, windowMs: number): Promise<KeyWindow>
  /** False where there is none, or it was revoked before. Holds for the next request of any process. */
  revokeKey(tenant: string, id: string, by: string): Promise<boolean>
  /**
   * Begins a request that may be sent again. One that nobody answered (its process died) is begun anew after `leaseMs`, with the id of the
   * proposal that it was to make. After `keptMs` it is forgotten.
   */
  claimRequest(request: {
    readonly key: string
    readonly name: string
    readonly fingerprint: string
    readonly proposalId: string
    readonly leaseMs: number
    readonly keptMs: number
  }): Promise<Claimed>
  /** What was answered. Without it, the request may be sent again at once. */
  answerRequest(key: string, name: string, answer: { readonly status: number; readonly body: string } | undefined): Promise<void>
}
