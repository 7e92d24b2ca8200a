import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Showing, Situation } from '../../src/core/situation.ts'
import { type Reading, targetOf } from '../../src/core/target.ts'
import { aCard, aShowing, aSituation, cardSaid, said, shownAtMs, taps, timing, writes } from '../support/situations.ts'

const reporting = (reading: Reading): Reading => ({ ...reading, reportsDelivery: true })
const delivered = (showing: Showing): Showing => ({ ...showing, deliveredAtMs: shownAtMs + 500 })
const road = (reading: Reading, there: Situation) => targetOf(reading, there, timing).road

/** Ana's chat with one card, shown as these. */
const shownAs = (card: ReturnType<typeof aCard>, ...showings: readonly Showing[]): Situation =>
  aSituation([card], { open: [{ proposal: card, showings }], named: { proposal: card, showings } })

describe('where deliveries are reported', () => {
  const card = aCard({ code: 'K7Q2' })

  it('a bare yes decides a card that was delivered', () => {
    expect(road(reporting(writes('dale')), shownAs(card, delivered(aShowing(card))))).toBe('decide')
  })

  it('a bare yes to a card that was not delivered waits for that', () => {
    expect(targetOf(reporting(writes('dale')), shownAs(card, aShowing(card)), timing)).toEqual({
      road: 'undelivered',
      proposal: card,
    })
  })

  it('it is the showing that was answered which counts, not an older one', () => {
    const showings = [delivered(aShowing(card, 10)), aShowing(card, 15, shownAtMs + 4000)]
    const there = { ...shownAs(card, ...showings), said: [cardSaid(card, 15, 4), said({ kind: 'text', text: '¿Sí?' }, 12, 2)] }
    expect(road(reporting(writes('dale')), there)).toBe('undelivered')
    expect(road(reporting(writes('dale')), { ...there, open: [{ proposal: card, showings: showings.map(delivered) }] })).toBe(
      'decide',
    )
  })

  it('a showing in the very second of the answer may be the one that was answered', () => {
    const tie = aShowing(card, 15, shownAtMs + 10_000)
    const { moment: _numbered, ...timed } = tie
    const showings = [delivered(aShowing(card, 10)), { ...timed, moment: { atMs: shownAtMs + 10_000 } }]
    const there = { ...shownAs(card, ...showings), said: [cardSaid(card, 10)] }
    expect(road(reporting(writes('dale', { moment: { atMs: shownAtMs + 10_000 } })), there)).toBe('undelivered')
  })

  it('a no, a code, a reply and a tap need none', () => {
    const there = shownAs(card, aShowing(card))
    expect(road(reporting(writes('no')), there)).toBe('decide')
    expect(road(reporting(writes('dale #K7Q2')), there)).toBe('decide')
    expect(road(reporting(writes('dale', { reply: { kind: 'message', id: 'm10' } })), there)).toBe('decide')
    expect(road(reporting(taps(card, 'approve')), there)).toBe('decide')
  })

  it('what would not have decided is told as what it is', () => {
    const there = shownAs(card, aShowing(card))
    expect(road(reporting(writes('dale', {}, shownAtMs + 400_000)), there)).toBe('late')
    expect(road(reporting(writes('dale', { moment: { atMs: shownAtMs + 1000, order: 20 } })), there)).toBe('too_fast')
    expect(road(reporting(writes('dale')), { ...there, said: [said({ kind: 'outside' }, 12, 2), cardSaid(card)] })).toBe(
      'converse',
    )
  })

  it('a report takes nobody but a bare yes off the road that it would have taken', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('dale', 'sí', 'no', 'ok', 'dale #K7Q2', 'hola', 'sí siempre en esta conversación'),
        fc.constantFrom({ kind: 'none' } as const, { kind: 'message', id: 'm10' } as const, { kind: 'elsewhere' } as const),
        fc.array(fc.record({ order: fc.integer({ min: 1, max: 30 }), got: fc.boolean() }), { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 0, max: 400_000 }),
        (text, reply, shows, lateMs) => {
          const showings = shows.map(({ order, got }) => {
            const showing = aShowing(card, order, shownAtMs + 200 * order)
            return got ? delivered(showing) : showing
          })
          const there = shownAs(card, ...showings)
          const reading = writes(text, { reply }, shownAtMs + 10_000 + lateMs)
          const plain = targetOf(reading, there, timing)
          const told = targetOf(reporting(reading), there, timing)
          const isBareYes = plain.road === 'decide' && plain.given.via === 'phrase' && plain.given.verdict === 'approve'
          if (!isBareYes) expect(told).toEqual(plain)
          else if (told.road === 'decide') expect(showings.some(({ deliveredAtMs }) => deliveredAtMs !== undefined)).toBe(true)
          else expect(told).toEqual({ road: 'undelivered', proposal: card })
        },
      ),
      { numRuns: 2_000 },
    )
  })
})
