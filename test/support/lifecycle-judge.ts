import { attemptsAllowed, draftLifeMs, type LifecycleEvent, refusalsAllowed } from '../../src/core/lifecycle.ts'
import { isSettled } from '../../src/core/proposal.ts'
import type { Setting, World } from './lifecycle-model.ts'

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
  | 'what takes a value to be typed is approved by nothing else'
  | 'past its deadline a proposal can only expire'
  | 'nobody is cut short of their time'
  | 'a standing yes counts only for what it was given for, while it lasts'
  | 'a stale approval runs nothing'
  | 'nothing starts while it is held or halted'
  | 'a worker that lost its lease settles nothing'
  | 'a lease that lives is nobody else’s'
  | 'what keeps failing is given up'
  | 'a retry waits for its time'

const demand = (holds: boolean, law: Law): void => {
  if (!holds) throw new BrokenLaw(law)
}

/** What must be true of every world. */
export function judgeWorld({ proposal: { state }, effects }: World): void {
  demand(effects <= 1, 'one effect at most')
  if (isSettled(state))
    demand((state.name === 'succeeded') === (effects === 1), 'succeeded means done, and every other end means not done')
}

/** What must be true of every move that the table let through, told by the world and not by the table. */
export function judgeMove(
  { proposal, nowMs }: World,
  event: LifecycleEvent,
  { approvers, durations, remembered, typed }: Setting,
): void {
  const { state } = proposal
  const shownUntilMs = 'expiresAtMs' in state ? state.expiresAtMs : undefined
  const deadlineMs =
    state.name === 'draft' ? Math.min(proposal.createdAtMs + draftLifeMs, shownUntilMs ?? Number.POSITIVE_INFINITY) : shownUntilMs
  if (deadlineMs !== undefined) {
    demand(event.name === 'expire' || nowMs < deadlineMs, 'past its deadline a proposal can only expire')
    if (event.name === 'expire') demand(nowMs >= deadlineMs, 'nobody is cut short of their time')
  }
  switch (event.name) {
    case 'withhold':
      demand(state.name === 'pending' && state.refusals < refusalsAllowed, 'what keeps failing is given up')
      return
    case 'approve':
      demand(event.permitted && (state.name !== 'awaiting_second' || event.firstPermitted), 'only permitted persons decide')
      if (approvers.kind === 'role' && approvers.second) {
        const other = state.name !== 'awaiting_second' || state.first.person !== event.decision.person
        demand(other && event.decision.person !== proposal.requester, 'two approvals are two persons, and not the requester')
      }
      demand(!typed || event.decision.via === 'typed', 'what takes a value to be typed is approved by nothing else')
      demand(
        event.cardRevision === proposal.cardRevision &&
          event.fingerprint === proposal.fingerprint &&
          event.previewDigest === proposal.previewDigest,
        'a decision is on the current card and on the world as shown',
      )
      return
    case 'grant': {
      const { grant, decision } = event
      const isFor =
        grant.decision.person === proposal.requester &&
        grant.conversation.chat === proposal.conversation.chat &&
        grant.action === proposal.action &&
        grant.actionVersion === proposal.actionVersion &&
        grant.reversibility !== 'reversible'
      const isLasting = grant.ended === undefined && grant.uses < grant.times && nowMs < grant.endsAtMs
      const isAlone = remembered && approvers.kind === 'requester'
      // A card that somebody has read is answered by them.
      const isUnread = state.name === 'draft' && state.refusals === 0
      demand(
        isFor && isLasting && isAlone && isUnread && decision.grant === grant.id,
        'a standing yes counts only for what it was given for, while it lasts',
      )
      return
    }
    case 'reject':
      demand(event.permitted, 'only permitted persons decide')
      return
    case 'go_stale':
      demand(
        state.name === 'approved' && nowMs >= state.decision.atMs + durations.executeWithin,
        'nobody is cut short of their time',
      )
      return
    case 'claim':
      if (state.name !== 'approved') return
      demand(nowMs < state.decision.atMs + durations.executeWithin, 'a stale approval runs nothing')
      demand(
        // Only an answer is held: somebody may take it back at once.
        !event.halted && (nowMs >= state.decision.atMs + durations.hold || state.attempts > 0 || state.decision.via === 'grant'),
        'nothing starts while it is held or halted',
      )
      demand(state.attempts < attemptsAllowed, 'what keeps failing is given up')
      return
    case 'postpone':
      demand(state.name === 'in_doubt' && state.retryAtMs !== undefined && nowMs >= state.retryAtMs, 'a retry waits for its time')
      return
    case 'send':
    case 'retry':
      demand(event.fingerprint === proposal.fingerprint, 'what runs is what was shown')
      demand(!event.halted, 'nothing starts while it is held or halted')
      if (state.name === 'executing' && event.name === 'send') judgeOwner(state, event.fence, nowMs, 'own')
      if (state.name === 'in_doubt')
        demand(state.retryAtMs !== undefined && nowMs >= state.retryAtMs, 'a retry waits for its time')
      return
    case 'doubt':
      if (state.name !== 'executing') return
      demand(state.sent !== undefined, 'in doubt means that a call was marked')
      judgeOwner(state, event.fence, nowMs, 'own or over')
      return
    case 'release':
    case 'fail':
    case 'succeed':
    case 'change':
      if (state.name === 'in_doubt')
        demand(!('proof' in event) || event.proof !== 'call', 'a worker that lost its lease settles nothing')
      if (state.name !== 'executing') return
      judgeOwner(state, event.fence, nowMs, event.name === 'release' || event.name === 'fail' ? 'own or over' : 'own of any age')
      return
    default:
      return
  }
}

function judgeOwner(
  state: { readonly fence: number; readonly leaseUntilMs: number },
  fence: number | undefined,
  nowMs: number,
  who: 'own' | 'own of any age' | 'own or over',
): void {
  const over = nowMs >= state.leaseUntilMs
  if (who === 'own or over') demand(fence === state.fence || over, 'a lease that lives is nobody else’s')
  else demand(fence === state.fence && (who === 'own of any age' || !over), 'a worker that lost its lease settles nothing')
}
