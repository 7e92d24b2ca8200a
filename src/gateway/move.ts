import { deadlineOf, type LifecycleEvent, type Moved, retryWithin, transition } from '../core/lifecycle.ts'
import { originOf } from '../core/origin.ts'
import { isDecidable, isSettled, type Proposal } from '../core/proposal.ts'
import { startsTurn } from '../core/starts-turn.ts'
import type { Change, Committed, Move } from '../ports/store.ts'
import { bornDrafts } from './born-drafts.ts'
import type { House } from './house.ts'
import { ring } from './ring.ts'

/** How a move is to be written down. */
export interface MoveBy {
  readonly by: string
  readonly note?: Readonly<Record<string, unknown>>
}

export type Applied =
  | { readonly kind: 'applied'; readonly proposal: Proposal }
  | Exclude<Moved, { kind: 'moved' }>
  | Exclude<Committed, { kind: 'committed' }>

/**
 * The one place where the lifecycle is applied: asks the table, and writes the answer by compare-and-set together with everything that
 * goes along, in one transaction. `alongside` sees the proposal as it will be. Refused by the law, or lost to somebody faster: nothing
 * is written, and the caller reads again and tells the truth. The database's clock has the last word on a deadline.
 */
export async function move(
  house: House,
  before: Proposal,
  event: LifecycleEvent,
  nowMs: number,
  how: MoveBy,
  alongside: (after: Proposal) => Change = () => ({}),
): Promise<Applied> {
  const planned = planMove(before, event, nowMs, how)
  if (planned.kind === 'refused') return planned
  const { after } = planned.move
  const change = alongside(after)
  const say = [...(change.say ?? []), ...bornDrafts(house, planned.move, nowMs)]
  const committed = await house.store.commit({ ...change, say, moves: [planned.move, ...(change.moves ?? [])] })
  if (committed.kind !== 'committed') return committed
  tellMoved(house, planned.move)
  const hooks = isSettled(after.state) && house.hooks.onSettled !== undefined
  const turns = startsTurn(after) ? [after.conversation] : []
  if (hooks || turns.length > 0) await ring(house, { turns, hooks })
  return { kind: 'applied', proposal: after }
}

/** What the table says to one event, ready to be committed together with other things. Writes nothing. */
export function planMove(
  before: Proposal,
  event: LifecycleEvent,
  nowMs: number,
  { by, note }: MoveBy,
): { readonly kind: 'planned'; readonly move: Move } | Exclude<Moved, { kind: 'moved' }> {
  const moved = transition(before, event, nowMs)
  if (moved.kind === 'refused') return moved
  const move: Move = {
    before,
    after: moved.proposal,
    event: event.name,
    by,
    ...('decision' in event ? { decision: event.decision } : {}),
    ...(note === undefined ? {} : { note }),
    ...clockOf(before, event),
    // A halt that comes between the reading and the writing still stops it.
    ...('halted' in event ? { unlessHalted: true } : {}),
    ...(event.name === 'grant' ? { under: event.grant.id } : {}),
    ...bornOf(before, event),
  }
  return { kind: 'planned', move }
}

/** A person's "always" begins to hold with the first success of what it was said to. */
function bornOf({ state, always }: Proposal, event: LifecycleEvent): Pick<Move, 'born'> {
  if (event.name !== 'succeed' || always === undefined || !('decision' in state) || state.decision.always !== true) return {}
  return { born: { times: always.times, lastsMs: always.days * 86_400_000, decision: state.decision } }
}

/** Counts and logs a move that was committed. */
export function tellMoved(house: House, { before, after, event, decision }: Move): void {
  house.count('moved', { action: before.action, from: before.state.name, to: after.state.name })
  // A deadline runs from the first accepted showing.
  if (decision !== undefined && isDecidable(before))
    house.tookToDecide(before.action, decision.via, Math.max(0, decision.atMs - (before.state.expiresAtMs - before.ttlMs)) / 1000)
  house.log.info({ proposal: before.id, from: before.state.name, to: after.state.name, event, origin: originOf(before) }, 'moved')
}

/** A move that depends on a moment is bound to it in the statement itself: time passes between the reading and the writing. */
function clockOf(proposal: Proposal, event: LifecycleEvent): Pick<Move, 'beforeMs' | 'notBeforeMs'> {
  const { state } = proposal
  switch (event.name) {
    case 'show':
    case 'undeliverable':
    case 'withhold':
    case 'discard':
    case 'supersede':
    case 'edit':
    case 'grant':
      return { beforeMs: deadlineOf(proposal) }
    case 'approve':
    case 'reject':
    case 'change':
      return isDecidable(proposal) ? { beforeMs: deadlineOf(proposal) } : {}
    case 'expire':
      return { notBeforeMs: deadlineOf(proposal) }
    case 'go_stale':
      return 'executeByMs' in state ? { notBeforeMs: state.executeByMs } : {}
    case 'claim':
      return 'executeByMs' in state ? { beforeMs: state.executeByMs } : {}
    case 'send':
      return 'leaseUntilMs' in state ? { beforeMs: state.leaseUntilMs } : {}
    case 'retry':
      return state.name === 'in_doubt' ? { beforeMs: state.firstSentAtMs + retryWithin(event.keyValidForMs) } : {}
    case 'stop':
    case 'release':
    case 'succeed':
    case 'fail':
    case 'doubt':
    case 'postpone':
      return {}
  }
}
