import { draftLifeMs } from '../../src/core/lifecycle.ts'
import { isSettled, type Proposal } from '../../src/core/proposal.ts'
import { BrokenLaw, type Law } from './lifecycle-judge.ts'
import { beginning, type Durations, happenings, type Setting, tick, type Worker, type World } from './lifecycle-model.ts'

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
    worker.at === 'rest'
      ? 'r'
      : `${worker.at}${worker.fence},${ahead(worker.leaseUntilMs)}${worker.at === 'answered' ? worker.answer : ''}${worker.at === 'marked' && worker.repeats}`
  const [a, b] = [workerKey(workers[0]), workerKey(workers[1])]
  const flying = flights
    .map(({ fence, untilMs }) => `${fence}:${ahead(untilMs)}`)
    .sort()
    .join()
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
        return {
          worlds: worlds.length,
          moves,
          stuck: [],
          arrows,
          broken: { law: error.law, trace: [...traceOf(index, from, by), happening.name] },
        }
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
  const ends = worlds.flatMap(({ proposal: { state } }, index) =>
    isSettled(state) || ('fence' in state && state.fence > setting.fences) ? [index] : [],
  )
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
