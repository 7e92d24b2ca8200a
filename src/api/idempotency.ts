import { createHash } from 'node:crypto'
import type { House } from '../gateway/house.ts'
import { type Problem, problem } from './problem.ts'

/** Longer than any request takes; after a process died the request may be sent again. */
const leaseMs = 60_000
const keptMs = 24 * 3_600_000

/** What a handler answers. */
export type Answer =
  | { readonly kind: 'answer'; readonly status: 200 | 201 | 202; readonly body: unknown }
  | { readonly kind: 'empty' }
  | Problem

/**
 * The key of a request that may be sent again: a string in quotes, as the Idempotency-Key draft has it
 * (https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/), or the same without them.
 */
export function readIdempotencyKey(header: string | undefined): string | undefined | Problem {
  if (header === undefined) return undefined
  const [, quoted, bare] = /^(?:"([\x20\x21\x23-\x5b\x5d-\x7e]{1,255})"|([\x21\x23-\x2b\x2d-\x7e]{1,255}))$/.exec(header) ?? []
  return (
    quoted ??
    bare ??
    problem(400, 'idempotency_key_malformed', 'The Idempotency-Key is no key.', {
      errors: [{ in: 'header', at: 'Idempotency-Key', detail: 'is 1 to 255 visible characters, best in quotes' }],
    })
  )
}

/**
 * Does a request once, however often it is sent under one key within a day. What was done is answered again; a refusal is not kept, for
 * nothing was done. `work` is given the id of the proposal that would come of it, the same one after a crash.
 */
export async function once(
  { store, mint }: House,
  request: { readonly key: string; readonly name: string; readonly method: string; readonly path: string; readonly body: string },
  work: (proposalId: string) => Promise<Answer>,
): Promise<Answer & { readonly replayed?: true }> {
  const { key, name, method, path, body } = request
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([method, path, body]))
    .digest('hex')
  const claimed = await store.claimRequest({ key, name, fingerprint, proposalId: mint.ulid(), leaseMs, keptMs })
  switch (claimed.kind) {
    case 'running':
      return problem(409, 'idempotency_key_in_use', 'A request with this Idempotency-Key is being answered.', {
        headers: { 'retry-after': '1' },
      })
    case 'other':
      return problem(422, 'idempotency_key_reused', 'This Idempotency-Key came with another request before.')
    case 'done':
      return { ...(JSON.parse(claimed.body) as Answer), replayed: true }
    case 'new': {
      let answer: Answer | undefined
      try {
        answer = await work(claimed.proposalId)
        return answer
      } finally {
        const isDone = answer !== undefined && answer.kind !== 'problem'
        await store.answerRequest(key, name, isDone ? { status: 200, body: JSON.stringify(answer) } : undefined)
      }
    }
  }
}
