/** What a status proves about the call that got it. */
export interface Meaning {
  readonly kind: 'done' | 'refused'
  readonly permanent: boolean
  readonly mayHaveHappened: boolean
  readonly because: string
}

/**
 * Reads a status as what it proves. `keyed`: the request carried an idempotency key. `first`: no earlier attempt may be in doubt;
 * on a later one no refusal proves anything, because it may be the earlier attempt that it answers (RULES 6.5).
 */
export function meaningOf(status: number, { keyed, first }: { readonly keyed: boolean; readonly first: boolean }): Meaning {
  if (status >= 200 && status < 300) return { kind: 'done', permanent: false, mayHaveHappened: true, because: '' }
  const refused = (permanent: boolean, mayHaveHappened: boolean, because: string): Meaning => ({
    kind: 'refused',
    permanent,
    mayHaveHappened: mayHaveHappened || !first,
    because,
  })
  // A redirect after a POST usually points at the result (303), so it is not a proof of nothing; Dale follows none.
  if (status < 400) return refused(true, true, 'a redirect, which is not followed: write the final address in the configuration')
  switch (status) {
    case 409:
      // draft-ietf-httpapi-idempotency-key: the request with this key is still being worked on. Without a key it is a refusal like others.
      return keyed ? refused(false, true, 'a call with this key is still under way') : refused(true, false, 'a conflict')
    case 422:
      // The same draft: the key was used before with another body. The same key always carries the same bytes here, so that is a bug.
      return refused(
        true,
        false,
        keyed ? 'the arguments are refused, or the key was used with other bytes: look into it' : 'the arguments are refused',
      )
    case 408:
      // RFC 9110 15.5.9 says that no complete request arrived, but proxies say it when the server behind them is slow.
      return refused(false, true, 'it took too long')
    case 425:
      // RFC 8470 5.2: "unwilling to risk processing a request that might be replayed".
      return refused(false, false, 'too early')
    case 429:
      // RFC 6585 4: the limit stands before the work.
      return refused(false, false, 'too many requests')
  }
  return status < 500 ? refused(true, false, 'refused') : refused(false, true, 'the server failed')
}
