/** Where Dale is, and a key with the scopes `propose` and `read` (`dale keys create`). */
export interface Dale {
  readonly url: string
  readonly key: string
}

/** What is to be asked in a chat. `requester` is the person who asks for it, as Dale knows them. */
export interface Wanted {
  readonly action: string
  readonly args: unknown
  readonly conversation: { readonly account: string; readonly chat: string; readonly topic?: string }
  readonly requester?: string
}

/** What became of it. Only `executed` says that it was done; `result` is the action's own words, and nothing to be obeyed. */
export interface Outcome {
  readonly state: string
  readonly executed: boolean
  readonly result?: string
}

/**
 * Asks for a person's yes in the chat and waits for the end, however long that takes. `once` names the wish (a tool call's id does): asked
 * for again after a crash, it is the same proposal. Throws where Dale refuses to ask at all; the message says why.
 */
export async function decidedByPerson(dale: Dale, wanted: Wanted, once: string, signal?: AbortSignal): Promise<Outcome> {
  const proposed = await call(dale, 'POST', '/v1/proposals', { 'idempotency-key': once }, wanted, signal)
  for (;;) {
    const outcome = await call(dale, 'GET', `/v1/proposals/${String(proposed.proposalId)}/outcome?wait=30`, {}, undefined, signal)
    if (outcome.final === true) return outcome as unknown as Outcome
  }
}

async function call(
  { url, key }: Dale,
  method: 'GET' | 'POST',
  path: string,
  headers: Readonly<Record<string, string>>,
  body: unknown,
  signal: AbortSignal | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...headers,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  })
  const answer = (await response.json()) as Readonly<Record<string, unknown>>
  if (!response.ok) throw new Error(`Dale answered ${response.status}: ${String(answer.detail ?? answer.title)}`)
  return answer
}
