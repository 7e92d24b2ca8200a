import type { CallContext, PreviewContext } from '../../src/ports/action.ts'

/** What an action gets for a call. */
export const aCall = (differs: Partial<CallContext> = {}): CallContext => ({
  proposalId: '01K0000000000000000000000A',
  idempotencyKey: 'key-1',
  attempt: 1,
  fence: 1,
  locale: 'es',
  signal: new AbortController().signal,
  ...differs,
})

/** What an action gets for a preview. */
export const aPreviewing = (differs: Partial<PreviewContext> = {}): PreviewContext => ({
  locale: 'es',
  requester: 'ana',
  conversation: { account: 'tienda', chat: 'ana' },
  signal: new AbortController().signal,
  ...differs,
})
