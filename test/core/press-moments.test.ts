import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decisionOf } from '../../src/core/decision.ts'
import type { StateName } from '../../src/core/proposal.ts'
import { targetOf } from '../../src/core/target.ts'
import { aProposal } from '../support/proposals.ts'
import { aCard, aSituation, shown, shownAtMs, taps, timing, writtenAtMs } from '../support/situations.ts'

const ofState = (state: StateName, over: Parameters<typeof aCard>[0] = {}) => aCard({ ...over, state })
const seen = (card: ReturnType<typeof aCard>, person = 'ana') =>
  aSituation([], { named: shown(card), person: { id: person, roles: person === 'ana' ? [] : ['boss'], formerly: [] } })

describe('a tap with a time of its own', () => {
  const card = aCard()
  const delivered = (verdict: 'approve' | 'reject', lateMs: number) =>
    targetOf(taps(card, verdict, { moment: { atMs: writtenAtMs }, receivedAtMs: writtenAtMs + lateMs }), seen(card), timing).road

  it('approves nothing when it comes more than five minutes after it was made', () => {
    expect(delivered('approve', timing.lateAfterMs)).toBe('decide')
    expect(delivered('approve', timing.lateAfterMs + 1)).toBe('late')
  })

  it('refuses however late it comes', () => {
    expect(delivered('reject', 10 * timing.lateAfterMs)).toBe('decide')
  })

  it('is never late where the provider tells no time', () => {
    expect(targetOf(taps(card, 'approve', { receivedAtMs: shownAtMs + 3_600_000 }), seen(card), timing).road).toBe('decide')
  })

  it('keeps its time with the decision', () => {
    const { event } = taps(card, 'approve', { moment: { atMs: writtenAtMs } })
    const made = { verdict: 'approve', via: 'button', atMs: writtenAtMs + 700 } as const
    expect(decisionOf(event, { ...made, person: { id: 'ana', roles: [], formerly: [] } })).toEqual({
      ...made,
      person: 'ana',
      identity: event.sender.id,
      moment: { atMs: writtenAtMs },
    })
  })
})

it('a vote on the card’s own poll decides as a button does, and is told apart from one', () => {
  const card = aCard()
  const tapped = (poll: object) => targetOf(taps(card, 'approve', poll), seen(card), timing)
  expect(tapped({ poll: true })).toMatchObject({ road: 'decide', given: { verdict: 'approve', via: 'poll' } })
  expect(tapped({})).toMatchObject({ road: 'decide', given: { verdict: 'approve', via: 'button' } })
})

describe('a vote that was taken back', () => {
  const withdrawn = (state: StateName, person = 'ana') => {
    const card = ofState(state)
    return targetOf(taps(card, 'reject', { poll: true, withdrawn: true }), seen(card, person), timing)
  }

  it('halts what was approved and has not begun', () => {
    expect(withdrawn('approved')).toMatchObject({ road: 'decide', given: { verdict: 'reject', via: 'poll' } })
  })

  it.each<StateName>(['executing', 'in_doubt', 'succeeded', 'rejected', 'expired'])(
    'is told the state of one that is %s',
    (state) => {
      expect(withdrawn(state).road).toBe('state')
    },
  )

  it.each<StateName>(['draft', 'pending'])('takes nothing away from one that is %s', (state) => {
    expect(withdrawn(state)).toEqual({ road: 'ignore', reason: 'vote_withdrawn' })
  })

  it('refuses what waits for a second, where the first approval is its own', () => {
    const approvers = { kind: 'role', role: 'boss', second: true } as const
    const { first } = aProposal({ state: 'awaiting_second' }).state
    const card = ofState('awaiting_second', { approvers, requester: 'zoe' })
    const by = (person: string) => targetOf(taps(card, 'reject', { withdrawn: true }), seen(card, person), timing)
    const own = aSituation([], { named: shown(card), person: { id: 'nobody', roles: ['boss'], formerly: [first.person] } })
    expect(targetOf(taps(card, 'reject', { withdrawn: true }), own, timing)).toMatchObject({
      road: 'decide',
      given: { verdict: 'reject' },
    })
    expect(by('carla')).toEqual({ road: 'ignore', reason: 'vote_withdrawn' })
  })

  it('is nobody else’s to take back', () => {
    const card = ofState('approved')
    const other = aSituation([], { named: shown(card), person: { id: 'dario', roles: [], formerly: [] } })
    expect(targetOf(taps(card, 'reject', { withdrawn: true }), other, timing)).toEqual({
      road: 'ignore',
      reason: 'vote_withdrawn',
    })
  })

  it('never approves, whatever it says and whenever it comes', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<StateName>('draft', 'pending', 'awaiting_second', 'approved', 'executing', 'succeeded', 'halted'),
        fc.constantFrom('approve', 'reject', 'edit'),
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.boolean(),
        (state, verdict, afterMs, ours) => {
          const card = ofState(state)
          const reading = taps(card, verdict, {
            withdrawn: true,
            moment: { atMs: shownAtMs },
            receivedAtMs: shownAtMs + afterMs,
            ours,
          })
          const target = targetOf(reading, seen(card), timing)
          if (target.road === 'decide') expect(target.given.verdict).toBe('reject')
        },
      ),
    )
  })
})
