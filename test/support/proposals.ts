import type { Conversation } from '../../src/core/conversation.ts'
import type { DecisionRecord } from '../../src/core/decision.ts'
import type { Grant } from '../../src/core/grant.ts'
import type { Draft, Proposal, ProposalIn, State, StateName } from '../../src/core/proposal.ts'
import type { Store } from '../../src/ports/store.ts'

/** When the shared builders say that things happened: a fixed morning, so whole values can be compared. */
export const someTimeMs = Date.UTC(2026, 2, 14, 15, 0, 0)

export const minutes = (n: number): number => n * 60_000

export const aConversation: Conversation = { account: 'tienda', chat: 'tg:42000001' }

let made = 0

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** A valid ULID that no other call in this process gets; they sort in the order of the calls. */
export function anId(): string {
  made += 1
  const digits = Array.from({ length: 8 }, (_, place) => crockford.charAt(Math.floor(made / 32 ** (7 - place)) % 32))
  return `01KKN0000000000000${digits.join('')}`
}

const codeLetters = 'ABCDEFGHJKMNPQRSTVWXYZ'

/** A valid code that no other call in this process gets for a long while. */
export function aCode(): string {
  made += 1
  const at = (n: number): string => codeLetters.charAt(Math.floor(made / codeLetters.length ** n) % codeLetters.length)
  return `${at(2)}${at(1)}${at(0)}${2 + (made % 8)}`
}

export const aDecision = (over: Partial<DecisionRecord> = {}): DecisionRecord => ({
  person: 'ana',
  verdict: 'approve',
  via: 'phrase',
  atMs: someTimeMs + minutes(2),
  moment: { atMs: someTimeMs + minutes(2), order: 12 },
  phrase: 'dale',
  vocabularyVersion: 'v1',
  ...over,
})

const states: { readonly [N in StateName]: Extract<State, { name: N }> } = {
  draft: { name: 'draft', refusals: 0 },
  pending: { name: 'pending', shownAtMs: someTimeMs, expiresAtMs: someTimeMs + minutes(30), refusals: 0 },
  awaiting_second: { name: 'awaiting_second', expiresAtMs: someTimeMs + minutes(30), first: aDecision() },
  approved: { name: 'approved', decision: aDecision(), executeByMs: someTimeMs + minutes(32), fence: 0, attempts: 0 },
  executing: {
    name: 'executing',
    decision: aDecision(),
    executeByMs: someTimeMs + minutes(32),
    fence: 1,
    attempts: 1,
    leaseUntilMs: someTimeMs + minutes(3),
    doubted: false,
  },
  in_doubt: {
    name: 'in_doubt',
    decision: aDecision(),
    fence: 1,
    attempts: 1,
    sinceMs: someTimeMs + minutes(3),
    firstSentAtMs: someTimeMs + minutes(2),
    quarantineUntilMs: someTimeMs + minutes(8),
  },
  succeeded: { name: 'succeeded', result: 'Plan 77', verification: 'none' },
  failed: { name: 'failed', reason: 'refused', detail: 'The customer is blocked.' },
  rejected: { name: 'rejected', decision: aDecision({ verdict: 'reject', phrase: 'no' }) },
  discarded: { name: 'discarded', reason: 'withdrawn' },
  expired: { name: 'expired', reason: 'undecided' },
  superseded: { name: 'superseded', by: '01KKN000000000000000000001' },
  edited: { name: 'edited', by: '01KKN000000000000000000001' },
  changed: { name: 'changed', reason: 'preview' },
  halted: { name: 'halted', by: 'refusal', person: 'ana' },
}

const draft: Omit<Draft, 'id' | 'code'> = {
  tenant: 'main',
  conversation: aConversation,
  requester: 'ana',
  action: 'crear_acuerdo',
  actionVersion: '1',
  canonicalArgs: '{"cliente":"42","cuotas":3,"monto":"184000"}',
  fingerprint: 'f'.repeat(64),
  preview: {
    summary: 'Plan de 3 cuotas para Ana Gómez (cliente 42)',
    fields: [
      { key: 'cliente', label: 'Cliente', value: { kind: 'text', text: 'Ana Gómez (42)' } },
      { key: 'monto', label: 'Monto', value: { kind: 'money', amount: '184000.00', currency: 'ARS' } },
    ],
  },
  previewDigest: 'd'.repeat(64),
  reasons: [{ code: 'HIGH_COST' }],
  reversibility: 'observed',
  idempotency: 'key',
  approvers: { kind: 'requester' },
  locale: 'es',
  ttlMs: minutes(30),
  policyVersion: 'p1',
  createdAtMs: someTimeMs,
}

/**
 * A proposal in a state, `pending` unless told: its own id and code, everything else the same for all. `state` is a name, for that
 * state as `someTimeMs` has it, or a whole state.
 */
export function aProposal<N extends StateName = 'pending'>(
  over: Partial<Omit<Proposal, 'state'>> & { readonly state?: N | Extract<State, { name: N }> } = {},
): ProposalIn<N> {
  const { state = 'pending', ...rest } = over
  return {
    ...draft,
    id: anId(),
    code: aCode(),
    revision: 1,
    cardRevision: 1,
    ...rest,
    state: typeof state === 'string' ? states[state] : state,
  } as ProposalIn<N>
}

/** A standing yes of Ana's, for what `aProposal` asks, in her chat: two further calls, a week long. */
export const aGrant = (over: Partial<Grant> = {}): Grant => ({
  id: '01KKN000000000000000000009',
  code: 'G7T2',
  person: 'ana',
  conversation: aConversation,
  action: draft.action,
  actionVersion: draft.actionVersion,
  reversibility: 'observed',
  times: 2,
  uses: 0,
  bornAtMs: someTimeMs - minutes(60),
  endsAtMs: someTimeMs + minutes(7 * 24 * 60),
  decision: aDecision({ always: true }),
  ...over,
})

/** What makes a proposal one to which "always" may be said. */
export const alwaysAllowed = { reasons: [], always: { times: 2, days: 7 } } as const

/** The proposal after one move: the new state, and the revision that a move raises. */
export const moved = <P extends Proposal, S extends State>(proposal: P, state: S): Omit<P, 'state'> & { readonly state: S } => ({
  ...proposal,
  state,
  revision: proposal.revision + 1,
})

/** The states that lead from a draft to a state, by the law. */
const ways: { readonly [N in StateName]: readonly StateName[] } = {
  draft: [],
  pending: ['pending'],
  awaiting_second: ['pending', 'awaiting_second'],
  approved: ['pending', 'approved'],
  executing: ['pending', 'approved', 'executing'],
  in_doubt: ['pending', 'approved', 'executing', 'in_doubt'],
  succeeded: ['pending', 'approved', 'executing', 'succeeded'],
  failed: ['pending', 'approved', 'executing', 'failed'],
  rejected: ['pending', 'rejected'],
  discarded: ['pending', 'discarded'],
  expired: ['pending', 'expired'],
  superseded: ['pending', 'superseded'],
  edited: ['pending', 'edited'],
  changed: ['pending', 'changed'],
  halted: ['pending', 'approved', 'halted'],
}

/**
 * Puts a proposal into a store in the state that it is in, by the way that the law asks for, and returns it as it stands there:
 * its revision is what the way made it. No showing and no message goes with it.
 */
export async function placed<P extends Proposal>(store: Store, proposal: P): Promise<P> {
  let before: Proposal = { ...proposal, state: states.draft, revision: 1 }
  const stored = await store.commit({ create: [before] })
  if (stored.kind !== 'committed') throw new Error(`The proposal could not be placed: its ${stored.what} is taken`)
  for (const name of ways[proposal.state.name]) {
    const state = name === proposal.state.name ? proposal.state : states[name]
    const after: Proposal = moved(before, state)
    const decision =
      'decision' in state && before.state.name === 'pending' ? state.decision : 'first' in state ? state.first : undefined
    const written = await store.commit({
      moves: [{ before, after, event: 'place', by: 'test', ...(decision === undefined ? {} : { decision }) }],
    })
    if (written.kind !== 'committed') throw new Error(`The proposal could not be moved to ${name}`)
    before = after
  }
  return before as P
}
