import { describe, expect, test } from 'vitest'
import type { Decision } from '../../src/core/decision.ts'
import { fingerprintOf } from '../../src/core/fingerprint.ts'
import { type LifecycleEvent, lifecycle, transition } from '../../src/core/lifecycle.ts'
import { pressPayloadOf, readPress } from '../../src/core/press.ts'
import type { Proposal } from '../../src/core/proposal.ts'
import { targetOf } from '../../src/core/target.ts'
import { rowsShownBy } from '../support/conformance.ts'
import { aDecision, aProposal, minutes, someTimeMs } from '../support/proposals.ts'
import { aCard, aSituation, shown, taps, timing, writes } from '../support/situations.ts'

const asked = { tenant: 'main', action: 'refund_order', actionVersion: '1', canonicalArgs: '{"amount":10,"orderId":"o-1"}' }
const shownCard = aCard({ ...asked, fingerprint: fingerprintOf(asked), code: 'K7Q2' })

/** The approval at its best, but for what differs. */
const approves = (proposal: Proposal, over: object = {}): Extract<LifecycleEvent, { name: 'approve' }> => ({
  name: 'approve',
  decision: aDecision() as Decision,
  permitted: true,
  firstPermitted: true,
  cardRevision: proposal.cardRevision,
  fingerprint: fingerprintOf(proposal),
  previewDigest: proposal.previewDigest,
  executeWithinMs: minutes(30),
  holdMs: 0,
  ...over,
})
const become = (proposal: Proposal, event: LifecycleEvent, nowMs = someTimeMs + minutes(1)): string => {
  const moved = transition(proposal, event, nowMs)
  return moved.kind === 'moved' ? moved.proposal.state.name : moved.because
}

describe('an approval is for what was shown, of whom, until when', () => {
  const deadlineMs = someTimeMs + minutes(30)
  const scope = { account: 'tienda', conversationKey: 'tienda/tg:42000001' }
  const press = { proposalId: shownCard.id, cardRevision: 1, verdict: 'approve' } as const
  const payload = pressPayloadOf(press, scope, { id: 1, secret: Buffer.alloc(32, 1) })
  const readWith = (byte: number) => readPress(payload, scope, [{ id: 1, secret: Buffer.alloc(32, byte) }])

  /** What each row changes, what becomes of the approval then, and what becomes of it without the change. */
  const changes: Readonly<Record<string, () => readonly [counts: unknown, otherwise: unknown]>> = {
    'av-359': () => [
      become(
        { ...shownCard, canonicalArgs: '{"amount":11,"orderId":"o-1"}' },
        approves({ ...shownCard, canonicalArgs: '{"amount":11,"orderId":"o-1"}' }),
      ),
      become(shownCard, approves(shownCard)),
    ],
    'av-360': () => [
      targetOf(
        taps(shownCard, 'approve'),
        aSituation([shownCard], { named: shown(shownCard), person: { id: 'u2', roles: [], formerly: [] } }),
        timing,
      ).road,
      targetOf(taps(shownCard, 'approve'), aSituation([shownCard], { named: shown(shownCard) }), timing).road,
    ],
    'av-362': () => [
      become({ ...shownCard, action: 'delete_order' }, approves({ ...shownCard, action: 'delete_order' })),
      become(shownCard, approves(shownCard)),
    ],
    'av-364': () => [readWith(2), readWith(1)],
    'av-365': () => [
      become(shownCard, approves(shownCard), deadlineMs + 1),
      become(shownCard, approves(shownCard), deadlineMs - 1),
    ],
    'av-367': () => [become(shownCard, approves(shownCard), deadlineMs), become(shownCard, approves(shownCard), deadlineMs - 1)],
  }
  const refusals: Readonly<Record<string, unknown>> = {
    'av-359': 'on what was shown',
    'av-360': 'not_yours',
    'av-362': 'on what was shown',
    'av-364': undefined,
    'av-365': 'before the deadline',
    'av-367': 'before the deadline',
  }
  const counts: Readonly<Record<string, unknown>> = { 'av-360': 'decide', 'av-364': press }

  const title = '$id: $given, and the approval does not count'
  test.each(rowsShownBy(import.meta.filename, title))('$id: $given, and the approval does not count', ({ id }) => {
    expect(Object.keys(refusals)).toContain(id)
    expect(changes[id]?.()).toEqual([refusals[id], counts[id] ?? 'approved'])
  })

  test('at-402: an approval counts while the preview is the one that was shown', () => {
    expect(become(shownCard, approves(shownCard))).toBe('approved')
    expect(become(shownCard, approves(shownCard, { previewDigest: 'e'.repeat(64) }))).toBe('while the world stands as shown')
  })
})

describe('whoever is not the person, to the letter', () => {
  const others: Readonly<Record<string, string>> = { 'av-287': 'beto', 'av-290': 'ana ', 'av-291': 'Ana' }

  const title = '$id: $given, and gets nothing'
  test.each(rowsShownBy(import.meta.filename, title))('$id: $given, and gets nothing', ({ id }) => {
    const other = others[id]
    if (other === undefined) throw new Error(`Nobody stands for ${id}`)
    const person = { id: other, roles: [], formerly: [] }
    const card = aCard({ code: 'K7Q2' })
    const there = aSituation([card], { named: shown(card), person })
    const roads = [taps(card, 'approve'), taps(card, 'reject'), writes('sí #K7Q2'), writes('no #K7Q2'), writes('#K7Q2')].map(
      (reading) => targetOf(reading, there, timing).road,
    )
    expect(roads).toEqual(Array(5).fill('not_yours'))
    expect(targetOf(writes('sí'), aSituation([card], { person }), timing).road).toBe('converse')
  })
})

describe('a code', () => {
  test('av-185: a card that no channel took yet cannot be refused by its code', () => {
    const draft = aCard({ code: 'W2ZZ', state: 'draft' })
    expect(targetOf(writes('no #W2ZZ'), aSituation([], { named: { proposal: draft, showings: [] } }), timing)).toEqual({
      road: 'state',
      proposal: draft,
    })
  })

  test('av-189: a code of what is approved is answered with the state', () => {
    const approved = aCard({ code: 'K7Q2', state: 'approved' })
    expect(targetOf(writes('sí #K7Q2'), aSituation([], { named: shown(approved) }), timing)).toEqual({
      road: 'state',
      proposal: approved,
    })
  })
})

describe('an execution', () => {
  const executing = aProposal({ state: 'executing' })
  const { fence, leaseUntilMs } = executing.state
  const sent = aProposal({
    state: { ...executing.state, sent: { atMs: someTimeMs, fence }, firstSentAtMs: someTimeMs },
  })

  test('av-305: a worker whose fence still holds may say what happened', () => {
    const succeed = { name: 'succeed', fence, proof: 'call', verification: 'none' } as const
    expect(become(sent, succeed, leaseUntilMs)).toBe('succeeded')
    expect(become(sent, { ...succeed, fence: fence - 1 }, leaseUntilMs)).toBe('under its own fence')
  })

  test('av-306, av-309, av-316: no event prolongs the lease of an execution', () => {
    const stay = Object.entries(lifecycle.executing).filter(([, { to }]) => (to as readonly string[]).includes('executing'))
    expect(stay.map(([event]) => event)).toEqual(['send'])
    const marked = transition(executing, { name: 'send', fence, fingerprint: executing.fingerprint, halted: false }, someTimeMs)
    expect(marked.kind === 'moved' && marked.proposal.state).toMatchObject({ name: 'executing', leaseUntilMs })
  })

  test('av-324: an end that the law does not know changes nothing', () => {
    const unknown = { name: 'settle', result: 'done', error: 'not done' } as unknown as LifecycleEvent
    expect(transition(sent, unknown, someTimeMs)).toEqual({ kind: 'refused', because: 'no such move' })
  })
})
