import type { Decision, DecisionRecord } from '../../src/core/decision.ts'
import { attemptsAllowed, draftLifeMs, guards, refusalsAllowed, transition, type GuardName, type LifecycleEvent } from '../../src/core/lifecycle.ts'
import { isSettled, type Approvers, type Proposal } from '../../src/core/proposal.ts'
import { aProposal } from './proposals.ts'

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

type Worker =
  | { readonly at: 'rest' }
  | Busy<'claimed'>
  | Busy<'marked'>
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
  /** The marker is committed before the first byte. */
  readonly marksBeforeCall: boolean
  /** A call is aborted well within the quarantine. */
  readonly endsCalls: boolean
}

export const kept: Promises = { comparesRevision: true, looksAtLease: true, marksBeforeCall: true, endsCalls: true }

type Rules = NonNullable<Parameters<typeof transition>[3]>

export interface Setting {
  readonly idempotency: Proposal['idempotency']
  readonly approvers: Approvers
  readonly durations: Durations
  readonly promises: Promises
  /** Is there a writer that acts on what it read a while ago? */
  readonly slowWriter: boolean
  /** The search goes no further than this many claims. */
  readonly fences: number
  readonly rules: Rules
}

/** The day is the unit: a draft lives exactly one, and only the order of moments matters. */
const tick = draftLifeMs

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
  slowWriter: false,
  fences: 3,
  rules: guards,
  ...over,
})

/** The guards with one taken away: everywhere, or in the one cell of the table that is named. */
export const without = (name: GuardName, cell?: { readonly state: string; readonly event: string }): Rules => ({
  ...guards,
  [name]: (...[proposal, event, nowMs]: Parameters<Rules[GuardName]>) =>
    cell === undefined || (proposal.state.name === cell.state && event.name === cell.event) || (guards as Rules)[name](proposal, event, nowMs),
})

/** A law that did not hold: its name, and the world in which. */
export class BrokenLaw extends Error {
  override readonly name = 'BrokenLaw'
  readonly law: Law
  constructor(law: Law) {
    super(law)
    this.law = law
  }
}

export type Law =
  | 'one effect at most'
  | 'succeeded means done, and every other end means not done'
  | 'in doubt means that a call was marked'
  | 'what runs is what was shown'
  | 'only permitted persons decide'
  | 'two approvals are two persons, and not the requester'
  | 'a decision is on the current card and on the world as shown'
  | 'past its deadline a proposal can only close'
  | 'nobody is cut short of their time'
  | 'a stale approval runs nothing'
  | 'nothing starts while it is held or halted'
  | 'a worker that lost its lease settles nothing'
  | 'a lease that lives is nobody else’s'
  | 'what keeps failing is given up'
  | 'a retry waits for its time'

const demand = (holds: boolean, law: Law): void => {
  if (!holds) throw new BrokenLaw(law)
}

const startMs = 1000 * tick

export const beginning = ({ idempotency, approvers, durations }: Setting): World => ({
  nowMs: startMs,
  proposal: aProposal({ state: 'draft', idempotency, approvers, requester: 'ana', ttlMs: durations.ttl, createdAtMs: startMs }),
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
  const decision = (world: World, person: string, verdict: 'approve' | 'reject'): Decision =>
    ({ person, verdict, via: 'press', atMs: world.nowMs }) satisfies DecisionRecord as DecisionRecord as Decision

  const people = approvers.kind === 'requester' ? ['ana', 'eva'] : ['ana', 'beto', 'carla']
  const flaws = [{}, { permitted: false }, { firstPermitted: false }, { cardRevision: 0 }, { fingerprint: 'tampered' }, { previewDigest: 'moved' }]
  const decided = people.flatMap((person) => [
    ...flaws.map((flaw) =>
      always(`${person} approves ${JSON.stringify(flaw)}`, (world) => ({
        name: 'approve',
        decision: decision(world, person, 'approve'),
        permitted: true,
        firstPermitted: true,
        cardRevision: world.proposal.cardRevision,
        fingerprint: world.proposal.fingerprint,
        previewDigest: world.proposal.previewDigest,
        executeWithinMs: durations.executeWithin,
        holdMs: durations.hold,
        ...flaw,
      })),
    ),
    ...[true, false].map((permitted) =>
      always(`${person} rejects${permitted ? '' : ' without being permitted'}`, (world) => ({ name: 'reject', decision: decision(world, person, 'reject'), permitted })),
    ),
  ])

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
    always('a look-up finds it', ({ effects }) => (effects > 0 ? { name: 'succeed', proof: 'look_up', verification: 'none' } : undefined)),
    always('a look-up finds nothing', ({ effects }) => (effects === 0 ? { name: 'fail', proof: 'look_up', reason: 'not_found' } : undefined)),
  ]

  const passing = durations.steps.map(
    (ms): Happening => ({
      name: `${ms} ms pass`,
      of: (world) => ({ ...world, nowMs: world.nowMs + ms, flights: world.flights.filter(({ untilMs }) => untilMs >= world.nowMs + ms) }),
    }),
  )

  const working = ([0, 1] as const).flatMap((who): readonly Happening[] => {
    /** A worker resting is like another: only the first of two does what either could. */
    const workerAt = <At extends Worker['at']>(world: World, at: At): Extract<Worker, { at: At }> | undefined => {
      const worker = world.workers[who]
      if (worker.at !== at || (at === 'rest' && who === 1 && world.workers[0].at === 'rest')) return undefined
      return worker as Extract<Worker, { at: At }>
    }
    const becomes = (world: World, worker: Worker): World => ({ ...world, workers: who === 0 ? [worker, world.workers[1]] : [world.workers[0], worker] })
    const resting = (world: World): World => becomes(world, { at: 'rest' })
    /** The worker writes; whether it was taken or refused, it is done with this proposal. */
    const writes = (name: string, at: 'claimed' | 'marked' | 'answered', event: (worker: Exclude<Worker, { at: 'rest' }>) => LifecycleEvent | undefined): Happening => ({
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
        return becomes(after, { at, fence: after.proposal.state.fence, leaseUntilMs: world.nowMs + durations.lease })
      },
    })
    const beginsCall = (from: 'marked' | 'claimed'): Happening => ({
      name: `worker ${who} calls`,
      of: (world) => {
        const worker = workerAt(world, from)
        if (worker === undefined || (promises.looksAtLease && world.nowMs >= worker.leaseUntilMs)) return undefined
        const untilMs = world.nowMs + (promises.endsCalls ? durations.call : 4 * durations.call)
        return becomes({ ...world, flights: [...world.flights, { fence: worker.fence, untilMs }] }, { ...worker, at: 'waiting' })
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
        const after = tell(world, { name: 'send', fence: worker.fence, fingerprint: world.proposal.fingerprint, halted: false, ...over })
        return after === undefined ? resting(world) : becomes(after, { ...worker, at: 'marked' })
      },
    })
    const doubt = (fence: number, retryInMs?: number): LifecycleEvent => ({ name: 'doubt', fence, quarantineMs: durations.quarantine, ...(retryInMs === undefined ? {} : { retryInMs }) })

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
                return becomes({ ...world, proposal: moved.proposal }, { at: 'claimed', fence: moved.proposal.state.fence, leaseUntilMs: world.nowMs + durations.lease })
              },
            },
          ]
        : []),
      writes('gives it back', 'claimed', ({ fence }) => ({ name: 'release', fence })),
      writes('finds the world changed', 'claimed', ({ fence }) => ({ name: 'change', reason: 'preview', fence })),
      writes('is denied at the last look', 'claimed', ({ fence }) => ({ name: 'fail', fence, proof: 'call', reason: 'denied' })),
      // Broken code: a result without a call.
      writes('tells a success that never was', 'claimed', ({ fence }) => ({ name: 'succeed', fence, proof: 'call', verification: 'none' })),
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
          return worker === undefined ? undefined : tell(world, { name: 'send', fence: worker.fence, fingerprint: world.proposal.fingerprint, halted: false })
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
        worker.at === 'answered' && worker.answer === 'done' ? { name: 'succeed', fence: worker.fence, proof: 'call', verification: 'none' } : undefined,
      ),
      writes('records the refusal', 'answered', (worker) =>
        worker.at === 'answered' && worker.answer === 'refused' ? { name: 'fail', fence: worker.fence, proof: 'call', reason: 'refused' } : undefined,
      ),
      writes('records its doubt', 'answered', (worker) => (worker.at === 'answered' && worker.answer !== 'done' ? doubt(worker.fence, durations.retryIn) : undefined)),
      writes('records its doubt and no retry', 'answered', (worker) => (worker.at === 'answered' && worker.answer === 'unknown' ? doubt(worker.fence) : undefined)),
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
        const landed: World = { ...world, flights: world.flights.filter((other) => other !== flight), ...(takesEffect ? effectOn(world, setting) : {}) }
        if (answer === undefined) return landed
        const hear = (worker: Worker, index: number): Worker => (index === waiting && worker.at === 'waiting' ? { ...worker, at: 'answered', answer } : worker)
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

  const reading = setting.slowWriter ? [{ name: 'somebody reads', of: (world: World): World => ({ ...world, read: world.proposal }) }] : []

  return [...decided, ...surroundings, ...passing, ...working, ...farSide, ...reading].map(({ name, of }) => ({
    name,
    of: (world) => {
      const after = of(world)
      if (after !== undefined) judgeWorld(after)
      return after
    },
  }))
}

/** A far side that knows the key does nothing twice while it remembers; one without keys does all that it is asked. */
function effectOn({ effects, keyKnownAtMs, nowMs }: World, { idempotency, durations }: Setting): Pick<World, 'effects' | 'keyKnownAtMs'> {
  if (idempotency === 'none') return { effects: effects + 1 }
  const remembered = keyKnownAtMs !== undefined && nowMs < keyKnownAtMs + durations.keyValid
  return remembered ? { effects, keyKnownAtMs } : { effects: effects + 1, keyKnownAtMs: nowMs }
}

/** What must be true of every world. */
function judgeWorld({ proposal: { state }, effects }: World): void {
  demand(effects <= 1, 'one effect at most')
  if (isSettled(state)) demand((state.name === 'succeeded') === (effects === 1), 'succeeded means done, and every other end means not done')
}

/** What must be true of every move that the table let through, told by the world and not by the table. */
function judgeMove({ proposal, nowMs }: World, event: LifecycleEvent, { approvers, durations }: Setting): void {
  const { state } = proposal
  const deadlineMs = state.name === 'draft' ? proposal.createdAtMs + draftLifeMs : 'expiresAtMs' in state ? state.expiresAtMs : undefined
  if (deadlineMs !== undefined) {
    const closes = event.name === 'expire' || event.name === 'discard' || event.name === 'supersede' || event.name === 'undeliverable'
    demand(closes || nowMs < deadlineMs, 'past its deadline a proposal can only close')
    if (event.name === 'expire') demand(nowMs >= deadlineMs, 'nobody is cut short of their time')
  }
  switch (event.name) {
    case 'withhold':
      return demand(state.name === 'pending' && state.refusals < refusalsAllowed, 'what keeps failing is given up')
    case 'approve':
      demand(event.permitted && (state.name !== 'awaiting_second' || event.firstPermitted), 'only permitted persons decide')
      if (approvers.kind === 'role' && approvers.second) {
        const other = state.name !== 'awaiting_second' || state.first.person !== event.decision.person
        demand(other && event.decision.person !== proposal.requester, 'two approvals are two persons, and not the requester')
      }
      return demand(
        event.cardRevision === proposal.cardRevision && event.fingerprint === proposal.fingerprint && event.previewDigest === proposal.previewDigest,
        'a decision is on the current card and on the world as shown',
      )
    case 'reject':
      return demand(event.permitted, 'only permitted persons decide')
    case 'go_stale':
      return demand(state.name === 'approved' && nowMs >= state.decision.atMs + durations.executeWithin, 'nobody is cut short of their time')
    case 'claim':
      if (state.name !== 'approved') return
      demand(nowMs < state.decision.atMs + durations.executeWithin, 'a stale approval runs nothing')
      demand(!event.halted && (nowMs >= state.decision.atMs + durations.hold || state.attempts > 0), 'nothing starts while it is held or halted')
      return demand(state.attempts < attemptsAllowed, 'what keeps failing is given up')
    case 'postpone':
      return demand(state.name === 'in_doubt' && state.retryAtMs !== undefined && nowMs >= state.retryAtMs, 'a retry waits for its time')
    case 'send':
    case 'retry':
      demand(event.fingerprint === proposal.fingerprint, 'what runs is what was shown')
      demand(!event.halted, 'nothing starts while it is held or halted')
      if (state.name === 'executing' && event.name === 'send') judgeOwner(state, event.fence, nowMs, 'own')
      if (state.name === 'in_doubt') demand(state.retryAtMs !== undefined && nowMs >= state.retryAtMs, 'a retry waits for its time')
      return
    case 'doubt':
      if (state.name !== 'executing') return
      demand(state.sent !== undefined, 'in doubt means that a call was marked')
      return judgeOwner(state, event.fence, nowMs, 'own or over')
    case 'release':
    case 'fail':
    case 'succeed':
    case 'change':
      if (state.name === 'in_doubt') demand(!('proof' in event) || event.proof !== 'call', 'a worker that lost its lease settles nothing')
      if (state.name !== 'executing') return
      return judgeOwner(state, event.fence, nowMs, event.name === 'release' || event.name === 'fail' ? 'own or over' : 'own of any age')
    default:
      return
  }
}

function judgeOwner(state: { readonly fence: number; readonly leaseUntilMs: number }, fence: number | undefined, nowMs: number, who: 'own' | 'own of any age' | 'own or over'): void {
  const over = nowMs >= state.leaseUntilMs
  if (who === 'own or over') return demand(fence === state.fence || over, 'a lease that lives is nobody else’s')
  demand(fence === state.fence && (who === 'own of any age' || !over), 'a worker that lost its lease settles nothing')
}

/** What tells two worlds apart: times only as far as anything still compares them, workers in no order. */
export function keyOf(world: World, { keyValid }: Durations): string {
  const long = keyValid / tick + 1
  const { nowMs, proposal, workers, flights, effects, keyKnownAtMs, read } = world
  const ahead = (ms: number | undefined): number | '' => (ms === undefined ? '' : Math.max(0, ms - nowMs) / tick)
  const behind = (ms: number | undefined): number | '' => (ms === undefined ? '' : Math.min(long, (nowMs - ms) / tick))
  const stateKey = ({ state, createdAtMs }: Proposal): string => {
    switch (state.name) {
      case 'draft':
        return `d${state.refusals},${ahead(createdAtMs + draftLifeMs)}`
      case 'pending':
        return `p${state.refusals},${ahead(state.expiresAtMs)},${ahead(createdAtMs + draftLifeMs)}`
      case 'awaiting_second':
        return `2${state.first.person},${ahead(state.expiresAtMs)}`
      case 'approved':
        return `a${state.fence},${state.attempts},${ahead(state.executeByMs)},${ahead(state.holdUntilMs)}`
      case 'executing':
        return `e${state.fence},${state.attempts},${ahead(state.executeByMs)},${ahead(state.leaseUntilMs)},${state.sent?.fence ?? ''},${state.doubted},${behind(state.firstSentAtMs)}`
      case 'in_doubt':
        return `i${state.fence},${ahead(state.retryAtMs)},${ahead(state.quarantineUntilMs)},${behind(state.firstSentAtMs)},${state.retryAtMs === undefined}`
      default:
        return state.name
    }
  }
  const workerKey = (worker: Worker): string =>
    worker.at === 'rest' ? 'r' : `${worker.at}${worker.fence},${ahead(worker.leaseUntilMs)}${worker.at === 'answered' ? worker.answer : ''}`
  const [a, b] = [workerKey(workers[0]), workerKey(workers[1])]
  const flying = flights.map(({ fence, untilMs }) => `${fence}:${ahead(untilMs)}`).sort().join()
  const reading = read === undefined ? '' : `${stateKey(read)}${read.revision === proposal.revision}`
  return `${stateKey(proposal)}|${a < b ? `${a}|${b}` : `${b}|${a}`}|${flying}|${effects}|${behind(keyKnownAtMs)}|${reading}`
}

export interface Found {
  readonly worlds: number
  readonly moves: number
  /** The first law that broke, and everything that happened until then. */
  readonly broken?: { readonly law: Law; readonly trace: readonly string[] }
  /** Worlds from which nothing that can happen leads to an end. */
  readonly stuck: readonly string[]
  /** Every pair of states that a move led from and to. */
  readonly arrows: ReadonlySet<string>
}

/** Every world that can come to be, breadth first; ends at the first broken law. */
export function explore(setting: Setting, goal: { readonly liveness: boolean } = { liveness: false }): Found {
  const all = happenings(setting)
  const first = beginning(setting)
  const seen = new Map<string, number>([[keyOf(first, setting.durations), 0]])
  const worlds: World[] = [first]
  const from: number[] = [-1]
  const by: string[] = ['']
  const edges: number[] = []
  const arrows = new Set<string>()
  let moves = 0
  for (let index = 0; index < worlds.length; index++) {
    const world = worlds[index] as World
    if ('fence' in world.proposal.state && world.proposal.state.fence > setting.fences) continue
    for (const happening of all) {
      let after: World | undefined
      try {
        after = happening.of(world)
      } catch (error) {
        if (!(error instanceof BrokenLaw)) throw error
        return { worlds: worlds.length, moves, stuck: [], arrows, broken: { law: error.law, trace: [...traceOf(index, from, by), happening.name] } }
      }
      if (after === undefined) continue
      moves += 1
      if (after.proposal !== world.proposal) arrows.add(`${world.proposal.state.name} --> ${after.proposal.state.name}`)
      const key = keyOf(after, setting.durations)
      let at = seen.get(key)
      if (at === undefined) {
        at = worlds.length
        seen.set(key, at)
        worlds.push(after)
        from.push(index)
        by.push(happening.name)
      }
      if (goal.liveness) edges.push(index, at)
    }
  }
  return { worlds: worlds.length, moves, arrows, stuck: goal.liveness ? stuckIn(worlds, edges, setting) : [] }
}

function traceOf(index: number, from: readonly number[], by: readonly string[]): readonly string[] {
  const trace: string[] = []
  for (let at = index; at > 0; at = from[at] ?? 0) trace.unshift(by[at] ?? '')
  return trace
}

/** Backwards from every end (and from the rim of the search): what is not reached can never end. */
function stuckIn(worlds: readonly World[], edges: readonly number[], setting: Setting): readonly string[] {
  const before: number[][] = worlds.map(() => [])
  for (let edge = 0; edge < edges.length; edge += 2) before[edges[edge + 1] as number]?.push(edges[edge] as number)
  const ends = worlds.flatMap(({ proposal: { state } }, index) => (isSettled(state) || ('fence' in state && state.fence > setting.fences) ? [index] : []))
  const canEnd = new Set(ends)
  for (let next = ends.pop(); next !== undefined; next = ends.pop()) {
    for (const index of before[next] ?? []) {
      if (canEnd.has(index)) continue
      canEnd.add(index)
      ends.push(index)
    }
  }
  return worlds.flatMap((world, index) => (canEnd.has(index) ? [] : [keyOf(world, setting.durations)]))
}
