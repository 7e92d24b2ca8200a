import { setImmediate } from 'node:timers/promises'
import type { Preview } from '../../src/core/card.ts'
import type { Conversation } from '../../src/core/conversation.ts'
import { fingerprintOf, previewDigestOf } from '../../src/core/fingerprint.ts'
import type { InboundMessage } from '../../src/core/inbound.ts'
import type { Proposal, ProposalIn } from '../../src/core/proposal.ts'
import type { Stage } from './house.ts'
import { bookingAction, Ledger } from './ledger.ts'
import { aCode, aDecision, anId, aProposal, minutes, placed } from './proposals.ts'

/** The people of a race: both may decide what Ana asked for, each in a chat of their own. */
export const racers = [
  { id: 'carla', name: 'Carla', roles: ['supervisor'], identities: ['sim:carla'] },
  { id: 'dario', name: 'Dario', roles: ['supervisor'], identities: ['sim:dario'] },
] as const

export type Racer = (typeof racers)[number]['id']

export const chatOf = (racer: Racer | 'ana', { code }: Proposal): Conversation => ({ account: 'demo', chat: `${racer}-${code}` })

/** Puts proposals in the store as `pending` or `approved`, each shown to both deciders ten seconds ago. */
export async function waitingProposals<S extends 'pending' | 'approved'>(
  stage: Stage,
  state: S,
  count: number,
): Promise<readonly ProposalIn<S>[]> {
  const nowMs = await stage.store.now()
  const whole = {
    pending: { name: 'pending', shownAtMs: nowMs - 10_000, expiresAtMs: nowMs + minutes(30), refusals: 0 },
    approved: {
      name: 'approved',
      decision: aDecision({ person: 'carla', atMs: nowMs }),
      executeByMs: nowMs + minutes(30),
      fence: 0,
      attempts: 0,
    },
  } as const
  const preview = await previewOf(3)
  const all = Array.from({ length: count }, async () => {
    const code = aCode()
    const draft = aProposal<S>({
      id: anId(),
      code,
      action: 'registrar',
      actionVersion: '1',
      canonicalArgs: '{"cajas":3}',
      preview,
      previewDigest: previewDigestOf(preview),
      conversation: { account: 'demo', chat: `ana-${code}` },
      approvers: { kind: 'role', role: 'supervisor', second: false },
      reversibility: 'reversible',
      createdAtMs: nowMs - 20_000,
      state: whole[state] as never,
    })
    const proposal = await placed(stage.store, { ...draft, fingerprint: fingerprintOf(draft) })
    for (const { id } of racers) {
      await stage.store.commit({
        showing: {
          proposalId: proposal.id,
          cardRevision: 1,
          conversation: chatOf(id, proposal),
          messageIds: [`${id}-${code}`],
          acceptedAtMs: nowMs - 10_000,
          moment: { atMs: nowMs - 10_000, order: 10 },
        },
      })
    }
    return proposal
  })
  return Promise.all(all)
}

/** As the action itself would show it now: a yes to anything else counts for nothing. */
async function previewOf(cajas: number): Promise<Preview> {
  const context = { locale: 'es', conversation: { account: 'demo', chat: 'ana' }, signal: new AbortController().signal }
  const prepared = await bookingAction(new Ledger()).preview({ cajas }, context)
  if (prepared.kind !== 'ready') throw new Error('The action shows nothing')
  const { kind: _ready, ...preview } = prepared
  return preview
}

/** What a decider writes about a card, now. The same `providerId` is the same event. */
export const words = (racer: Racer, proposal: Proposal, phrase: string, nowMs: number): InboundMessage => ({
  kind: 'message',
  conversation: chatOf(racer, proposal),
  providerId: `${racer}-${proposal.code}-${phrase}`,
  sender: { id: `sim:${racer}`, name: racer },
  messageId: `${racer}-${proposal.code}-20`,
  moment: { atMs: nowMs, order: 20 },
  group: false,
  addressed: true,
  reply: { kind: 'none' },
  body: { kind: 'text', text: `${phrase} #${proposal.code}` },
})

/** Resolves once every event was judged. */
export async function judged({ run }: Pick<Stage, 'run'>): Promise<void> {
  while ((await run('select 1 from dale.inbox where handled_at is null limit 1')).length > 0) await setImmediate()
}

/** How a race ended for one proposal: its state, who decided it for good, and what each decider was told, in order. */
export interface RaceEnd {
  readonly proposal: Proposal
  readonly state: string
  readonly finals: readonly string[]
  readonly told: Readonly<Record<Racer, readonly string[]>>
}

export async function raceEnds({ run }: Pick<Stage, 'run'>, proposals: readonly Proposal[]): Promise<readonly RaceEnd[]> {
  const states = await run('select id, state from dale.proposal')
  const decisions = await run('select proposal, person, verdict from dale.decision where final')
  const notices = await run(
    `select conversation, body -> 'message' ->> 'text' as text from dale.outbox where kind = 'notice' order by id`,
  )
  return proposals.map((proposal) => {
    const told = (racer: Racer) =>
      notices
        .filter(({ conversation }) => conversation === `demo/${chatOf(racer, proposal).chat}`)
        .map(({ text }) => String(text))
    return {
      proposal,
      state: String(states.find(({ id }) => id === proposal.id)?.state),
      finals: decisions
        .filter((decision) => decision.proposal === proposal.id)
        .map(({ person, verdict }) => `${String(person)} ${String(verdict)}`),
      told: { carla: told('carla'), dario: told('dario') },
    }
  })
}

/** A generator of numbers in [0, 1) that a seed repeats. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

export function shuffled<T>(values: readonly T[], random: () => number): T[] {
  const left = [...values]
  return values.map(() => left.splice(Math.floor(random() * left.length), 1)[0] as T)
}
