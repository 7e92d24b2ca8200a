import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isArmed } from '../../src/core/armed.ts'
import type { Person } from '../../src/core/authority.ts'
import { mayApprove, mayRefuse } from '../../src/core/authority.ts'
import type { OtherForm, Reply } from '../../src/core/inbound.ts'
import { isAfter } from '../../src/core/moment.ts'
import { type Approvers, isDecidable, type Proposal, type Reversibility, type StateName } from '../../src/core/proposal.ts'
import type { Said, Shown, Situation } from '../../src/core/situation.ts'
import { type Reading, type Target, targetOf } from '../../src/core/target.ts'
import { aCard, aShowing, aSituation, said, shownAtMs, taps, timing, writes } from '../support/situations.ts'

const states = [
  'pending',
  'awaiting_second',
  'approved',
  'executing',
  'in_doubt',
  'succeeded',
  'rejected',
  'expired',
  'halted',
] as const satisfies readonly StateName[]
const forms = [
  'caption',
  'voice',
  'sticker',
  'media',
  'forwarded',
  'edited',
  'reaction',
  'contact',
  'location',
  'poll',
] as const satisfies readonly OtherForm[]
const texts = [
  'sí',
  'no',
  'dale',
  'ok',
  'cancelar',
  'sí #K7Q2',
  'no #K7Q2',
  '#K7Q2',
  'sí?',
  'no sé',
  'sí, gracias',
  'hola',
  'sí siempre en esta conversación',
]

/** One value three times out of four: what is rare in life must not drown what is common. */
const mostly = <T>(value: T, rarely: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: rarely })

const card = fc
  .record({
    state: mostly('pending' as StateName, fc.constantFrom(...states)),
    requester: mostly('ana', fc.constant('beto')),
    reversibility: mostly('reversible' as Reversibility, fc.constantFrom('observed', 'irreversible')),
    approvers: mostly<Approvers>(
      { kind: 'requester' },
      fc.constantFrom({ kind: 'role', role: 'boss', second: false }, { kind: 'role', role: 'boss', second: true }),
    ),
    order: fc.integer({ min: 1, max: 30 }),
    afterS: fc.integer({ min: -30, max: 30 }),
    isShown: mostly(true, fc.constant(false)),
  })
  .map(({ order, afterS, isShown, ...over }): Shown => {
    const proposal = aCard({ ...over, code: 'K7Q2' })
    return { proposal, showings: isShown ? [aShowing(proposal, order, shownAtMs + 1000 * afterS)] : [] }
  })

const thing = (cards: readonly Shown[]): fc.Arbitrary<Said> => {
  const shownCards = cards.map(({ proposal }) => ({ kind: 'card', proposalId: proposal.id, cardRevision: 1 }) as const)
  return fc
    .record({
      what: fc.constantFrom<Said['what']>(
        ...shownCards,
        { kind: 'text', text: 'Listo.' },
        { kind: 'text', text: '¿Algo más?' },
        { kind: 'list' },
        { kind: 'outside' },
        { kind: 'question' },
      ),
      order: fc.integer({ min: 1, max: 30 }),
      afterS: fc.integer({ min: -30, max: 30 }),
      accepted: fc.boolean(),
    })
    .map(({ what, order, afterS, accepted }) => {
      const { moment, ...begun } = said(what, order, afterS)
      return accepted && moment !== undefined ? { ...begun, moment } : begun
    })
}

const situation: fc.Arbitrary<Situation> = fc.array(card, { maxLength: 3 }).chain((cards) =>
  fc
    .record({
      said: fc.array(thing(cards), { maxLength: 5 }),
      person: mostly<Person>(
        { id: 'ana', roles: [], formerly: [] },
        fc.constantFrom(
          { id: 'ana', roles: ['boss'], formerly: [] },
          { id: 'carla', roles: ['boss'], formerly: [] },
          { id: 'dario', roles: [], formerly: [] },
        ),
      ),
      operators: mostly(false, fc.constant(true)),
      namesOne: fc.boolean(),
      spokeAfterS: fc.option(fc.integer({ min: -30, max: 30 }), { nil: undefined }),
      shownAgain: fc.integer({ min: 0, max: 3 }),
      hinted: fc.boolean(),
      endedAgoMs: fc.option(fc.integer({ min: 0, max: 300_000 }), { nil: undefined }),
    })
    .map(({ namesOne, spokeAfterS, shownAgain, hinted, endedAgoMs, said: things, ...rest }): Situation => {
      const [first] = cards
      const base = aSituation([], rest)
      return {
        ...base,
        open: cards.filter(({ proposal, showings }) => isDecidable(proposal) && showings.length > 0),
        said: things.toSorted((a, b) => b.begunAtMs - a.begunAtMs),
        shownAgain: Object.fromEntries(cards.map(({ proposal }) => [proposal.id, shownAgain])),
        hinted: hinted ? cards.map(({ proposal }) => proposal.id) : [],
        ...(namesOne && first !== undefined ? { named: first } : {}),
        ...(spokeAfterS === undefined
          ? {}
          : {
              spoke: { moment: { atMs: shownAtMs + 1000 * spokeAfterS, order: 7 }, receivedAtMs: shownAtMs + 1000 * spokeAfterS },
            }),
        ...(endedAgoMs === undefined || first === undefined
          ? {}
          : { lastEnded: { proposal: first.proposal, atMs: base.nowMs - endedAgoMs, quietSince: true, repeated: false } }),
      }
    }),
)

const message = fc
  .record({
    text: fc.constantFrom(...texts),
    form: fc.option(fc.constantFrom(...forms), { nil: undefined, freq: 3 }),
    reply: mostly<Reply>({ kind: 'none' }, fc.constantFrom({ kind: 'message', id: 'm10' }, { kind: 'elsewhere' })),
    group: mostly(false, fc.constant(true)),
    addressed: fc.boolean(),
    order: mostly(40, fc.integer({ min: 1, max: 30 })),
    afterS: fc.integer({ min: -30, max: 60 }),
    lateMs: fc.constantFrom(0, 1_000, 299_999, 300_001),
  })
  .map(({ text, form, reply, group, addressed, order, afterS, lateMs }): Reading => {
    const atMs = shownAtMs + 1000 * afterS
    const body = form === undefined ? ({ kind: 'text', text } as const) : ({ kind: 'other', form, text } as const)
    return writes(text, { body, reply, group, addressed: !group || addressed, moment: { atMs, order } }, atMs + lateMs)
  })

const holds = (check: (reading: Reading, situation: Situation) => void): void =>
  fc.assert(fc.property(message, situation, check), { numRuns: 5_000 })

const bodyOf = ({ event }: Reading) => (event.kind === 'message' ? event.body : undefined)

describe('whatever is written, in whatever situation', () => {
  it('B24 B26 B27 B28: only a plain text can decide', () => {
    holds((reading, there) => {
      if (bodyOf(reading)?.kind === 'other') expect(targetOf(reading, there, timing).road).not.toBe('decide')
    })
  })

  it('B33: only a whole phrase can decide', () => {
    holds((reading, there) => {
      if (reading.matched?.kind !== 'phrase') expect(targetOf(reading, there, timing).road).not.toBe('decide')
    })
  })

  it('B12 B14: what is decided may be decided by who writes, and still waits, or is refused before it begins', () => {
    holds((reading, there) => {
      const target = targetOf(reading, there, timing)
      if (target.road !== 'decide') return
      const { proposal, given } = target
      expect((given.verdict === 'approve' ? mayApprove : mayRefuse)(proposal, there.person)).toBe(true)
      expect(isDecidable(proposal) || (proposal.state.name === 'approved' && given.verdict === 'reject')).toBe(true)
    })
  })

  it('B32 B64: a bare approval decides the one card that is armed, never in operators’ chats, never unaddressed in a group', () => {
    holds((reading, there) => {
      const target = targetOf(reading, there, timing)
      if (target.road !== 'decide' || target.given.via !== 'phrase' || target.given.verdict !== 'approve') return
      const { event } = reading
      if (event.kind !== 'message') throw new Error('A phrase is a message')
      const meant = there.open.find(({ proposal }) => proposal.id === target.proposal.id)
      expect(meant !== undefined && isArmed(meant, event, there)).toBe(true)
      expect(there.operators).toBe(false)
      expect(!event.group || event.addressed).toBe(true)
      expect(event.reply.kind).toBe('none')
    })
  })

  it('B04: an approval was written after a showing of what it decides, and came in time', () => {
    holds((reading, there) => {
      const target = targetOf(reading, there, timing)
      if (target.road !== 'decide' || target.given.verdict !== 'approve') return
      const { event, receivedAtMs } = reading
      const moment = event.kind === 'message' ? event.moment : undefined
      const showings = [...there.open, ...(there.named === undefined ? [] : [there.named])]
        .filter(({ proposal }) => proposal.id === target.proposal.id)
        .flatMap((one) => one.showings)
      expect(
        showings.some((showing) => showing.moment !== undefined && moment !== undefined && isAfter(moment, showing.moment)),
      ).toBe(true)
      expect(receivedAtMs - (moment?.atMs ?? 0)).toBeLessThanOrEqual(timing.lateAfterMs)
    })
  })

  it('what cannot be undone is approved by nobody’s word alone', () => {
    holds((reading, there) => {
      const target = targetOf(reading, there, timing)
      if (target.road !== 'decide' || target.given.verdict !== 'approve') return
      const { reversibility, approvers } = target.proposal
      expect(reversibility !== 'irreversible' || (approvers.kind === 'role' && approvers.second)).toBe(true)
    })
  })

  it('is judged the same twice, and changes nothing that it was judged by', () => {
    holds((reading, there) => {
      const before = structuredClone(there)
      expect(targetOf(reading, there, timing)).toEqual(targetOf(reading, there, timing))
      expect(there).toEqual(before)
    })
  })
})

describe('these situations', () => {
  it('lead down every road that a message can take', () => {
    const roads = fc
      .sample(fc.tuple(message, situation), { numRuns: 10_000, seed: 3 })
      .map(([reading, there]) => targetOf(reading, there, timing).road)
    const all: readonly Target['road'][] = [
      'decide',
      'show_again',
      'late',
      'too_fast',
      'too_weak',
      'name_it',
      'which',
      'state',
      'show_card',
      'no_such',
      'not_yours',
      'always_not_allowed',
      'attempt',
      'converse',
      'ignore',
    ]
    expect(all.filter((road) => !roads.includes(road))).toEqual([])
  })
})

describe('whatever is tapped', () => {
  it('B21 B22: decides the proposal that its payload names, for who may, on the current card, or nothing', () => {
    const tap = fc.record({
      verdict: fc.constantFrom('approve', 'reject', 'edit'),
      revision: fc.integer({ min: 1, max: 2 }),
      ours: fc.boolean(),
      afterMs: fc.integer({ min: 0, max: 5_000 }),
    })
    fc.assert(
      fc.property(tap, situation, ({ verdict, afterMs, ...over }, there) => {
        const meant: Proposal | undefined = there.named?.proposal
        const target = targetOf(taps(meant ?? aCard(), verdict, { ...over, receivedAtMs: shownAtMs + afterMs }), there, timing)
        if (target.road !== 'decide') return
        expect(target.proposal.id).toBe(meant?.id)
        expect(target.given).toEqual({ verdict, via: 'button' })
        expect(over.ours).toBe(true)
        // A refusal of what has not begun needs no card at all.
        if (isDecidable(target.proposal)) expect(over.revision).toBe(target.proposal.cardRevision)
        expect((verdict === 'approve' ? mayApprove : mayRefuse)(target.proposal, there.person)).toBe(true)
      }),
      { numRuns: 5_000 },
    )
  })
})
