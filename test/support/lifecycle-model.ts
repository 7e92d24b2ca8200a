import { type Decision, type DecisionRecord, decisionUnder, type Via } from '../../src/core/decision.ts'
import type { Grant } from '../../src/core/grant.ts'
import { draftLifeMs, type GuardName, guards, type LifecycleEvent, transition } from '../../src/core/lifecycle.ts'
import type { Approvers, Proposal } from '../../src/core/proposal.ts'
import { judgeMove, judgeWorld } from './lifecycle-judge.ts'
import { aDecision, aGrant, alwaysAllowed, aProposal } from './proposals.ts'

/**
 * A small world around one proposal: people, a sweep, two workers that may crash or sleep through their lease, and a far side where
 * calls arrive late, twice or never. Every move goes through the real `transition`; the laws below are written without it.
 */
export interface World {
  readonly nowMs: number
  readonly proposal: Proposal
  readonly workers: readonly [Worker, Worker]
  /** Requests on their way, by the fence of their attempt. */
  readonly flights: readonly Flight[]
  /** What really happened out there. */
  readonly effects: number
  /** When the far side first met the key. */
  readonly keyKnownAtMs?: number
  /** What a slow writer read a while ago, where there is one. */
  readonly read?: Proposal
}

interface Busy<At extends string> {
  readonly at: At
  readonly fence: number
  /** As the worker remembers it from its claim. */
  readonly leaseUntilMs: number
}

export type Worker =
  | { readonly at: 'rest' }
  | Busy<'claimed'>
  | (Busy<'marked'> & { readonly repeats: boolean })
  | Busy<'waiting'>
  | (Busy<'answered'> & { readonly answer: 'done' | 'refused' | 'unknown' })

interface Flight {
  readonly fence: number
  /** The last moment at which it can still take effect. */
  readonly untilMs: number
}

/** The durations of a world, in ms. The exhaustive search counts in whole ticks, so that few moments are different. */
export interface Durations {
  readonly ttl: number
  readonly executeWithin: number
  readonly hold: number
  readonly lease: number
  readonly call: number
  readonly quarantine: number
  readonly retryIn: number
  readonly keyValid: number
  readonly steps: readonly number[]
}

/** What the code around the table promises; each can be broken, to see that the proof needs it. */
export interface Promises {
  /** Writes are a compare-and-set on the revision. */
  readonly comparesRevision: boolean
  /** A worker looks at its own lease right before the call. */
  readonly looksAtLease: boolean
  /** … and before a repeated one. */
  readonly looksAtLeaseAgain: boolean
  /** The marker is committed before the first byte. */
  readonly marksBeforeCall: boolean
  /** A call is aborted well within the quarantine. */
  readonly endsCalls: boolean
}

export const kept: Promises = {
  comparesRevision: true,
  looksAtLease: true,
  looksAtLeaseAgain: true,
  marksBeforeCall: true,
  endsCalls: true,
}

type Rules = NonNullable<Parameters<typeof transition>[3]>

export interface Setting {
  readonly idempotency: Proposal['idempotency']
  readonly approvers: Approvers
  readonly durations: Durations
  readonly promises: Promises
  /** May "always" be said to it, and was it, before? */
  readonly remembered: boolean
  /** Is it one person's yes to what cannot be undone, by a value that they type? */
  readonly typed: boolean
  /** Is there a writer that acts on what it read a while ago? */
  readonly slowWriter: boolean
  /** The search goes no further than this many claims. */
  readonly fences: number
  readonly rules: Rules
}

/** The day is the unit: a draft lives exactly one, and only the order of moments matters. */
export const tick = draftLifeMs

export const inTicks: Durations = {
  ttl: tick,
  executeWithin: 2 * tick,
  hold: 0,
  lease: tick,
  call: tick,
  quarantine: 2 * tick,
  retryIn: tick,
  keyValid: 5 * tick,
  steps: [tick],
}

export const requesterAlone: Approvers = { kind: 'requester' }
export const twoOfRole: Approvers = { kind: 'role', role: 'supervisor', second: true }

export const aSetting = (over: Partial<Setting> = {}): Setting => ({
  idempotency: 'none',
  approvers: requesterAlone,
  durations: inTicks,
  promises: kept,
  remembered: false,
  typed: false,
  slowWriter: false,
  fences: 3,
  rules: guards,
  ...over,
})

/** The guards with one taken away: everywhere, or in the one cell of the table that is named. */
export const without = (name: GuardName, cell?: { readonly state: string; readonly event: string }): Rules => ({
  ...guards,
  [name]: (...[proposal, event, nowMs]: Parameters<Rules[GuardName]>) =>
    cell === undefined ||
    (proposal.state.name === cell.state && event.name === cell.event) ||
    (guards as Rules)[name](proposal, event, nowMs),
})

const startMs = 1000 * tick

export const beginning = ({ idempotency, approvers, durations, remembered, typed }: Setting): World => ({
  nowMs: startMs,
  proposal: aProposal({
    state: 'draft',
    idempotency,
    approvers,
    requester: 'ana',
    ttlMs: durations.ttl,
    createdAtMs: startMs,
    ...(remembered ? alwaysAllowed : {}),
    ...(typed ? { reversibility: 'irreversible', typeToConfirm: 'cliente' } : {}),
  }),
  workers: [{ at: 'rest' }, { at: 'rest' }],
  flights: [],
  effects: 0,
})

/** One thing that can happen. Undefined where it cannot, or where the table refused it and nothing came of it. */
export interface Happening {
  readonly name: string
  readonly of: (world: World) => World | undefined
}

/** Everything that can happen in a setting, honest or not: the table has to refuse what must not be. */
export function happenings(setting: Setting): readonly Happening[] {
  const { durations, promises, rules, approvers } = setting
  const tell = (world: World, event: LifecycleEvent): World | undefined => {
    const moved = transition(world.proposal, event, world.nowMs, rules)
    if (moved.kind === 'refused') return undefined
    judgeMove(world, event, setting)
    return { ...world, proposal: moved.proposal }
  }
  const always = (name: string, event: (world: World) => LifecycleEvent | undefined): Happening => ({
    name,
    of: (world) => {
      const told = event(world)
      return told === undefined ? undefined : tell(world, told)
    },
  })
  const decision = (world: World, person: string, verdict: 'approve' | 'reject', via: Via = 'button'): Decision =>
    ({ person, verdict, via, atMs: world.nowMs }) satisfies DecisionRecord as DecisionRecord as Decision

  const approval = (world: World, person: string, via: Via): Extract<LifecycleEvent, { name: 'approve' }> => ({
    name: 'approve',
    decision: decision(world, person, 'approve', via),
    permitted: true,
    firstPermitted: true,
    cardRevision: world.proposal.cardRevision,
    fingerprint: world.proposal.fingerprint,
    previewDigest: world.proposal.previewDigest,
    executeWithinMs: durations.executeWithin,
    holdMs: durations.hold,
  })

  const people = approvers.kind === 'requester' ? ['ana', 'eva'] : ['ana', 'beto', 'carla']
  const flaws = [
    {},
    { permitted: false },
    { firstPermitted: false },
    { cardRevision: 0 },
    { fingerprint: 'tampered' },
    { previewDigest: 'moved' },
  ]
  const byTap = people.map((person) =>
    always(`${person} approves by a tap where a value is to be typed`, (world) => approval(world, person, 'button')),
  )
  const decided = people.flatMap((person) => [
    ...flaws.map((flaw) =>
      always(`${person} approves ${JSON.stringify(flaw)}`, (world) => ({
        ...approval(world, person, setting.typed ? 'typed' : 'button'),
        ...flaw,
      })),
    ),
    ...[true, false].map((permitted) =>
      always(`${person} rejects${permitted ? '' : ' without being permitted'}`, (world) => ({
        name: 'reject',
        decision: decision(world, person, 'reject'),
        permitted,
      })),
    ),
  ])

  /** Standing yeses that hold, and such as do not: another's, elsewhere, for something else, for less, over, ended, used up, or another's decision. */
  const grants: readonly Partial<Grant>[] = [
    {},
    { decision: aDecision({ person: 'eva', always: true }) },
    { conversation: { account: 'tienda', chat: 'tg:42000009' } },
    { action: 'otra' },
    { actionVersion: '0' },
    { reversibility: 'reversible' },
    { endsAtMs: startMs },
    { ended: { atMs: startMs, by: 'ana' } },
    { uses: 2 },
  ]
  const standing = grants.flatMap((flaw) => {
    const grant = aGrant({ endsAtMs: startMs * 2, ...flaw })
    const byGrant = (name: string, under: Grant) =>
      always(name, (world) => ({
        name: 'grant',
        decision: decisionUnder(under, world.nowMs),
        grant,
        executeWithinMs: durations.executeWithin,
      }))
    return [
      byGrant(`a grant stands for it ${JSON.stringify(flaw)}`, grant),
      ...(flaw === grants[0] ? [byGrant("a grant stands for it by another grant's yes", { ...grant, id: 'another' })] : []),
    ]
  })

  const surroundings = [
    always('the channel accepts the card', () => ({ name: 'show' })),
    always('no channel takes the card', () => ({ name: 'undeliverable' })),
    always('the channel refuses the card afterwards', () => ({ name: 'withhold' })),
    always('another message ends it', () => ({ name: 'discard', reason: 'other_message' })),
    always('a newer one replaces it', () => ({ name: 'supersede', by: 'newer' })),
    always('it is edited', () => ({ name: 'edit', by: 'copy' })),
    always('the preview moved', () => ({ name: 'change', reason: 'preview' })),
    always('the switch is thrown', () => ({ name: 'stop', by: 'switch' })),
    always('the sweep expires it', () => ({ name: 'expire' })),
    always('the sweep finds it stale', () => ({ name: 'go_stale' })),
    always('the sweep releases it', () => ({ name: 'release' })),
    always('the sweep doubts it', () => ({ name: 'doubt', quarantineMs: durations.quarantine, retryInMs: durations.retryIn })),
    always('a look-up tells nothing', () => ({ name: 'postpone', retryInMs: durations.retryIn })),
    always('it is left to a person', () => ({ name: 'postpone' })),
    always('the sweep gives it up', () => ({ name: 'fail', proof: 'call', reason: 'poison' })),
    // A look-up or a person's evidence is true when it is given.
    always('a look-up finds it', ({ effects }) =>
      effects > 0 ? { name: 'succeed', proof: 'look_up', verification: 'none' } : undefined,
    ),
    always('a look-up finds nothing', ({ effects }) =>
      effects === 0 ? { name: 'fail', proof: 'look_up', reason: 'not_found' } : undefined,
    ),
  ]

  const passing = durations.steps.map(
    (ms): Happening => ({
      name: `${ms} ms pass`,
      of: (world) => ({
        ...world,
        nowMs: world.nowMs + ms,
        flights: world.flights.filter(({ untilMs }) => untilMs >= world.nowMs + ms),
      }),
    }),
  )

  const working = ([0, 1] as const).flatMap((who): readonly Happening[] => {
    /** A worker resting is like another: only the first of two does what either could. */
    const workerAt = <At extends Worker['at']>(world: World, at: At): Extract<Worker, { at: At }> | undefined => {
      const worker = world.workers[who]
      if (worker.at !== at || (at === 'rest' && who === 1 && world.workers[0].at === 'rest')) return undefined
      return worker as Extract<Worker, { at: At }>
    }
    const becomes = (world: World, worker: Worker): World => ({
      ...world,
      workers: who === 0 ? [worker, world.workers[1]] : [world.workers[0], worker],
    })
    const resting = (world: World): World => becomes(world, { at: 'rest' })
    /** The worker writes; whether it was taken or refused, it is done with this proposal. */
    const writes = (
      name: string,
      at: 'claimed' | 'marked' | 'answered',
      event: (worker: Exclude<Worker, { at: 'rest' }>) => LifecycleEvent | undefined,
    ): Happening => ({
      name: `worker ${who} ${name}`,
      of: (world) => {
        const worker = workerAt(world, at)
        const told = worker === undefined ? undefined : event(worker)
        return told === undefined ? undefined : resting(tell(world, told) ?? world)
      },
    })
    const takes = (name: string, event: (world: World) => LifecycleEvent | undefined, at: 'claimed' | 'marked'): Happening => ({
      name: `worker ${who} ${name}`,
      of: (world) => {
        if (workerAt(world, 'rest') === undefined) return undefined
        const told = event(world)
        const after = told === undefined ? undefined : tell(world, told)
        if (after === undefined || after.proposal.state.name !== 'executing') return undefined
        const busy = { fence: after.proposal.state.fence, leaseUntilMs: world.nowMs + durations.lease }
        return becomes(after, at === 'marked' ? { ...busy, at, repeats: true } : { ...busy, at })
      },
    })
    const beginsCall = (from: 'marked' | 'claimed'): Happening => ({
      name: `worker ${who} calls`,
      of: (world) => {
        const worker = workerAt(world, from)
        if (worker === undefined) return undefined
        const looks = worker.at === 'marked' && worker.repeats ? promises.looksAtLeaseAgain : promises.looksAtLease
        if (looks && world.nowMs >= worker.leaseUntilMs) return undefined
        const untilMs = world.nowMs + (promises.endsCalls ? durations.call : 4 * durations.call)
        return becomes(
          { ...world, flights: [...world.flights, { fence: worker.fence, untilMs }] },
          { at: 'waiting', fence: worker.fence, leaseUntilMs: worker.leaseUntilMs },
        )
      },
    })
    const claim = (halted: boolean): LifecycleEvent => ({ name: 'claim', leaseMs: durations.lease, halted })
    const retry = ({ proposal }: World, over: Partial<Extract<LifecycleEvent, { name: 'retry' }>> = {}): LifecycleEvent => ({
      name: 'retry',
      leaseMs: durations.lease,
      keyValidForMs: durations.keyValid,
      fingerprint: proposal.fingerprint,
      halted: false,
      ...over,
    })
    const sends = (name: string, over: { readonly fingerprint?: string; readonly halted?: true }): Happening => ({
      name: `worker ${who} marks its call${name}`,
      of: (world) => {
        const worker = workerAt(world, 'claimed')
        if (worker === undefined) return undefined
        const after = tell(world, {
          name: 'send',
          fence: worker.fence,
          fingerprint: world.proposal.fingerprint,
          halted: false,
          ...over,
        })
        return after === undefined ? resting(world) : becomes(after, { ...worker, at: 'marked', repeats: false })
      },
    })
    const doubt = (fence: number, retryInMs?: number): LifecycleEvent => ({
      name: 'doubt',
      fence,
      quarantineMs: durations.quarantine,
      ...(retryInMs === undefined ? {} : { retryInMs }),
    })

    return [
      takes('claims it', () => claim(false), 'claimed'),
      takes('claims it though halted', () => claim(true), 'claimed'),
      takes('runs it again', retry, 'marked'),
      takes('runs it again though halted', (world) => retry(world, { halted: true }), 'marked'),
      takes('runs it again with other arguments', (world) => retry(world, { fingerprint: 'tampered' }), 'marked'),
      ...(setting.slowWriter
        ? [
            {
              name: `worker ${who} claims what it read a while ago`,
              of: (world: World): World | undefined => {
                if (workerAt(world, 'rest') === undefined || world.read === undefined) return undefined
                if (promises.comparesRevision && world.read.revision !== world.proposal.revision) return undefined
                const moved = transition(world.read, claim(false), world.nowMs, rules)
                if (moved.kind === 'refused' || moved.proposal.state.name !== 'executing') return undefined
                return becomes(
                  { ...world, proposal: moved.proposal },
                  { at: 'claimed', fence: moved.proposal.state.fence, leaseUntilMs: world.nowMs + durations.lease },
                )
              },
            },
          ]
        : []),
      writes('gives it back', 'claimed', ({ fence }) => ({ name: 'release', fence })),
      writes('finds the world changed', 'claimed', ({ fence }) => ({ name: 'change', reason: 'preview', fence })),
      writes('is denied at the last look', 'claimed', ({ fence }) => ({ name: 'fail', fence, proof: 'call', reason: 'denied' })),
      // Broken code: a result without a call.
      writes('tells a success that never was', 'claimed', ({ fence }) => ({
        name: 'succeed',
        fence,
        proof: 'call',
        verification: 'none',
      })),
      sends('', {}),
      sends(' though halted', { halted: true }),
      sends(' with other arguments', { fingerprint: 'tampered' }),
      ...(promises.marksBeforeCall ? [] : [beginsCall('claimed')]),
      beginsCall('marked'),
      writes('cannot connect', 'marked', ({ fence }) => ({ name: 'fail', fence, proof: 'call', reason: 'refused' })),
      // Code that takes a second run for a first one, and one that never heard that its marker was committed.
      writes('finds the world changed after its mark', 'marked', ({ fence }) => ({ name: 'change', reason: 'preview', fence })),
      {
        name: `worker ${who} marks its call once more`,
        of: (world) => {
          const worker = workerAt(world, 'marked')
          return worker === undefined
            ? undefined
            : tell(world, { name: 'send', fence: worker.fence, fingerprint: world.proposal.fingerprint, halted: false })
        },
      },
      writes('gives up before the call', 'marked', ({ fence }) => doubt(fence)),
      {
        name: `worker ${who} waits no longer`,
        of: (world) => {
          const worker = workerAt(world, 'waiting')
          return worker === undefined ? undefined : becomes(world, { ...worker, at: 'answered', answer: 'unknown' })
        },
      },
      writes('records the success', 'answered', (worker) =>
        worker.at === 'answered' && worker.answer === 'done'
          ? { name: 'succeed', fence: worker.fence, proof: 'call', verification: 'none' }
          : undefined,
      ),
      writes('records the refusal', 'answered', (worker) =>
        worker.at === 'answered' && worker.answer === 'refused'
          ? { name: 'fail', fence: worker.fence, proof: 'call', reason: 'refused' }
          : undefined,
      ),
      writes('records its doubt', 'answered', (worker) =>
        worker.at === 'answered' && worker.answer !== 'done' ? doubt(worker.fence, durations.retryIn) : undefined,
      ),
      writes('records its doubt and no retry', 'answered', (worker) =>
        worker.at === 'answered' && worker.answer === 'unknown' ? doubt(worker.fence) : undefined,
      ),
      {
        name: `worker ${who} crashes`,
        of: (world) => (world.workers[who].at === 'rest' ? undefined : resting(world)),
      },
    ]
  })

  const farSide = [0, 1, 2].flatMap((which): readonly Happening[] => {
    const arrives = (name: string, takesEffect: boolean, answer: 'done' | 'refused' | undefined): Happening => ({
      name: `call ${which} on its way ${name}`,
      of: (world) => {
        const flight = world.flights[which]
        if (flight === undefined) return undefined
        const waiting = world.workers.findIndex((worker) => worker.at === 'waiting' && worker.fence === flight.fence)
        if (answer !== undefined && waiting === -1) return undefined
        const landed: World = {
          ...world,
          flights: world.flights.filter((other) => other !== flight),
          ...(takesEffect ? effectOn(world, setting) : {}),
        }
        if (answer === undefined) return landed
        const hear = (worker: Worker, index: number): Worker =>
          index === waiting && worker.at === 'waiting' ? { ...worker, at: 'answered', answer } : worker
        return { ...landed, workers: [hear(landed.workers[0], 0), hear(landed.workers[1], 1)] }
      },
    })
    return [
      arrives('takes effect and is answered', true, 'done'),
      arrives('takes effect and the answer is lost', true, undefined),
      arrives('is refused', false, 'refused'),
      arrives('is lost', false, undefined),
    ]
  })

  const reading = setting.slowWriter
    ? [{ name: 'somebody reads', of: (world: World): World => ({ ...world, read: world.proposal }) }]
    : []

  return [
    ...decided,
    ...(setting.typed ? byTap : []),
    ...standing,
    ...surroundings,
    ...passing,
    ...working,
    ...farSide,
    ...reading,
  ].map(({ name, of }) => ({
    name,
    of: (world) => {
      const after = of(world)
      if (after !== undefined) judgeWorld(after)
      return after
    },
  }))
}

/** A far side that knows the key does nothing twice while it remembers; one without keys does all that it is asked. */
function effectOn(
  { effects, keyKnownAtMs, nowMs }: World,
  { idempotency, durations }: Setting,
): Pick<World, 'effects' | 'keyKnownAtMs'> {
  if (idempotency === 'none') return { effects: effects + 1 }
  const remembered = keyKnownAtMs !== undefined && nowMs < keyKnownAtMs + durations.keyValid
  return remembered ? { effects, keyKnownAtMs } : { effects: effects + 1, keyKnownAtMs: nowMs }
}
