import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Approvers, isSettled } from '../../src/core/proposal.ts'
import { arrows } from '../support/lifecycle-cells.ts'
import {
  aSetting,
  beginning,
  type Durations,
  type Happening,
  happenings,
  requesterAlone,
  twoOfRole,
  type World,
} from '../support/lifecycle-model.ts'
import { minutes } from '../support/proposals.ts'

/** The durations of a real day, and times that pass between a blink and a night. */
const real: Durations = {
  ttl: minutes(30),
  executeWithin: minutes(30),
  hold: 5_000,
  lease: 30_000,
  call: 20_000,
  quarantine: minutes(1),
  retryIn: 5_000,
  keyValid: minutes(20),
  steps: [1, 999, 5_000, 29_999, 30_000, minutes(1), minutes(7), minutes(30), minutes(600)],
}

/** Only a requester's own yes can stand for later ones. */
const isRemembered = ({ kind }: Approvers): boolean => kind === 'requester'

const settings = (['none', 'key'] as const).flatMap((idempotency) =>
  [requesterAlone, twoOfRole].map((approvers) =>
    happenings(aSetting({ idempotency, approvers, durations: real, remembered: isRemembered(approvers) }))
      // What the table refuses is for the search: here it would only make the others rare.
      .filter(({ name }) => !/^a grant stands for it .*["']/.test(name))
      .map((happening) => ({
        happening,
        approvers,
        idempotency,
      })),
  ),
)

const called = [
  'the channel accepts the card',
  'ana approves {}',
  'beto approves {}',
  'carla approves {}',
  '5000 ms pass',
  'worker 0 claims it',
  'worker 0 marks its call',
  'worker 0 calls',
]

/** How runs begin, cut off anywhere: without it few would live long enough for a call that is late, lost or made twice. */
const roads = [
  [
    ...called,
    'worker 0 waits no longer',
    'worker 0 records its doubt',
    '5000 ms pass',
    'worker 0 runs it again',
    'worker 0 calls',
  ],
  [...called, 'call 0 on its way takes effect and is answered', 'worker 0 records the success'],
]

describe('in twenty thousand random lives', () => {
  test('every law holds at every step, and every arrow of the table is gone often', () => {
    const gone = new Map<string, number>(arrows.map((arrow) => [arrow, 0]))
    const follow = (world: World, happening: Happening): World | undefined => {
      const after = happening.of(world)
      if (after === undefined || after.proposal === world.proposal) return after
      const arrow = `${world.proposal.state.name} --> ${after.proposal.state.name}`
      gone.set(arrow, (gone.get(arrow) ?? 0) + 1)
      return after
    }
    const lives = fc.tuple(
      fc.nat({ max: settings.length - 1 }),
      fc.constantFrom(...roads),
      fc.nat({ max: 14 }),
      fc.array(fc.nat({ max: 9_973 }), { maxLength: 60, size: 'max' }),
    )
    fc.assert(
      fc.property(lives, ([which, road, headStart, choices]) => {
        const can = settings[which] ?? []
        const [{ approvers, idempotency } = { approvers: requesterAlone, idempotency: 'none' as const }] = can
        let world = beginning(aSetting({ idempotency, approvers, durations: real, remembered: isRemembered(approvers) }))
        for (const name of road.slice(0, headStart)) {
          const named = can.find(({ happening }) => happening.name === name)
          world = (named === undefined ? undefined : follow(world, named.happening)) ?? world
        }
        for (const choice of choices) {
          // A stride without a common divisor walks the whole list in another order for every choice; the first that can happen does.
          for (let attempt = 0; attempt < 6; attempt++) {
            const chosen = can[(choice + attempt * 37) % can.length]
            const after = chosen === undefined ? undefined : follow(world, chosen.happening)
            if (after === undefined) continue
            // Judged like every other step, but most lives go on: what is called late, or twice, is what matters.
            if (isSettled(after.proposal.state) && !isSettled(world.proposal.state) && choice % 6 > 0) continue
            world = after
            break
          }
        }
      }),
      { numRuns: 20_000 },
    )
    expect([...gone].filter(([, times]) => times < 100)).toEqual([])
    expect([...gone.keys()].filter((arrow) => !arrows.includes(arrow))).toEqual([])
  })
})
